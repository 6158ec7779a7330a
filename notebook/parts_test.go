package notebook

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func split(t *testing.T, d *Document, key CellKey, at ...int) {
	t.Helper()
	ops, err := d.Split(key, at...)
	if err != nil {
		t.Fatal(err)
	}
	do(t, d, ops...)
}

func merge(t *testing.T, d *Document, keys ...CellKey) {
	t.Helper()
	ops, err := d.Merge(keys...)
	if err != nil {
		t.Fatal(err)
	}
	do(t, d, ops...)
}

func TestSplitKeepsOutputsWithTheFirstPart(t *testing.T) {
	d := New()
	key := d.Cells()[0].Key
	do(t, d, SetSource{Key: key, Source: "a = 1\n\nb = 2\nc = 3"})
	if err := d.SetOutputs(key, stdout("hi"), 7); err != nil {
		t.Fatal(err)
	}
	split(t, d, key, 6, 13)
	if got := sources(d); got != "a = 1|b = 2|c = 3" {
		t.Errorf("parts %q", got)
	}
	cells := d.Cells()
	if cells[0].Key != key || len(cells[0].Outputs()) != 1 || cells[0].Count != 7 || len(cells[1].Outputs())+cells[1].Count > 0 {
		t.Error("the outputs did not stay with the first part")
	}
	merge(t, d, keys(d)...)
	if got := sources(d); got != "a = 1\nb = 2\nc = 3" || len(d.Cells()[0].Outputs()) != 1 || d.Cells()[0].Count != 7 {
		t.Errorf("merged again: %q", got)
	}
	for range 2 {
		if _, err := d.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if got := sources(d); got != "a = 1\n\nb = 2\nc = 3" {
		t.Errorf("undone: %q", got)
	}
}

func TestSplitAtAnEndKeepsOutputsWithTheCode(t *testing.T) {
	for _, at := range [][]int{{0}, {0, 0}, {1}, {5}, {0, 5}} {
		d := New()
		key := d.Cells()[0].Key
		do(t, d, SetSource{Key: key, Source: "\na = 1"}, Insert{At: 0, Cells: []NewCell{{Type: Code, Source: "before"}}})
		if err := d.SetOutputs(key, stdout("hi"), 7); err != nil {
			t.Fatal(err)
		}
		source := d.Cell(key).Source
		if at[len(at)-1] == 5 {
			at[len(at)-1] = len(source)
		}
		split(t, d, key, at...)
		c := d.Cell(key)
		if c == nil || strings.TrimSpace(c.Source) != "a = 1" || len(c.Outputs()) != 1 || c.Count != 7 {
			t.Errorf("at %d: the outputs are not with the code", at)
		}
		cells := d.Cells()
		if len(cells) != len(at)+2 || cells[0].Source != "before" {
			t.Errorf("at %d: %q", at, sources(d))
		}
		if at[0] == 0 && cells[1].Source != "" {
			t.Errorf("at %d: the empty part is not first: %q", at, sources(d))
		}
		if _, err := d.Undo(); err != nil || d.Cell(key).Source != source || len(d.Cells()) != 2 || len(d.Cell(key).Outputs()) != 1 {
			t.Errorf("at %d: undone: %v, %q", at, err, sources(d))
		}
	}
}

func TestSplitDealsAttachmentsByMention(t *testing.T) { // A29
	d, before := open(t, "A29.ipynb")
	c := d.Cells()[0]
	split(t, d, c.Key, strings.Index(c.Source, "!["))
	parts := d.Cells()
	if parts[0].Attachments() != nil || parts[1].Attachments().Get("dot.png") == nil {
		t.Errorf("top has %s, bottom has %s", parts[0].Attachments(), parts[1].Attachments())
	}
	after, err := Parse([]byte(text(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	if a := after.Cells(); a[0].Attachments() != nil || a[1].Attachments().Get("dot.png") == nil || string(a[2].Attachments()) == "" {
		t.Errorf("saved: %s", text(t, d))
	}
	if _, err := d.Undo(); err != nil {
		t.Fatal(err)
	}
	if text(t, d) != before {
		t.Error("undo does not bring the file back")
	}
	split(t, d, c.Key, strings.Index(c.Source, "Bottom"))
	if parts := d.Cells(); string(parts[0].Attachments()) != string(c.Attachments()) || parts[1].Attachments() != nil {
		t.Error("a part that mentions nothing took the attachment")
	}
	merge(t, d, keys(d)[:2]...)
	if d.Cells()[0].Source != c.Source {
		t.Errorf("merged: %q", d.Cells()[0].Source)
	}
}

func TestMergeKeepsAllAttachmentsAndOutputs(t *testing.T) {
	d := New()
	md := func(name, value string) NewCell {
		return NewCell{Type: Markdown, Source: "![](attachment:" + name + ")", Attachments: rawjson.Value(`{"` + name + `": {"text/plain": "` + value + `"}}`)}
	}
	do(t, d, Delete{Keys: keys(d)}, Insert{Cells: []NewCell{md("a.png", "1"), md("a.png", "2"), md("a.png", "1"), md("b.png", "3")}})
	merge(t, d, keys(d)...)
	got := d.Cells()[0]
	if want := "![](attachment:a.png)\n\n![](attachment:2-a.png)\n\n![](attachment:a.png)\n\n![](attachment:b.png)"; got.Source != want {
		t.Errorf("source %q", got.Source)
	}
	if want := `{"a.png":{"text/plain": "1"},"2-a.png":{"text/plain": "2"},"b.png":{"text/plain": "3"}}`; string(got.Attachments()) != want {
		t.Errorf("attachments %s", got.Attachments())
	}
	do(t, d, Delete{Keys: keys(d)}, Insert{Cells: []NewCell{{Type: Code, Source: "a", Outputs: stdout("1")}, {Type: Markdown, Source: "b"}, {Type: Code, Source: "c", Outputs: stdout("2")}}})
	merge(t, d, keys(d)...)
	if c := d.Cells()[0]; c.Source != "a\nb\nc" || len(c.Outputs()) != 2 || len(d.Cells()) != 1 {
		t.Errorf("%q with %d outputs", c.Source, len(c.Outputs()))
	}
	if _, err := d.Undo(); err != nil {
		t.Fatal(err)
	}
	if c := d.Cells()[0]; len(c.Outputs()) != 1 || len(d.Cells()) != 3 {
		t.Error("undo left the merged outputs")
	}
}

func TestSplitAndMergeThatCannotBe(t *testing.T) {
	d := New()
	key := d.Cells()[0].Key
	if _, err := d.Merge(key); !errors.Is(err, ErrOneCell) {
		t.Error(err)
	}
	if _, err := d.Merge(); !errors.Is(err, ErrOneCell) {
		t.Error(err)
	}
	for _, at := range [][]int{{1}, {-1}} {
		if _, err := d.Split(key, at...); err == nil {
			t.Errorf("split at %d", at)
		}
	}
	if _, err := d.Split("nosuch", 0); !errors.Is(err, ErrNoCell) {
		t.Error(err)
	}
	if _, err := d.Merge(key, "nosuch"); !errors.Is(err, ErrNoCell) {
		t.Error(err)
	}
}
