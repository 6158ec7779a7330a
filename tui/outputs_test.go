package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// outputs makes a notebook of one cell with these outputs.
func outputs(t *testing.T, bodies ...mime.Body) string {
	t.Helper()
	cell := notebook.NewCell{Type: notebook.Code, Source: "x"}
	for _, b := range bodies {
		cell.Outputs = append(cell.Outputs, mime.Output{Body: b})
	}
	doc := notebook.New()
	first := doc.Cells()[0].Key
	if err := doc.Do("make", notebook.Insert{Cells: []notebook.NewCell{cell}}, notebook.Delete{Keys: []notebook.CellKey{first}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// display makes an output of pairs of a type and a text, or a JSON value for JSON types.
func display(pairs ...string) *mime.Data {
	var d mime.Data
	for i := 0; i < len(pairs); i += 2 {
		v := rawjson.Quote(pairs[i+1])
		if mime.IsJSON(pairs[i]) {
			v = rawjson.Value(pairs[i+1])
		}
		d.Bundle = append(d.Bundle, mime.Entry{Type: pairs[i], Value: v})
	}
	return &d
}

func TestWideTables(t *testing.T) {
	html, err := os.ReadFile(filepath.Join("..", "render", "testdata", "html", "cut.html"))
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, setup{file: outputs(t, display("text/html", string(html), "text/plain", "plain"))})
	a.shows("column_0", "columns 1–", "of 21", "1000 rows × 21 columns")
	a.hides("plain")
	a.Type("left")
	a.shows("no table goes on there")
	a.Type("right")
	a.hides("column_0")
	a.shows("column_1", "995", "columns 2–")
	for range 20 {
		a.Type("right")
	}
	a.shows("column_20", "no table goes on there")
	a.Type(",", ",")
	a.shows("plain", "shown as text/plain")
	a.Type("right")
	a.shows("no table goes on there")
}
