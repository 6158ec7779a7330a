package notebook

import (
	"bytes"
	"maps"
)

// Adopt makes d what other is: another version of the same notebook, fresh from Parse,
// which is not to be used any more. Cells that both have keep their keys. It is one undo
// step. saved says that other is what the file on disk has; else d is dirty afterwards.
// Cells for which keep is true, because they run, keep the outputs that they have; keep
// may be nil.
func (d *Document) Adopt(label string, other *Document, saved bool, keep func(CellKey) bool) {
	was := d.cells
	base := make([]*Cell, len(other.base))
	cells := make([]*Cell, len(other.base))
	before := make([]*Cell, len(was))
	for i, c := range was {
		before[i] = detached(c)
	}
	kept := false
	for i, m := range Match(was, other.base) {
		n := *other.base[i]
		base[i], cells[i] = &n, &n
		if m < 0 {
			n.Key, n.Version = d.newKey(), d.tick()
			continue
		}
		old := was[m]
		n.Key, n.Version = old.Key, d.tick()
		if sameCell(old, &n) {
			n.outputs, n.Version = old.outputs, old.Version // nothing to draw anew
			before[m] = &n
		} else if keep != nil && keep(n.Key) && n.Type == Code {
			k := n
			k.outputs, k.Count, k.Version = old.outputs, old.Count, d.tick()
			cells[i], kept = &k, true
		}
	}
	for key, c := range d.removed {
		d.removed[key] = detached(c)
	}
	maps.Copy(d.ids, other.ids)
	d.file, d.base, d.metadata = other.file, base, other.metadata
	d.cells = before // the step leads from here
	d.history.typing = false
	d.push(step{label: label, changes: []change{(&exchange{cells: cells}).apply(d)}})
	if saved {
		d.saved.state, d.saved.other = d.state, d.other
	}
	if kept || len(d.metadata) > 0 {
		d.other++
	}
}

// detached is a cell that has no place in the file any more.
func detached(c *Cell) *Cell {
	if c.from < 0 {
		return c
	}
	n := *c
	n.from = -1
	return &n
}

// sameCell tells whether two cells would be written alike.
func sameCell(a, b *Cell) bool {
	return a.Type == b.Type && a.Source == b.Source && a.Count == b.Count && a.ID == b.ID &&
		(a.outputs == b.outputs || a.outputs.raw != nil && bytes.Equal(a.outputs.raw, b.outputs.raw) || a.Type != Code) &&
		bytes.Equal(a.metadata, b.metadata) && bytes.Equal(a.attached, b.attached)
}

// exchange puts other cells in the place of all. What runs put out since stays.
type exchange struct {
	cells []*Cell
	left  map[CellKey]*outputs // of the cells that were there when this was made
}

func (c *exchange) apply(d *Document) change {
	back := &exchange{cells: d.cells, left: map[CellKey]*outputs{}}
	next := make([]*Cell, len(c.cells))
	for i, cell := range c.cells {
		now := d.byKey[cell.Key]
		if now == nil {
			now = d.removed[cell.Key]
		}
		if left, known := c.left[cell.Key]; known && now != nil && now.outputs != left && cell.Type == Code {
			n := *cell
			n.outputs, n.Count, n.Version = now.outputs, now.Count, d.tick()
			cell = &n
		}
		next[i] = cell
		back.left[cell.Key] = cell.outputs
	}
	for _, cell := range d.cells {
		d.removed[cell.Key] = cell
		delete(d.byKey, cell.Key)
	}
	for _, cell := range next {
		delete(d.removed, cell.Key)
		d.byKey[cell.Key] = cell
	}
	d.cells = next
	return back
}

// cell is the first one that differs from what is there without this change.
func (c *exchange) cell() CellKey {
	for _, cell := range c.cells {
		if left, known := c.left[cell.Key]; !known || left != cell.outputs {
			return cell.Key
		}
	}
	if len(c.cells) > 0 {
		return c.cells[0].Key
	}
	return ""
}

func (c *exchange) place() int { return 0 }

func (c *exchange) size(*Document) int {
	n := 0
	for _, cell := range c.cells {
		n += 32 + held(cell)
	}
	return n
}
