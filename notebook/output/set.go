package output

import (
	"slices"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

// Set is the outputs of all cells. One goroutine owns it; the lists that Outputs returns
// may be read anywhere. Create it with NewSet.
type Set struct {
	spill    *spill.File
	limit    int64
	cells    map[event.CellKey]*cell
	runs     map[event.ExecID]event.CellKey
	displays map[string][]place
	fresh    int64 // bytes taken in since the last relieve, so at most that many are in memory
	full     bool  // the disk refused: all stays in memory
}

type cell struct {
	outs    []mime.Output
	lent    int   // outs[:lent] was handed out and may not be changed in place
	bytes   int64 // what outs count towards the limit
	dropped int64 // what whole outputs had that were given up
	mark    int   // the place in outs of the mark that says so, if there is one
	count   int
	pending bool   // a clear waits for the next output
	parted  bool   // an input() was closed: what comes next is an output of its own
	life    uint64 // changes whenever outs is emptied, so that places in it go stale
}

// place is where a display with an id stands.
type place struct {
	cell  event.CellKey
	life  uint64
	index int
}

// NewSet returns an empty Set. What all outputs together have beyond InMemory bytes spills
// into s, nil keeps it in memory. Of a cell that puts out more than limit bytes the middle
// goes; 0 is DefaultLimit, less is no limit.
func NewSet(s *spill.File, limit int64) *Set {
	if limit == 0 {
		limit = DefaultLimit
	}
	return &Set{
		spill: s, limit: limit, cells: map[event.CellKey]*cell{},
		runs: map[event.ExecID]event.CellKey{}, displays: map[string][]place{},
	}
}

func (s *Set) cell(key event.CellKey) *cell {
	c := s.cells[key]
	if c == nil {
		c = &cell{}
		s.cells[key] = c
	}
	return c
}

// Begin says that exec is a run of cell. Apply does so for every Queued; the cell keeps
// its outputs until the run is Accepted.
func (s *Set) Begin(cell event.CellKey, exec event.ExecID) { s.runs[exec] = cell }

// Load gives a cell the outputs and count that a document has for it. The list may not
// be changed afterwards.
func (s *Set) Load(key event.CellKey, outs []mime.Output, count int) {
	c := s.cell(key)
	c.empty()
	c.count = count
	c.outs, c.lent = slices.Clip(outs), len(outs)
	for i, o := range outs {
		c.bytes += counted(o)
		if d := displayed(o.Body); d != nil && d.DisplayID != "" {
			s.shown(d.DisplayID, place{key, c.life, i})
		}
	}
}

// Outputs returns a cell's outputs as they are now. The list stays as it is; only the
// text of a stream grows on. The caller may not change it.
func (s *Set) Outputs(key event.CellKey) []mime.Output {
	c := s.cells[key]
	if c == nil {
		return nil
	}
	c.lent = len(c.outs)
	return slices.Clip(c.outs)
}

// Count returns the execution count of a cell's last run, 0 for none yet.
func (s *Set) Count(key event.CellKey) int {
	if c := s.cells[key]; c != nil {
		return c.count
	}
	return 0
}

// Apply folds one event in and names the cells whose outputs or count changed. Output
// of no run, or of one that was never begun, changes nothing but displays by their id.
func (s *Set) Apply(e event.Event) []event.CellKey {
	switch b := e.Body.(type) {
	case event.Queued:
		s.Begin(b.Cell, e.Exec)
		return nil
	case event.Update:
		return s.update(b)
	}
	key, ok := s.runs[e.Exec]
	if !ok || e.Exec == "" {
		return nil
	}
	c := s.cell(key)
	switch b := e.Body.(type) {
	case event.Accepted:
		c.empty()
		c.count = 0
	case event.Started:
		c.count = b.Count
	case event.Ended:
		if b.Count == 0 || b.Count == c.count {
			return nil
		}
		c.count = b.Count
	case event.Clear:
		if b.Wait {
			c.pending = true
			return nil
		}
		c.empty()
	case event.Stream:
		if b.Text == "" {
			return nil
		}
		s.stream(c, b.Name, b.Text)
	case event.Gap:
		s.stream(c, "stderr", "\n["+b.Detail+"]\n")
	case event.InputClosed:
		c.parted = true
		return nil
	case event.Result:
		s.add(c, &mime.Data{Result: true, Count: b.Count, Bundle: b.Data, Metadata: b.Metadata})
	case event.Display:
		s.add(c, &mime.Data{Bundle: b.Data, Metadata: b.Metadata, DisplayID: b.ID})
		if b.ID != "" {
			s.shown(b.ID, place{key, c.life, len(c.outs) - 1})
		}
	case event.Error:
		s.add(c, &mime.Error{Name: b.Name, Value: b.Value, Traceback: b.Traceback})
	default:
		return nil
	}
	s.shorten(key, c)
	return []event.CellKey{key}
}

// empty takes all outputs away, and a waiting clear with them.
func (c *cell) empty() {
	c.outs, c.lent, c.pending, c.parted = nil, 0, false, false
	c.bytes, c.dropped, c.mark = 0, 0, 0
	c.life++
}

func (c *cell) add(b mime.Body) {
	if c.pending {
		c.empty()
	}
	c.parted = false
	c.outs = append(c.outs, mime.Output{Body: b})
	c.bytes += counted(c.outs[len(c.outs)-1])
}

// add holds a body that is large enough for that.
func (s *Set) add(c *cell, b mime.Body) {
	c.add(s.hold(b))
	s.grew(mime.Size(b))
}

// stream appends to the last output if that is the same stream of a run, so that what
// was written in pieces is one output and the order of stdout and stderr stays. What
// follows an answered input() is an output of its own: the answer is shown between them.
func (s *Set) stream(c *cell, name, text string) {
	if n := len(c.outs); n > 0 && !c.pending && !c.parted {
		if last, ok := c.outs[n-1].Body.(*mime.Stream); ok && last.Name == name && c.outs[n-1].Raw == nil {
			last.Text.Append(text)
			c.bytes += int64(len(text))
			s.grew(int64(len(text)))
			return
		}
	}
	t := mime.NewText(s.spill)
	t.Append(text)
	c.add(&mime.Stream{Name: name, Text: t})
	s.grew(int64(len(text)))
}

func (s *Set) live(p place) bool { return s.cells[p.cell] != nil && s.cells[p.cell].life == p.life }

// shown remembers where a display stands. Stale places are swept out whenever the list
// has doubled, so that a loop that clears and displays under one id costs nothing extra.
func (s *Set) shown(id string, p place) {
	list := s.displays[id]
	if len(list) == cap(list) {
		list = slices.DeleteFunc(list, func(p place) bool { return !s.live(p) })
	}
	s.displays[id] = append(list, p)
}

func (s *Set) update(u event.Update) []event.CellKey {
	if u.ID == "" {
		return nil
	}
	list := slices.DeleteFunc(s.displays[u.ID], func(p place) bool { return !s.live(p) })
	if len(list) == 0 {
		delete(s.displays, u.ID)
		return nil
	}
	s.displays[u.ID] = list
	var changed []event.CellKey
	for _, p := range list {
		c := s.cells[p.cell]
		if p.index < c.lent {
			c.outs, c.lent = slices.Clone(c.outs), 0
		}
		n := *displayed(c.outs[p.index].Body)
		n.Bundle, n.Metadata = u.Data, u.Metadata
		c.bytes += mime.Size(&n) - mime.Size(c.outs[p.index].Body)
		c.outs[p.index] = mime.Output{Body: s.hold(&n)}
		s.grew(mime.Size(&n))
		if !slices.Contains(changed, p.cell) {
			changed = append(changed, p.cell)
		}
	}
	return changed
}
