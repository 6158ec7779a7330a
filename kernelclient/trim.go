package kernelclient

import (
	"fmt"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// trimKeep is how much of a run's output stays at least, half of it at either end.
const trimKeep = 2 << 20

// trim brings what is kept below its limit. First goes what later events made needless;
// then the oldest runs lose the middle of their output, those that still run last of all.
// A Gap stands where something is missing.
func (s *store) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tooLong() {
		return
	}
	s.seal()
	s.needless()
	over, open := s.runs()
	for _, exec := range append(over, open...) {
		if need := s.held - s.limit/4*3; need > 0 {
			s.trimRun(exec, need)
		}
	}
	s.trimAt = max(s.limit, s.held+s.limit/8) // what cannot be cut is not looked at all the time
}

// tooLong tells whether trim has something to do. mu is held.
func (s *store) tooLong() bool { return s.limit > 0 && s.held > max(s.limit, s.trimAt) }

// runs are the executions in the order of their beginning, those that ended apart. mu is held.
func (s *store) runs() (over, open []event.ExecID) {
	ended := map[event.ExecID]bool{}
	for _, r := range s.records {
		switch r.event.Body.(type) {
		case event.Queued:
			open = append(open, r.event.Exec)
		case event.Ended:
			ended[r.event.Exec] = true
		}
	}
	open = slices.DeleteFunc(open, func(exec event.ExecID) bool {
		if ended[exec] {
			over = append(over, exec)
		}
		return ended[exec]
	})
	return over, open
}

// needless drops updates that a later one replaced, and what a run put out before it
// cleared its outputs. mu is held.
func (s *store) needless() {
	updated, cleared, output := map[string]bool{}, map[event.ExecID]bool{}, map[event.ExecID]bool{}
	drop := map[uint64]bool{}
	for _, r := range slices.Backward(s.records) {
		e := r.event
		switch b := e.Body.(type) {
		case event.Update:
			drop[e.Seq] = updated[b.ID]
			updated[b.ID] = true
			continue
		case event.Clear:
			drop[e.Seq] = cleared[e.Exec]
			cleared[e.Exec] = cleared[e.Exec] || !b.Wait || output[e.Exec]
			continue
		}
		if isOutput(e.Body) {
			output[e.Exec] = true
			drop[e.Seq] = cleared[e.Exec]
		}
	}
	s.without(drop)
}

// without drops records by their Seq. mu is held.
func (s *store) without(drop map[uint64]bool) {
	kept := s.records[:0:0]
	for _, r := range s.records {
		if drop[r.event.Seq] {
			s.gone(r)
		} else {
			kept = append(kept, r)
		}
	}
	if len(kept) < len(s.records) {
		s.keep(kept)
	}
}

func isOutput(b event.Body) bool {
	switch b.(type) {
	case event.Stream, event.Result, event.Display, event.Error:
		return true
	}
	return false
}

// trimRun drops up to need bytes from the middle of what a run put out. mu is held.
func (s *store) trimRun(exec event.ExecID, need int64) {
	var total int64
	mine := func(r record) bool { return r.event.Exec == exec && (isOutput(r.event.Body) || r.lost > 0) }
	for _, r := range s.records {
		if mine(r) {
			total += weigh(r)
		}
	}
	cut := min(need, total-trimKeep)
	if cut <= 0 {
		return
	}
	var head, lost int64
	half := (total - cut) / 2
	at := -1 // of the first record that went: the mark takes its place
	kept := s.records[:0:0]
	for _, r := range s.records {
		switch {
		case !mine(r):
		case head < half:
			head += weigh(r)
		case cut < weigh(r):
			cut = 0 // one piece is missing, not several
		default: // a mark that was here before becomes part of the new one
			if at < 0 {
				at = len(kept)
				kept = append(kept, r)
			}
			cut -= weigh(r)
			lost += payload(r.event.Body) + r.away.size() + r.lost
			s.gone(r)
			continue
		}
		kept = append(kept, r)
	}
	if at >= 0 {
		kept[at].lost, kept[at].away = lost, nil
		kept[at].event.Body = event.Gap{Detail: fmt.Sprintf("%d bytes of output left out here", lost)}
		s.held += bare
		s.keep(kept)
	}
}
