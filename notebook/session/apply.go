package session

import (
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
)

// Phase is where a cell stands.
type Phase uint8

// The phases. Fresh is a cell that was not run in this session.
const (
	Fresh Phase = iota
	Queued
	Running
	Done
	Failed
	Interrupted
	NotRun // taken out of the queue, or cancelled by a failure before it
	Died   // the kernel ended, was lost or restarted while it ran
)

// Pending tells whether the cell runs or waits.
func (p Phase) Pending() bool { return p == Queued || p == Running }

// CellStatus is how a cell's last run in this session went.
type CellStatus struct {
	Phase Phase
	// Started and Ended are zero until then. They are times of the clock on the wall, as
	// time(1) counts: that for which the machine slept is part of a run. An end that came
	// while this program was stopped (Ctrl-Z) is noted when it goes on.
	Started, Ended time.Time
	Detail         string // of its end, for people
	Order          uint64 // of two cells that wait, the lower one runs first
	code           string // what was handed over
	exec           event.ExecID
	group          string // of the Run that it came with
}

// Edited tells whether a cell's source is another than the one that was run last.
func (st CellStatus) Edited(c *notebook.Cell) bool {
	return st.Phase != Fresh && st.Phase != NotRun && st.code != c.Source
}

// Prompt is an open input().
type Prompt struct {
	Cell     notebook.CellKey
	ID       event.InputID
	Text     string
	Password bool
}

// Changes says what a batch of events changed.
type Changes struct {
	Cells    []notebook.CellKey // outputs, count or status; each once
	State    bool               // the kernel's state
	Prompt   bool               // a prompt opened or closed
	Ended    []Ended
	Edited   []notebook.CellKey // their source was replaced by what they ran; in Cells too
	Inserted []notebook.CellKey // new cells that running code asked for
	Pages    []Page             // to be shown apart
	Payloads []Payload          // instructions that the session does not know
	Notes    []string           // what belongs to no cell: gaps
}

// Ended is the end of one cell's run.
type Ended struct {
	Cell notebook.CellKey // "" for a run that belongs to no cell of the document
	event.Ended
	Past bool // it was handed over before this session joined the kernel
}

// Status tells where a cell stands.
func (s *Session) Status(key notebook.CellKey) CellStatus {
	if st := s.status[key]; st != nil {
		return *st
	}
	return CellStatus{}
}

// Prompt is the open input(), nil if there is none.
func (s *Session) Prompt() *Prompt { return s.prompt }

// Apply takes over a batch of Next: outputs and counts go into the document, the rest
// into the session's own state.
func (s *Session) Apply(batch []event.Event) Changes {
	var c Changes
	touched := map[event.CellKey]bool{}
	s.reload()
	for _, e := range batch {
		s.apply(e, &c, touched)
	}
	s.advance(&c, touched)
	c.Cells = append(c.Cells, c.Edited...)
	for key := range touched {
		cell := notebook.CellKey(key)
		if s.doc.Cell(cell) == nil {
			continue // deleted while it ran
		}
		c.Cells = append(c.Cells, cell)
		// The cell was looked up just now: SetOutputs has no other reason to fail.
		outs := s.set.Outputs(key)
		_ = s.doc.SetOutputs(cell, outs, s.set.Count(key))
		s.shown[cell] = outs
	}
	slices.Sort(c.Cells)
	c.Cells = slices.DeleteFunc(slices.Compact(c.Cells), func(key notebook.CellKey) bool { return s.doc.Cell(key) == nil })
	return c
}

// apply takes over one event. Cells whose outputs or count changed go into touched.
func (s *Session) apply(e event.Event, c *Changes, touched map[event.CellKey]bool) {
	switch b := e.Body.(type) {
	case event.Joined:
		s.joined(b.Epoch)
		return
	case event.Queued:
		e.Body = s.queued(e, b)
	}
	if e.Seq > 0 {
		s.seq = e.Seq
	}
	if len(s.replay.touched) > 0 && !s.quiet(e) {
		s.settle(touched)
	}
	r := s.runs[e.Exec]
	if s.known(r, e) {
		return
	}
	quiet := s.quiet(e)
	if r != nil && r.cell != "" && !r.began && !quiet {
		s.begins(r.cell, e)
	}
	for _, key := range s.set.Apply(e) {
		if quiet {
			s.replay.touched[key] = true
		} else {
			touched[key] = true
		}
	}
	if r != nil && s.track(r, e, c) && r.cell != "" {
		c.Cells = append(c.Cells, r.cell)
	}
	s.general(e, c)
	if r != nil {
		s.answered(r.cell, e.Body)
	}
}

// reload takes over outputs that the user cleared, merged or brought back by undo: what
// comes next goes behind these.
func (s *Session) reload() {
	for key, was := range s.shown {
		c := s.doc.Cell(key)
		if c == nil {
			continue
		}
		if now := c.Outputs(); len(now) != len(was) || len(now) > 0 && &now[0] != &was[0] {
			s.load(c)
		}
	}
}

func (s *Session) load(c *notebook.Cell) {
	s.set.Load(event.CellKey(c.Key), c.Outputs(), c.Count)
	s.shown[c.Key] = c.Outputs()
}

// general takes what concerns the context and not one cell.
func (s *Session) general(e event.Event, c *Changes) {
	switch b := e.Body.(type) {
	case event.State:
		s.state = b
		c.State = true
	case event.Started:
		s.kernelRan()
	case event.InputRequest:
		cell, _ := s.CellOf(e.Exec)
		s.prompt = &Prompt{Cell: cell, ID: b.ID, Text: b.Prompt, Password: b.Password}
		c.Prompt = true
	case event.InputClosed:
		if s.prompt != nil && s.prompt.ID == b.ID {
			s.prompt = nil
		}
		c.Prompt = true
	case event.Payload:
		s.payload(e.Exec, b, c)
	case event.Gap:
		c.Notes = append(c.Notes, b.Detail)
	}
}

// wall leaves out the reading of the clock that stands still while the machine sleeps.
func wall(t time.Time) time.Time { return t.Round(0) }

// track follows a run and reports whether its cell's status changed.
func (s *Session) track(r *run, e event.Event, c *Changes) bool {
	if _, ok := e.Body.(event.Accepted); ok {
		r.began, r.whole = true, true
	}
	if r.ended {
		return false // it is read once more
	}
	st := s.status[r.cell]
	if st == nil || st.exec != e.Exec {
		st = &CellStatus{} // an older run of this cell: its end still counts
	}
	switch b := e.Body.(type) {
	case event.Accepted:
		st.Phase, st.Started = Running, wall(e.Time)
	case event.Ended:
		st.Phase, st.Ended, st.Detail = phaseOf(b.Reason, !st.Started.IsZero()), wall(e.Time), b.Detail
		if st.Started.IsZero() && b.Count > 0 {
			st.Started = st.Ended // when it began is not kept any more
		}
		r.ended = true
		s.active--
		if st.Phase == Failed && !s.opt.GoOn && st.group != "" {
			s.failed = st.group
		}
		c.Ended = append(c.Ended, Ended{Cell: r.cell, Ended: b, Past: r.past})
	default:
		return false
	}
	return true
}

func phaseOf(r event.Reason, started bool) Phase {
	switch r {
	case event.Done:
		return Done
	case event.Failed, event.TimedOut:
		return Failed
	case event.Interrupted:
		return Interrupted
	case event.Cancelled:
		return NotRun
	case event.Restarted:
		if !started {
			return NotRun
		}
		return Died
	default:
		return Died
	}
}

// kernelRan offers the kernel's name to a document that names none.
func (s *Session) kernelRan() {
	if s.ran {
		return
	}
	s.ran = true
	name, display := fileName(s.kernel)
	if name == "" {
		return // a running kernel that nobody knows the name of
	}
	s.doc.KernelRan(name, display, s.kernel.Language, s.ctx.Info().Language)
}
