package notebook

import (
	"fmt"
	"slices"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Op is one operation on a document. The set is closed: the types of this file.
type Op interface {
	changes(d *Document) ([]change, error)
}

// Insert puts new cells before the cell that is at At now; At may be the number of cells.
type Insert struct {
	At    int
	Cells []NewCell
}

// Delete takes cells out. A document may be left without cells.
type Delete struct{ Keys []CellKey }

// Move brings cells together, in their order, so that the first of them stands at To
// among those that do not move.
type Move struct {
	Keys []CellKey
	To   int
}

// SetType makes a cell one of another type. A code cell loses its outputs and count by
// it, another cell its attachments when it becomes code.
type SetType struct {
	Key  CellKey
	Type CellType
}

// Splice replaces the bytes from From to To of a text by Text.
type Splice struct {
	From, To int
	Text     string
}

// Edit changes a stretch of a cell's source.
type Edit struct {
	Key CellKey
	Splice
}

// SetSource gives a cell another source.
type SetSource struct {
	Key    CellKey
	Source string
}

// ClearOutputs takes the outputs and counts of code cells away. Other cells have none.
type ClearOutputs struct{ Keys []CellKey }

// Attach replaces the attachments of a cell that is not code; nil for none.
type Attach struct {
	Key         CellKey
	Attachments rawjson.Value // an object
}

// AddOutputs puts outputs behind those of a code cell. It is for cells that become one;
// what a run puts out goes through SetOutputs.
type AddOutputs struct {
	Key     CellKey
	Outputs []mime.Output
}

func (op Insert) changes(d *Document) ([]change, error) {
	if op.At < 0 || op.At > len(d.cells) {
		return nil, fmt.Errorf("insert at %d: the document has %d cells", op.At, len(d.cells))
	}
	c := &insertion{}
	for i, n := range op.Cells {
		cell := d.makeCell(n)
		d.removed[cell.Key] = cell
		c.at = append(c.at, op.At+i)
		c.keys = append(c.keys, cell.Key)
	}
	if len(c.keys) == 0 {
		return nil, nil
	}
	return []change{c}, nil
}

func (op Delete) changes(d *Document) ([]change, error) {
	c, err := d.removal(op.Keys)
	if err != nil || len(c.keys) == 0 {
		return nil, err
	}
	return []change{c}, nil
}

// removal is the change that takes keys out, in document order.
func (d *Document) removal(keys []CellKey) (*removal, error) {
	want := make(map[CellKey]bool, len(keys))
	for _, k := range keys {
		if d.byKey[k] == nil {
			return nil, fmt.Errorf("cell %s: %w", k, ErrNoCell)
		}
		want[k] = true
	}
	c := &removal{}
	for i, cell := range d.cells {
		if want[cell.Key] {
			c.at = append(c.at, i)
			c.keys = append(c.keys, cell.Key)
		}
	}
	return c, nil
}

func (op Move) changes(d *Document) ([]change, error) {
	out, err := d.removal(op.Keys)
	if err != nil {
		return nil, err
	}
	if op.To < 0 || op.To > len(d.cells)-len(out.keys) {
		return nil, fmt.Errorf("move to %d: %d cells stay", op.To, len(d.cells)-len(out.keys))
	}
	in := &insertion{keys: out.keys}
	for i := range out.keys {
		in.at = append(in.at, op.To+i)
	}
	if slices.Equal(in.at, out.at) {
		return nil, nil
	}
	return []change{out, in}, nil
}

func (op SetType) changes(d *Document) ([]change, error) {
	c := d.byKey[op.Key]
	switch {
	case c == nil:
		return nil, fmt.Errorf("cell %s: %w", op.Key, ErrNoCell)
	case op.Type != Code && op.Type != Markdown && op.Type != Raw:
		return nil, fmt.Errorf("nbformat has no cells of type %q", op.Type)
	case c.Type == op.Type:
		return nil, nil
	}
	n := &retype{key: op.Key, typ: op.Type, outputs: c.outputs, count: c.Count, attached: c.attached}
	if c.Type == Code {
		n.outputs, n.count = &outputs{}, 0
	}
	if op.Type == Code {
		n.attached = nil
	}
	return []change{n}, nil
}

func (op Edit) changes(d *Document) ([]change, error) {
	c := d.byKey[op.Key]
	if c == nil {
		return nil, fmt.Errorf("cell %s: %w", op.Key, ErrNoCell)
	}
	if op.From < 0 || op.To < op.From || op.To > len(c.Source) {
		return nil, fmt.Errorf("edit of bytes %d to %d: cell %s has %d", op.From, op.To, op.Key, len(c.Source))
	}
	t := &textual{key: op.Key, from: op.From, old: c.Source[op.From:op.To], new: lineFeeds(op.Text)}
	if t.old == t.new {
		return nil, nil
	}
	return []change{t}, nil
}

func (op SetSource) changes(d *Document) ([]change, error) {
	c := d.byKey[op.Key]
	if c == nil {
		return nil, fmt.Errorf("cell %s: %w", op.Key, ErrNoCell)
	}
	text := lineFeeds(op.Source)
	head := 0
	for head < min(len(text), len(c.Source)) && text[head] == c.Source[head] {
		head++
	}
	tail := 0
	for tail < min(len(text), len(c.Source))-head && text[len(text)-1-tail] == c.Source[len(c.Source)-1-tail] {
		tail++
	}
	s := Splice{From: head, To: len(c.Source) - tail, Text: text[head : len(text)-tail]}
	return Edit{Key: op.Key, Splice: s}.changes(d)
}

func (op ClearOutputs) changes(d *Document) ([]change, error) {
	var out []change
	for _, k := range op.Keys {
		c := d.byKey[k]
		if c == nil {
			return nil, fmt.Errorf("cell %s: %w", k, ErrNoCell)
		}
		if c.Type == Code && (c.Count != 0 || len(c.Outputs()) > 0) {
			out = append(out, &clearing{key: k, expect: c.outputs, outputs: &outputs{}})
		}
	}
	return out, nil
}

func (op Attach) changes(d *Document) ([]change, error) {
	c := d.byKey[op.Key]
	switch {
	case c == nil:
		return nil, fmt.Errorf("cell %s: %w", op.Key, ErrNoCell)
	case c.Type == Code:
		return nil, fmt.Errorf("cell %s is code: it has no attachments", op.Key)
	}
	return []change{&attaching{key: op.Key, attached: op.Attachments}}, nil
}

func (op AddOutputs) changes(d *Document) ([]change, error) {
	c := d.byKey[op.Key]
	switch {
	case c == nil:
		return nil, fmt.Errorf("cell %s: %w", op.Key, ErrNoCell)
	case c.Type != Code:
		return nil, fmt.Errorf("cell %s is no code: it has no outputs", op.Key)
	case len(op.Outputs) == 0:
		return nil, nil
	}
	list := slices.Concat(c.Outputs(), op.Outputs)
	return []change{&clearing{key: op.Key, expect: c.outputs, outputs: &outputs{list: list}, count: c.Count}}, nil
}
