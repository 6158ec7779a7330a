package session

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
)

// run is an execution as the session knows it, its own and those of others.
type run struct {
	cell  notebook.CellKey // "" for one that belongs to no cell of the document
	seq   uint64           // of its Queued, 0 until that came
	began bool
	ended bool
	lost  bool // it was given up because its host seemed not to know it
	past  bool // it was queued before the session joined its context
	whole bool // since the last Joined it came from its beginning
}

// replay is the way from a Joined to the newest event that there was at that time. Runs are
// kept whole or not at all, so taking one over once more changes nothing.
type replay struct {
	active  bool
	until   uint64                 // Seq of that newest event, 0 while it is not known
	had     uint64                 // the file has the outputs of runs that ended by this Seq
	seen    uint64                 // Seq that was reached before the Joined
	touched map[event.CellKey]bool // cells whose outputs the file may have
	doubt   map[event.ExecID]bool  // runs under way that were not heard of since the Joined
	aside   int                    // runs that belong to no cell
}

// awaitJoined says that a Joined is to come.
func (s *Session) awaitJoined() { s.replay = replay{active: true, until: math.MaxUint64} }

// joined begins the replay of a log.
func (s *Session) joined(epoch string) {
	s.replay = replay{active: true, seen: s.seq, touched: map[event.CellKey]bool{}, doubt: map[event.ExecID]bool{}}
	for id, r := range s.runs {
		r.whole = false
		if !r.ended && s.epoch != "" {
			s.replay.doubt[id] = true
		}
	}
	s.epoch, s.seq = epoch, 0
	mark := s.ctx.Info().Saved
	if s.opt.Sum == "" || mark.SHA256 != s.opt.Sum {
		return
	}
	if mark.Cursor.Epoch == epoch {
		s.replay.had = mark.Cursor.Seq
	}
	if len(mark.Cells) == len(s.fileCells) {
		for i, key := range s.fileCells {
			s.pair(mark.Cells[i], notebook.CellKey(key))
		}
	}
}

// pair says that the context knows a cell by another name than the document.
func (s *Session) pair(host event.CellKey, key notebook.CellKey) {
	if _, known := s.toDoc[host]; known {
		return
	}
	if _, known := s.toHost[key]; known {
		return
	}
	s.toDoc[host], s.toHost[key] = key, host
}

// hostKey is the name that the context knows a cell by.
func (s *Session) hostKey(key notebook.CellKey) event.CellKey {
	if host, ok := s.toHost[key]; ok {
		return host
	}
	return event.CellKey(key)
}

// docKey is the cell of the document that the context calls host: the one that stands for
// it in the same file, the session's own, else the first one that has this code and no
// other name. "" means that there is none.
func (s *Session) docKey(host event.CellKey, code string) notebook.CellKey {
	if key, ok := s.toDoc[host]; ok {
		return key
	}
	own := notebook.CellKey(host)
	if s.doc.Knows(own) {
		s.pair(host, own)
		return own
	}
	for _, c := range s.doc.Cells() {
		_, named := s.toHost[c.Key]
		if !named && c.Type == notebook.Code && c.Source == code && strings.TrimSpace(code) != "" {
			s.pair(host, c.Key)
			return c.Key
		}
	}
	return ""
}

// queued takes note of a run and returns its beginning in the document's words.
func (s *Session) queued(e event.Event, q event.Queued) event.Queued {
	r := s.runs[e.Exec]
	delete(s.replay.doubt, e.Exec)
	if r == nil {
		r = &run{past: s.replay.active}
		s.runs[e.Exec] = r
		s.active++
	}
	r.seq = e.Seq
	if r.lost { // it is known after all
		r.lost, r.ended = false, false
		s.active++
		s.adopt(e.Exec, r.cell, q)
	}
	if r.cell == "" {
		if r.cell = s.docKey(q.Cell, q.Code); r.cell == "" {
			s.replay.aside++
			return q // under a name that no cell has
		}
		s.adopt(e.Exec, r.cell, q)
	}
	q.Cell = event.CellKey(r.cell)
	return q
}

// adopt takes over a run that another session handed over.
func (s *Session) adopt(id event.ExecID, key notebook.CellKey, q event.Queued) {
	if c := s.doc.Cell(key); c != nil && s.shown[key] == nil {
		s.load(c)
	}
	s.order++
	s.status[key] = &CellStatus{Phase: Queued, Order: s.order, code: q.Code, exec: id, group: q.Group}
}

// known tells whether an event says what was taken in before: output that came late, of a
// run that is not kept whole any more.
func (s *Session) known(r *run, e event.Event) bool {
	return r != nil && e.Late && s.replay.active && !r.whole && e.Seq <= s.replay.seen
}

// quiet tells whether the file may have what an event puts out.
func (s *Session) quiet(e event.Event) bool {
	return s.replay.active && e.Seq <= s.replay.had
}

// advance ends what has to end once an event was taken over.
func (s *Session) advance(c *Changes, touched map[event.CellKey]bool) {
	p := &s.replay
	if !p.active {
		return
	}
	if last := s.ctx.Info().Last; p.until == 0 && last.Epoch == s.epoch {
		p.until = last.Seq
	}
	over := p.until > 0 && s.seq >= p.until
	if len(p.touched) > 0 && (over || s.seq >= p.had) {
		s.settle(touched)
	}
	if !over {
		return
	}
	p.active = false
	for id := range p.doubt {
		s.lost(id, c)
	}
	if p.aside > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("what %s put out belongs to no cell of this file", runs(p.aside)))
	}
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// settle decides about the cells whose outputs the file may have. It has those of a run that
// is over, unless the user took them away; what still runs is to be shown.
func (s *Session) settle(touched map[event.CellKey]bool) {
	for key := range s.replay.touched {
		c := s.doc.Cell(notebook.CellKey(key))
		st := s.status[notebook.CellKey(key)]
		switch {
		case c == nil:
		case st != nil && st.Phase.Pending():
			touched[key] = true
		case len(s.set.Outputs(key)) != len(c.Outputs()):
			s.load(c)
		}
	}
	clear(s.replay.touched)
}

// lost ends a run that its host does not know: it ended before it wrote the run down.
func (s *Session) lost(id event.ExecID, c *Changes) {
	r := s.runs[id]
	r.lost, r.ended = true, true
	s.active--
	end := event.Ended{Reason: event.Lost, Detail: "the host's process ended before it had noted this run; run it again"}
	if st := s.status[r.cell]; st != nil && st.exec == id {
		st.Phase, st.Ended, st.Detail = phaseOf(end.Reason, true), time.Now(), end.Detail
		c.Cells = append(c.Cells, r.cell)
	}
	c.Ended = append(c.Ended, Ended{Cell: r.cell, Ended: end})
}

// Rematch takes over again what the kernel put out since the last save: after the document
// was made another version of itself, whose outputs may be older, and which may have the
// cells of runs that belonged to none.
func (s *Session) Rematch() {
	if s.stream != nil {
		s.awaitJoined()
		s.stream.restart()
	}
}
