package notebook

import (
	"bytes"
	"io"
	"slices"

	"github.com/nbterm/nbterm/notebook/ipynb"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Snapshot is a document at one moment. It may be used from any goroutine. Making one
// copies nothing.
type Snapshot struct {
	file         *ipynb.File
	base, cells  []*Cell
	metadata     []ipynb.MetadataEdit
	state, other uint64
}

// Snapshot returns the document as it is now. Only the texts of outputs that still grow
// may be longer when it is written.
func (d *Document) Snapshot() Snapshot {
	return Snapshot{file: d.file, base: d.base, cells: d.cells, metadata: slices.Clip(d.metadata), state: d.state, other: d.other}
}

// Same tells whether t is of the same document, with nothing changed in between. typed is
// true as well where only runs put something out.
func (s Snapshot) Same(t Snapshot) (all, typed bool) {
	typed = s.file == t.file && s.state == t.state
	return typed && s.other == t.other, typed
}

// Dirty tells whether there is anything that the last saved snapshot did not have.
// Undoing back to it makes the document clean again.
func (d *Document) Dirty() bool {
	return d.state != d.saved.state || d.other != d.saved.other
}

// MarkSaved says that s is what the file on disk has. It closes the open typing step.
func (d *Document) MarkSaved(s Snapshot) {
	d.saved.state, d.saved.other = s.state, s.other
	d.history.typing = false
}

// WriteTo writes the notebook file: the bytes that were read, with only what changed put
// in anew. It returns how many bytes it wrote.
func (s Snapshot) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	plan := make([]ipynb.CellPlan, len(s.cells))
	for i, c := range s.cells {
		plan[i] = s.plan(c)
	}
	err := s.file.Write(count, plan, s.metadata...)
	return count.n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// plan says what of c differs from the cell of the file.
func (s Snapshot) plan(c *Cell) ipynb.CellPlan {
	p := ipynb.CellPlan{From: c.from}
	typ := string(c.Type)
	if c.from < 0 {
		p.Type, p.ID, p.Source, p.Count = &typ, &c.ID, &c.Source, &c.Count
		p.Metadata, p.Attachments, p.Outputs = c.metadata, c.attached, c.Outputs()
		if c.ID == "" {
			p.ID = nil
		}
		return p
	}
	was := s.base[c.from]
	if c == was {
		return p
	}
	if c.Type != was.Type {
		p.Type = &typ
	}
	if c.Source != was.Source {
		p.Source = &c.Source
	}
	if c.ID != was.ID {
		p.ID = &c.ID
	}
	if c.Type == Code && c.outputs != was.outputs {
		p.Outputs, p.Count = c.Outputs(), &c.Count
		if p.Outputs == nil {
			p.Outputs = []mime.Output{}
		}
	}
	if c.Type != Code && !bytes.Equal(c.attached, was.attached) {
		if p.Attachments = c.attached; p.Attachments == nil {
			p.Attachments = rawjson.Value("{}")
		}
	}
	return p
}
