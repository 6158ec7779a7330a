package notebook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
)

// historyBytes bounds what the undo history keeps; the oldest steps go first.
const historyBytes = 64 << 20

// The errors of Undo and Redo at the ends of the history.
var (
	ErrNothingToUndo = errors.New("nothing to undo")
	ErrNothingToRedo = errors.New("nothing to redo")
)

// step is what one undo takes back.
type step struct {
	label         string
	group         string   // the typing group that may still join; "" for none
	changes       []change // the inverses, in the order to apply them
	before, after uint64   // Document.state on both sides
	size          int
}

type history struct {
	undo, redo []step
	size       int // of undo
	limit      int
	typing     bool // the last undo step is open for more typing
}

// Place is where an undo or redo changed something: Key is "" in a document without cells.
type Place struct {
	Key   CellKey
	Label string // what the step was called
}

// Do applies ops as one undo step. If one of them cannot be, none is. Ops that change
// nothing make no step.
func (d *Document) Do(label string, ops ...Op) error {
	if err := d.writable(); err != nil {
		return err
	}
	d.history.typing = false
	var inverses []change
	for _, op := range ops {
		changes, err := op.changes(d)
		if err != nil {
			d.apply(inverses)
			return fmt.Errorf("%s: %w", strings.ToLower(label), err)
		}
		inverses = append(d.apply(changes), inverses...)
	}
	if len(inverses) > 0 {
		d.push(step{label: label, changes: inverses})
	}
	return nil
}

// Type edits a cell's source and joins the open typing step if that is of the same group
// (a caller's word, "" never joins). Do, Undo, Redo and MarkSaved close the step.
func (d *Document) Type(group string, key CellKey, s Splice) error {
	open := d.history.typing
	if err := d.writable(); err != nil {
		return err
	}
	changes, err := Edit{Key: key, Splice: s}.changes(d)
	if err != nil || len(changes) == 0 {
		return err
	}
	inverses := d.apply(changes)
	last := len(d.history.undo) - 1
	if !open || group == "" || d.history.undo[last].group != group {
		d.push(step{label: "typing", group: group, changes: inverses})
		d.history.typing = group != ""
		return nil
	}
	st := &d.history.undo[last]
	st.after = d.tickState()
	if !st.join(inverses[0]) {
		st.changes = append(inverses, st.changes...)
	}
	d.resize(st)
	return nil
}

// join folds the inverse of a further edit into the step's last one where they touch.
func (st *step) join(inverse change) bool {
	last, ok1 := st.changes[0].(*textual)
	next, ok2 := inverse.(*textual)
	if !ok1 || !ok2 || last.key != next.key {
		return false
	}
	switch {
	case next.new == "" && next.from == last.from+len(last.old): // typed on
		last.old += next.old
	case next.new != "" && next.old == "" && last.old == "" && next.from+len(next.new) == last.from: // rubbed out leftwards
		last.from, last.new = next.from, next.new+last.new
	default:
		return false
	}
	return true
}

func (d *Document) tickState() uint64 {
	d.state = d.tick()
	return d.state
}

func (d *Document) push(st step) {
	h := &d.history
	st.before = d.state
	st.after = d.tickState()
	h.redo = nil
	h.undo = append(h.undo, st)
	d.resize(&h.undo[len(h.undo)-1])
	d.prune()
}

// resize counts a step anew and lets the oldest go past the limit; the newest stays.
func (d *Document) resize(st *step) {
	h := &d.history
	h.size -= st.size
	st.size = 64
	for _, c := range st.changes {
		st.size += c.size(d)
	}
	h.size += st.size
	for h.size > h.limit && len(h.undo) > 1 {
		h.size -= h.undo[0].size
		h.undo = h.undo[1:]
	}
}

// prune forgets removed cells that no step can bring back.
func (d *Document) prune() {
	if len(d.removed) == 0 {
		return
	}
	kept := map[CellKey]*Cell{}
	for _, list := range [][]step{d.history.undo, d.history.redo} {
		for _, st := range list {
			for _, c := range st.changes {
				for _, k := range brings(c) {
					if cell := d.removed[k]; cell != nil {
						kept[k] = cell
					}
				}
			}
		}
	}
	d.removed = kept
}

// brings lists the cells that a change puts back.
func brings(c change) []CellKey {
	switch c := c.(type) {
	case *insertion:
		return c.keys
	case *exchange:
		keys := make([]CellKey, len(c.cells))
		for i, cell := range c.cells {
			keys[i] = cell.Key
		}
		return keys
	}
	return nil
}

// CanUndo tells whether Undo has a step to take back.
func (d *Document) CanUndo() bool { return len(d.history.undo) > 0 }

// CanRedo tells whether Redo has a step to bring back.
func (d *Document) CanRedo() bool { return len(d.history.redo) > 0 }

// Undo takes the last step back. Outputs of runs stay.
func (d *Document) Undo() (Place, error) {
	h := &d.history
	if len(h.undo) == 0 {
		return Place{}, ErrNothingToUndo
	}
	h.typing = false
	st := h.undo[len(h.undo)-1]
	h.undo = h.undo[:len(h.undo)-1]
	h.size -= st.size
	place := d.replay(&st)
	d.state = st.before
	h.redo = append(h.redo, st)
	return place, nil
}

// Redo brings the last undone step back.
func (d *Document) Redo() (Place, error) {
	h := &d.history
	if len(h.redo) == 0 {
		return Place{}, ErrNothingToRedo
	}
	h.typing = false
	st := h.redo[len(h.redo)-1]
	h.redo = h.redo[:len(h.redo)-1]
	place := d.replay(&st)
	d.state = st.after
	h.undo = append(h.undo, st)
	h.size += st.size
	return place, nil
}

// replay applies a step's changes and turns it round.
func (d *Document) replay(st *step) Place {
	place := Place{Label: st.label, Key: d.placeOf(st.changes)}
	st.changes = d.apply(st.changes)
	if d.byKey[place.Key] == nil {
		place.Key = ""
		if at := st.changes[0].place(); len(d.cells) > 0 {
			place.Key = d.cells[min(at, len(d.cells)-1)].Key
		}
	}
	return place
}

// placeOf names the first cell that changes touch.
func (d *Document) placeOf(changes []change) CellKey {
	for i := len(changes) - 1; i >= 0; i-- {
		if k := changes[i].cell(); k != "" {
			return k
		}
	}
	return ""
}

// apply applies changes in order and returns their inverses in the order to apply those.
func (d *Document) apply(changes []change) []change {
	inverses := make([]change, len(changes))
	for i, c := range changes {
		inverses[len(changes)-1-i] = c.apply(d)
	}
	return inverses
}

// held is how many bytes a removed cell keeps alive, beside the file's.
func held(c *Cell) int {
	if c == nil {
		return 0
	}
	n := len(c.Source) + 256
	if c.outputs.raw == nil {
		n += outputBytes(c.outputs.list)
	}
	return n
}

func outputBytes(list []mime.Output) int {
	n := 0
	for _, o := range list {
		switch b := o.Body.(type) {
		case *mime.Stream:
			n += int(b.Text.Len())
		case *mime.Held:
			n += int(b.Memory())
		default:
			n += int(mime.Size(b))
		}
	}
	return n
}
