package kernelclient

import (
	"slices"

	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	keptEnds     = 256       // runs whose beginning and end stay when the rest of them goes
	keptCode     = 128 << 10 // bytes of their code
	keptDisplays = 64        // runs that stay whole because they show something under an id
	keptShown    = 8 << 20   // bytes of those
)

// compact drops what a file has: all of the runs that had ended by upTo. Runs that wait or
// run stay whole, from Queued on. Of the newest others their Queued and Ended stay: late
// output still finds its cell, and who joins sees what was run. Runs that made displays
// with an id stay whole too, as an update of them can come at any time.
func (s *store) compact(upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seal()
	c := survey(s.records, upTo)
	kept := s.records[:0]
	for _, r := range s.records {
		if c.keeps(r.event) {
			kept = append(kept, r)
			continue
		}
		s.gone(r)
	}
	if len(kept) < len(s.records) {
		s.keep(kept)
	}
}

// keep makes kept the records; it may be a part of them in the same memory. mu is held.
func (s *store) keep(kept []record) {
	s.records = slices.Clip(slices.Clone(kept)) // a long run's list is not kept for a short rest
	s.era++
	s.spills.renew(s.records)
}

// compaction says what can go.
type compaction struct {
	upTo  uint64
	ended map[event.ExecID]uint64 // Seq of the Ended of those runs that a file has
	ends  map[event.ExecID]bool   // of these the beginning and the end stay
	whole map[event.ExecID]bool   // these stay
	shown map[string]uint64       // Seq of the last update of each display of the whole ones
	state uint64                  // Seq of the last state
}

// survey looks at all records before any goes.
func survey(records []record, upTo uint64) *compaction {
	c := &compaction{
		upTo: upTo, ended: map[event.ExecID]uint64{}, ends: map[event.ExecID]bool{},
		whole: map[event.ExecID]bool{}, shown: map[string]uint64{},
	}
	sizes, ids, code := map[event.ExecID]int64{}, map[event.ExecID][]string{}, map[event.ExecID]int{}
	for _, r := range records {
		e := r.event
		sizes[e.Exec] += payload(e.Body) + r.away.size()
		switch b := e.Body.(type) {
		case event.Queued:
			code[e.Exec] = len(b.Code)
		case event.Display:
			if b.ID != "" {
				ids[e.Exec] = append(ids[e.Exec], b.ID)
			}
		case event.Ended:
			if e.Seq <= upTo {
				c.ended[e.Exec] = e.Seq
			}
		case event.State:
			c.state = e.Seq
		}
	}
	c.choose(sizes, ids, code)
	for _, r := range records {
		if u, ok := r.event.Body.(event.Update); ok && r.event.Seq <= upTo {
			if _, mine := c.shown[u.ID]; mine {
				c.shown[u.ID] = r.event.Seq
			}
		}
	}
	return c
}

// choose picks the runs that stay, the newest first.
func (c *compaction) choose(sizes map[event.ExecID]int64, ids map[event.ExecID][]string, code map[event.ExecID]int) {
	newest := make([]event.ExecID, 0, len(c.ended))
	for exec := range c.ended {
		newest = append(newest, exec)
	}
	slices.SortFunc(newest, func(a, b event.ExecID) int {
		if c.ended[a] > c.ended[b] {
			return -1
		}
		return 1
	})
	var shown int64
	var codes int
	for _, exec := range newest {
		if codes += code[exec]; len(c.ends) < keptEnds && codes <= keptCode {
			c.ends[exec] = true
		}
		if len(ids[exec]) == 0 || len(c.whole) == keptDisplays || shown+sizes[exec] > keptShown {
			continue
		}
		c.whole[exec] = true
		shown += sizes[exec]
		for _, id := range ids[exec] {
			c.shown[id] = 0
		}
	}
}

// keeps tells whether an event stays.
func (c *compaction) keeps(e event.Event) bool {
	if e.Seq > c.upTo || c.whole[e.Exec] {
		return true
	}
	switch b := e.Body.(type) {
	case event.Queued, event.Ended:
		if c.ends[e.Exec] {
			return true
		}
	case event.Update:
		if seq, mine := c.shown[b.ID]; mine {
			return e.Seq == seq
		}
	case event.State:
		return e.Seq == c.state
	}
	_, over := c.ended[e.Exec]
	return e.Exec != "" && !over
}
