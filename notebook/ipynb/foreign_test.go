package ipynb

import (
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// What nbformat forbids in a cell is shown, named, and kept unless that cell is edited;
// an edit begins with all of it.
func TestForeignCells(t *testing.T) {
	for _, c := range []struct {
		cell, text string
		foreign    bool
	}{
		{`{"cell_type":"code","metadata":{},"outputs":[],"source":5}`, "5", true},
		{`{"cell_type":"code","metadata":{},"outputs":[],"source":{"a": [1, "x"]}}`, `{"a": [1, "x"]}`, true},
		{`{"cell_type":"code","metadata":{},"outputs":[],"source":true}`, "true", true},
		{`{"cell_type":"code","metadata":{},"outputs":[],"source":["a\n", 5, null, {"b":1}]}`, "a\n5{\"b\":1}", true},
		{`{"cell_type":"code","metadata":{},"outputs":5,"source":"x"}`, "x", true},
		{`{"cell_type":"code","metadata":{},"outputs":"5","source":"x"}`, "x", true},
		{`{"cell_type":"code","metadata":{},"outputs":[5],"source":"x"}`, "x", true},
		{`{"cell_type":5,"source":"x"}`, "x", true},
		{`{"source":"x"}`, "x", true},
		{`5`, "5", true},
		{`"words"`, "words", true},
		{`[1, 2]`, "12", true},
		{`null`, "", true},
		{`{"cell_type":"code","metadata":{},"outputs":null,"source":null}`, "", false},
		{`{"cell_type":"code","source":["a\n", "b"]}`, "a\nb", false},
		{`{"cell_type":"new kind","source":"x"}`, "x", false},
	} {
		data := `{"cells":[{"cell_type":"raw","source":"first"}, ` + c.cell + `],"metadata":{},"nbformat":4,"nbformat_minor":4}`
		f := parse(t, []byte(data))
		cell := f.Cells()[1]
		if cell.Text() != c.text || cell.Foreign() != c.foreign {
			t.Errorf("%s: text %q, foreign %v", c.cell, cell.Text(), cell.Foreign())
		}
		other := "changed"
		plan := keep(f)
		plan[0].Source = &other
		if got := write(t, f, plan); !strings.Contains(got, c.cell) {
			t.Errorf("%s was lost by a change of another cell: %s", c.cell, got)
		}
		plan = keep(f)
		edited := c.text + "!"
		plan[1].Source = &edited
		got := rawjson.Value(write(t, f, plan)).Get("cells").Elements()[1]
		source := got.Get("source")
		if sourceText(source) != edited || source.Kind() != rawjson.String && foreignList(source, rawjson.String, false) {
			t.Errorf("%s, edited: %s", c.cell, got)
		}
	}
}

func TestForeignSourceOfAnOldNotebook(t *testing.T) {
	f := parse(t, []byte(`{"worksheets":[{"cells":[{"cell_type":"code","input":{"a":1},"outputs":[]},{"cell_type":"markdown","source":7}]}],"metadata":{},"nbformat":3,"nbformat_minor":0}`))
	if a, b := f.Cells()[0].Text(), f.Cells()[1].Text(); a != `{"a":1}` || b != "7" {
		t.Errorf("%q and %q", a, b)
	}
}
