package notebook

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
)

// cellsOf writes a notebook file: "id:source" makes a cell, an empty id one without id.
func cellsOf(t *testing.T, cells ...string) *Document {
	t.Helper()
	var b strings.Builder
	for _, c := range cells {
		id, source, _ := strings.Cut(c, ":")
		if id != "" {
			id = fmt.Sprintf(`"id":%q, `, id)
		}
		fmt.Fprintf(&b, `,{"cell_type":"code", %s"odd":1,  "execution_count":null,"metadata":{},"outputs":[],"source":%q}`, id, source)
	}
	d, err := Parse([]byte(`{"cells":[` + strings.TrimPrefix(b.String(), ",") + `],"metadata":{},"nbformat":4,"nbformat_minor":5}`))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := d.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		old, now []string
		want     []int
	}{
		{[]string{"a:1", "b:2"}, []string{"b:2", "a:9"}, []int{1, 0}},
		{[]string{":1", ":2", ":3"}, []string{":1", ":new", ":3"}, []int{0, 1, 2}},
		{[]string{":1", ":2"}, []string{":0", ":1", ":2"}, []int{-1, 0, 1}},
		{[]string{"a:1", "a:2"}, []string{"a:2", "a:1"}, []int{1, 0}},
		{[]string{"a:1", "b:2"}, []string{"a:1", "c:3", "b:2"}, []int{0, -1, 1}},
		{[]string{"a:1"}, nil, []int{}},
	} {
		if got := Match(cellsOf(t, c.old...).Cells(), cellsOf(t, c.now...).Cells()); !slices.Equal(got, c.want) {
			t.Errorf("%v → %v: %v, want %v", c.old, c.now, got, c.want)
		}
	}
}

func TestAdopt(t *testing.T) {
	d := cellsOf(t, "a:one", "b:two", "c:three")
	keys := map[string]CellKey{}
	for _, c := range d.Cells() {
		keys[c.ID] = c.Key
	}
	if err := d.Do("edit", SetSource{Key: keys["b"], Source: "mine"}); err != nil {
		t.Fatal(err)
	}
	mine := written(t, d)
	theirs := written(t, cellsOf(t, "c:three", "x:new", "b:theirs"))
	other := cellsOf(t, "c:three", "x:new", "b:theirs")
	d.Adopt("take theirs", other, true, nil)
	if got := written(t, d); got != theirs || d.Dirty() {
		t.Errorf("dirty %v, got %s", d.Dirty(), got)
	}
	if d.Cells()[0].Key != keys["c"] || d.Cells()[2].Key != keys["b"] || d.Cell(keys["a"]) != nil {
		t.Error("cells lost their keys")
	}
	if _, err := d.Undo(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range d.Cells() {
		got = append(got, c.ID+":"+c.Source)
	}
	if want := []string{"a:one", "b:mine", "c:three"}; !slices.Equal(got, want) || !d.Dirty() {
		t.Errorf("undone: %q, dirty %v; it was %s", got, d.Dirty(), mine)
	}
	if !strings.Contains(written(t, d), `{"cell_type":"code", "id":"c", "odd":1,  `) {
		t.Errorf("an unchanged cell lost its bytes:\n%s", written(t, d))
	}
	if _, err := d.Undo(); err != nil || d.Cell(keys["b"]).Source != "two" {
		t.Errorf("the step before: %v %q", err, d.Cell(keys["b"]).Source)
	}
	for range 2 {
		if _, err := d.Redo(); err != nil {
			t.Fatal(err)
		}
	}
	if got := written(t, d); got != theirs || d.Dirty() {
		t.Errorf("redone: dirty %v, %s", d.Dirty(), got)
	}
}

func TestAdoptKeepsOutputsOfRuns(t *testing.T) {
	d := cellsOf(t, "a:one", "b:two")
	a, b := d.Cells()[0].Key, d.Cells()[1].Key
	outs := func(text string) []mime.Output {
		return []mime.Output{{Body: &mime.Error{Name: text}}}
	}
	if err := d.SetOutputs(a, outs("early"), 1); err != nil {
		t.Fatal(err)
	}
	d.Adopt("reload", cellsOf(t, "a:changed", "b:two"), true, func(k CellKey) bool { return k == a })
	if c := d.Cell(a); c.Source != "changed" || c.Count != 1 || len(c.Outputs()) != 1 || !d.Dirty() {
		t.Errorf("%+v, dirty %v", c, d.Dirty())
	}
	if err := d.SetOutputs(b, outs("late"), 2); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(); err != nil {
		t.Fatal(err)
	}
	if d.Cell(a).Source != "one" || d.Cell(a).Count != 1 || d.Cell(b).Count != 2 {
		t.Error("undo took back what a run put out")
	}
}
