package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

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

// square is the PNG of case B25: 8x8, of one colour.
const square = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQaDiAFTEMLQkAOsZYAYJCUNYAAAAASUVORK5CYII="

func TestPictures(t *testing.T) { // B25
	file := outputs(t, display("image/png", square, "text/plain", "<Figure size 80x80>"), display("image/png", square))
	a := open(t, setup{file: file, profile: colorprofile.TrueColor})
	a.shows("[image/png 8x8, 74 B]")
	a.hides("<Figure")
	if n := strings.Count(string(a.Bytes()), "48;2;"); n < 8 {
		t.Errorf("%d lines of pictures are drawn", n)
	}
	for name, s := range map[string]setup{
		"NO_COLOR":   {env: []string{"NO_COLOR=1"}},
		"no colours": {profile: colorprofile.Ascii},
		"off":        {env: []string{"NBTERM_IMAGES=off"}},
	} {
		t.Run(name, func(t *testing.T) {
			s.file = file
			a := open(t, s)
			a.shows("[image/png 8x8, 74 B]", "<Figure size 80x80>")
			a.hides("▀", "AAAA")
		})
	}
}

func TestBrokenPicture(t *testing.T) {
	a := open(t, setup{file: outputs(t, display("image/png", square[:60], "text/plain", "instead"), display("text/plain", "the next"))})
	a.order("[image/png 8x8", "instead", "the next")
	a.Type("j", "k")
	lines := strings.Split(a.Text(), "\n")
	for i, l := range lines {
		if strings.Contains(l, "instead") && !strings.Contains(lines[i+1], "the next") {
			t.Errorf("what was kept for the picture stays empty:\n%s", a.Text())
		}
	}
}
