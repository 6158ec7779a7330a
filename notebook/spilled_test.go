package notebook

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
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

// A display that is on disk is saved as one in memory is.
func TestSaveReadsBackDisplays(t *testing.T) {
	var file spill.File
	defer file.Close()
	data := &mime.Data{Bundle: mime.Bundle{{Type: "text/plain", Value: rawjson.Quote("long")}}}
	saved := func(b mime.Body) string {
		doc := New()
		do(t, doc, Insert{At: 0, Cells: []NewCell{{Type: Code, Outputs: []mime.Output{{Body: b}}}}})
		var out strings.Builder
		if _, err := doc.Snapshot().WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		_, outputs, _ := strings.Cut(out.String(), `"outputs"`) // the ids around it differ
		outputs, _, _ = strings.Cut(outputs, `"source"`)
		return outputs
	}
	held := mime.Hold(data, &file)
	if err := held.Spill(); err != nil {
		t.Fatal(err)
	}
	if got, want := saved(held), saved(data); got != want || !strings.Contains(got, "long") {
		t.Errorf("got %s, want %s", got, want)
	}
	_ = file.Close()
	doc := New()
	do(t, doc, Insert{At: 0, Cells: []NewCell{{Type: Code, Outputs: []mime.Output{{Body: held}}}}})
	if _, err := doc.Snapshot().WriteTo(io.Discard); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
