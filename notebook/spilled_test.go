package notebook

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

// A save must not pass zeros off as output that can no longer be read back.
func TestSaveFailsWhereOutputCannotBeReadBack(t *testing.T) {
	var file spill.File
	text := mime.NewText(&file)
	text.Append(strings.Repeat("x", mime.InMemory+1<<20))
	doc := New()
	cell := NewCell{Type: Code, Outputs: []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: text}}}}
	do(t, doc, Insert{At: 0, Cells: []NewCell{cell}})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.Snapshot().WriteTo(io.Discard); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
