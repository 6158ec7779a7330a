package editor

import (
	"slices"
	"testing"
	"time"

	"github.com/nbterm/nbterm/notebook"
)

// recorder keeps a document's cell beside an editor, as a program does.
type recorder struct {
	t   *testing.T
	e   *Editor
	doc *notebook.Document
	g   Grouper
	now time.Time
}

func newRecorder(t *testing.T) *recorder {
	return &recorder{t: t, e: New("", Options{Language: "python"}), doc: notebook.New(), now: time.Unix(0, 0)}
}

func (r *recorder) cell() *notebook.Cell { return r.doc.Cells()[0] }

func (r *recorder) record(ed Edit) {
	r.t.Helper()
	r.now = r.now.Add(50 * time.Millisecond)
	key := r.cell().Key
	var err error
	if group := r.g.Group(ed, r.now); group != "" {
		c := ed.Changes[0]
		err = r.doc.Type(group, key, notebook.Splice{From: c.From, To: c.To, Text: c.Text})
	} else {
		var ops []notebook.Op
		for _, c := range ed.Changes {
			ops = append(ops, notebook.Edit{Key: key, Splice: notebook.Splice{From: c.From, To: c.To, Text: c.Text}})
		}
		err = r.doc.Do(ed.Label, ops...)
	}
	if err != nil || r.cell().Source != r.e.Text() {
		r.t.Fatalf("%v: document %q, editor %q", err, r.cell().Source, r.e.Text())
	}
}

func (r *recorder) undo() string {
	if _, err := r.doc.Undo(); err != nil {
		return err.Error()
	}
	r.e.Restore(r.cell().Source)
	return r.e.Text()
}

// TestUndoThroughDocument takes edits back step by step in the document's history.
func TestUndoThroughDocument(t *testing.T) {
	r := newRecorder(t)
	for _, c := range "if ab:\nf(x)" {
		r.record(r.e.Insert(string(c)))
	}
	r.record(r.e.Paste("\r\n\tpasted\r\n"))
	r.e.SetCursor(Pos{1, 0})
	r.record(r.e.MoveLines(false))
	r.record(r.e.ToggleComment())
	var got []string
	for range 7 {
		got = append(got, r.undo())
	}
	want := []string{
		"    f(x)\nif ab:\n\tpasted\n",
		"if ab:\n    f(x)\n\tpasted\n",
		"if ab:\n    f(x)",
		"if ab:",
		"if ",
		"",
		notebook.ErrNothingToUndo.Error(),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if r.e.Cursor() != (Pos{}) {
		t.Error("the cursor stayed behind")
	}
}
