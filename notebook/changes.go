package notebook

import (
	"slices"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// change is the smallest thing that can be done and undone. Changes name cells by key and
// touch only what they are about, so that what a run put out meanwhile survives them.
type change interface {
	apply(d *Document) change // does it and returns the inverse; it cannot fail
	cell() CellKey            // a cell it is about
	place() int               // where that is, for changes of the order
	size(d *Document) int     // bytes that keeping it costs
}

// insertion puts removed cells back: keys[i] comes to stand at at[i], which ascends.
type insertion struct {
	at   []int
	keys []CellKey
}

func (c *insertion) apply(d *Document) change {
	cells := slices.Clone(d.cells)
	cells = slices.Grow(cells, len(c.keys))
	merged := make([]*Cell, 0, len(cells)+len(c.keys))
	n := 0
	for i, k := range c.keys {
		for len(merged) < c.at[i] {
			merged = append(merged, cells[n])
			n++
		}
		cell := d.removed[k]
		delete(d.removed, k)
		d.byKey[k] = cell
		merged = append(merged, cell)
	}
	d.cells = append(merged, cells[n:]...)
	return &removal{at: c.at, keys: c.keys}
}

func (c *insertion) cell() CellKey { return c.keys[0] }
func (c *insertion) place() int    { return c.at[0] }

func (c *insertion) size(d *Document) int {
	n := 0
	for _, k := range c.keys {
		n += 32 + held(d.removed[k])
	}
	return n
}

// removal takes cells out: keys[i] stands at at[i], which ascends.
type removal struct {
	at   []int
	keys []CellKey
}

func (c *removal) apply(d *Document) change {
	left := make([]*Cell, 0, len(d.cells))
	n := 0
	for i, cell := range d.cells {
		if n < len(c.at) && c.at[n] == i {
			d.removed[cell.Key] = cell
			delete(d.byKey, cell.Key)
			n++
			continue
		}
		left = append(left, cell)
	}
	d.cells = left
	return &insertion{at: c.at, keys: c.keys}
}

func (c *removal) cell() CellKey        { return c.keys[0] }
func (c *removal) place() int           { return c.at[0] }
func (c *removal) size(d *Document) int { return 32 * len(c.keys) }

// textual replaces old by new at byte from of a cell's source.
type textual struct {
	key      CellKey
	from     int
	old, new string
}

func (c *textual) apply(d *Document) change {
	n := *d.byKey[c.key]
	n.Source = n.Source[:c.from] + c.new + n.Source[c.from+len(c.old):]
	d.put(&n)
	return &textual{key: c.key, from: c.from, old: c.new, new: c.old}
}

func (c *textual) cell() CellKey        { return c.key }
func (c *textual) place() int           { return 0 }
func (c *textual) size(d *Document) int { return 96 + len(c.old) + len(c.new) }

// retype changes a cell's type and what only one of the types has.
type retype struct {
	key      CellKey
	typ      CellType
	outputs  *outputs
	count    int
	attached rawjson.Value
}

func (c *retype) apply(d *Document) change {
	n := *d.byKey[c.key]
	back := &retype{key: c.key, typ: n.Type, outputs: n.outputs, count: n.Count, attached: n.attached}
	n.Type, n.outputs, n.Count, n.attached = c.typ, c.outputs, c.count, c.attached
	d.put(&n)
	return back
}

func (c *retype) cell() CellKey { return c.key }
func (c *retype) place() int    { return 0 }

func (c *retype) size(d *Document) int {
	if c.outputs.raw != nil {
		return 128
	}
	return 128 + outputBytes(c.outputs.list)
}

// clearing exchanges a cell's outputs, but only as long as they are the expected ones: a
// run that came in between is not taken back.
type clearing struct {
	key     CellKey
	expect  *outputs
	outputs *outputs
	count   int
}

func (c *clearing) apply(d *Document) change {
	n := *d.byKey[c.key]
	if n.outputs != c.expect {
		return &clearing{key: c.key, expect: c.outputs, outputs: c.expect, count: n.Count}
	}
	back := &clearing{key: c.key, expect: c.outputs, outputs: n.outputs, count: n.Count}
	n.outputs, n.Count = c.outputs, c.count
	d.put(&n)
	return back
}

func (c *clearing) cell() CellKey { return c.key }
func (c *clearing) place() int    { return 0 }

func (c *clearing) size(d *Document) int {
	if c.outputs.raw != nil {
		return 96
	}
	return 96 + outputBytes(c.outputs.list)
}

// attaching exchanges a cell's attachments.
type attaching struct {
	key      CellKey
	attached rawjson.Value
}

func (c *attaching) apply(d *Document) change {
	n := *d.byKey[c.key]
	back := &attaching{key: c.key, attached: n.attached}
	n.attached = c.attached
	d.put(&n)
	return back
}

func (c *attaching) cell() CellKey        { return c.key }
func (c *attaching) place() int           { return 0 }
func (c *attaching) size(d *Document) int { return 64 + len(c.attached) }
