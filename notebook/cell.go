package notebook

import (
	"strings"
	"sync"

	"github.com/nbterm/nbterm/notebook/ipynb"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// CellKey is nbterm's own identity of a cell in a document. It is never the nbformat id:
// older files have none, and files with twins exist. Two documents have no key in common,
// not even those of two programs: a kernel may be used by both.
type CellKey string

// CellType is what a cell is for. Types that nbformat 4 does not have are kept.
type CellType string

// The types of nbformat 4.
const (
	Code     CellType = "code"
	Markdown CellType = "markdown"
	Raw      CellType = "raw"
)

// Cell is one cell at one moment. It is immutable: a change makes a new Cell with the
// same Key and another Version. It may be used from any goroutine.
type Cell struct {
	Key     CellKey
	Type    CellType
	Source  string // \n line ends only
	ID      string // nbformat's id, "" for none
	Count   int    // execution count, 0 for none
	Version uint64 // differs between any two states of any cell of a document

	from     int // index in the file that was read, -1 for none
	outputs  *outputs
	metadata rawjson.Value
	attached rawjson.Value
}

// outputs is a cell's outputs: the file's list, split when first asked for, or a run's.
type outputs struct {
	raw   rawjson.Value
	split sync.Once
	list  []mime.Output
}

func (o *outputs) all() []mime.Output {
	o.split.Do(func() {
		if o.raw != nil {
			o.list = mime.ReadOutputs(o.raw)
		}
	})
	return o.list
}

// Outputs returns the cell's outputs. The caller may not change the list.
func (c *Cell) Outputs() []mime.Output { return c.outputs.all() }

// Attachments returns the files attached to a markdown or raw cell, an object of MIME
// bundles by file name; nil for none.
func (c *Cell) Attachments() rawjson.Value { return c.attached }

// Metadata returns the cell's metadata as the file has it, nil for none.
func (c *Cell) Metadata() rawjson.Value { return c.metadata }

// NewCell is what a cell to be inserted is made of.
type NewCell struct {
	Type        CellType
	Source      string
	Metadata    rawjson.Value // an object; nil for {}
	Attachments rawjson.Value // not for code cells
	Outputs     []mime.Output // code cells only
	Count       int
}

// readCell makes the cell of a document from that of a file.
func (d *Document) readCell(c ipynb.Cell, from int) *Cell {
	return &Cell{
		Key: d.newKey(), Type: CellType(c.Type), Source: c.Text(), ID: c.ID.Str(), Count: c.Count, Version: d.tick(),
		from: from, outputs: &outputs{raw: c.Outputs}, metadata: c.Metadata, attached: c.Attachments,
	}
}

// makeCell makes a cell that no file has yet.
func (d *Document) makeCell(n NewCell) *Cell {
	c := &Cell{
		Key: d.newKey(), Type: n.Type, Source: lineFeeds(n.Source), Version: d.tick(), from: -1,
		outputs: &outputs{}, metadata: n.Metadata, attached: n.Attachments,
	}
	if n.Type == Code {
		c.outputs.list, c.Count, c.attached = n.Outputs, n.Count, nil
	}
	if d.file.HasIDs() {
		c.ID = d.newID()
	}
	return c
}

func lineFeeds(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
