package kernelclient

import (
	"crypto/rand"
	"sort"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	storeMemory = 64 << 20 // the default bound of memory
	joinBytes   = 32 << 10 // stream chunks are joined in the store up to this size
	batchBytes  = 4 << 20  // what one Next returns at most, roughly
	batchEvents = 8192
	bare        = 100 // what a record takes beside its payload, roughly
)

// store is the numbered record of a context's events: written by Emit, read by any number
// of followers. Appending never waits for a reader or for the disk; past its bound of
// memory a goroutine of the Log moves the oldest payloads to a spill file.
type store struct {
	epoch   string
	bound   int64         // payload bytes kept in memory before the oldest are spilled
	forget  bool          // drop what every open follower has taken
	limit   int64         // bytes kept at all, 0 = no limit
	pressed chan struct{} // has room for one: memory or what is kept is over its bound
	over    chan struct{} // closed by end

	mu      sync.Mutex // guards all below
	records []record   // ascending by Seq; dense but for what was dropped
	last    uint64     // Seq of the newest record that ever was
	dropped uint64     // the highest Seq that was dropped
	era     int        // counts the compactions
	tail    []byte     // text of the last record while it is an unsealed stream
	open    bool       // the last record may still grow
	memory  int64
	held    int64         // weight of all records
	trimAt  int64         // what held has to be for the next trim, if more than limit
	wasted  int64         // weight of those that were dropped since somebody started over
	scanned uint64        // records up to this Seq hold nothing more to spill
	more    chan struct{} // nil while nobody waits; closed when something was appended
	ended   bool
	readers map[*follower]uint64 // up to which Seq each has taken; the spill file outlives end for them
	spills  spills
}

type record struct {
	event event.Event
	away  *away // where its payload is, if it was spilled
	lost  int64 // bytes that this Gap stands for, if trim put it here
}

// newStore returns an empty store. Its owner runs relieve in a goroutine. bound 0 is
// storeMemory, an empty epoch a random one.
func newStore(epoch string, bound int64, forget bool) *store {
	if epoch == "" {
		epoch = rand.Text()
	}
	if bound <= 0 {
		bound = storeMemory
	}
	return &store{
		epoch: epoch, bound: bound, forget: forget,
		pressed: make(chan struct{}, 1), over: make(chan struct{}), readers: map[*follower]uint64{}, spills: newSpills(),
	}
}

// append numbers an event and stores it, or joins it to the stream text before it that no one has seen yet.
func (s *store) append(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if !s.join(e) {
		s.seal()
		e.Seq = s.last + 1
		s.put(e)
		if st, ok := e.Body.(event.Stream); ok && len(st.Text) < joinBytes {
			s.open = true
			s.tail = append(s.tail[:0], st.Text...)
		}
	}
	s.tell()
}

// load takes over an event of an earlier process, with the number that it had.
func (s *store) load(e event.Event) {
	s.mu.Lock()
	s.put(e)
	full := s.memory > s.bound
	s.mu.Unlock()
	if full {
		_ = s.relieve() // what a disk refuses stays in memory, which the Log's own goroutine says
	}
}

// put adds a record behind all others. mu is held.
func (s *store) put(e event.Event) {
	s.records = append(s.records, record{event: e})
	s.last = e.Seq
	s.held += bare
	s.grew(payload(e.Body))
}

// weigh is how many bytes a record stands for, in memory or on disk.
func weigh(r record) int64 { return bare + payload(r.event.Body) + r.away.size() }

// gone counts a record that was dropped. mu is held.
func (s *store) gone(r record) {
	s.memory -= payload(r.event.Body)
	s.held -= weigh(r)
	s.wasted += weigh(r)
	s.dropped = max(s.dropped, r.event.Seq)
}

// grew counts payload that came into memory. mu is held.
func (s *store) grew(n int64) {
	s.memory += n
	s.held += n
	if s.memory > s.bound || s.tooLong() {
		select {
		case s.pressed <- struct{}{}:
		default:
		}
	}
}

// after is the index of the first record behind a Seq. mu is held.
func (s *store) after(seq uint64) int {
	return sort.Search(len(s.records), func(i int) bool { return s.records[i].event.Seq > seq })
}

// cursor is the place of the newest record.
func (s *store) cursor() Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Cursor{Epoch: s.epoch, Seq: s.last}
}

// grown is closed when there is something behind a Seq, and after the end.
func (s *store) grown(seq uint64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last > seq || s.ended {
		c := make(chan struct{})
		close(c)
		return c
	}
	return s.waiting()
}

// waiting is closed when more comes. mu is held.
func (s *store) waiting() chan struct{} {
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return s.more
}

// wasteful tells whether a copy of the log is mostly of what was dropped since it was made.
func (s *store) wasteful() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wasted > s.held+joinBytes
}

// startOver says that the log is copied anew.
func (s *store) startOver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wasted = 0
}

// tell wakes the followers that wait. mu is held.
func (s *store) tell() {
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
}

func (s *store) join(e event.Event) bool {
	if !s.open {
		return false
	}
	last := &s.records[len(s.records)-1].event
	st, ok := e.Body.(event.Stream)
	if !ok || !sameStream(*last, e) || len(s.tail)+len(st.Text) > joinBytes {
		return false
	}
	s.tail = append(s.tail, st.Text...)
	last.Time = e.Time
	s.grew(int64(len(st.Text)))
	return true
}

// seal makes the open stream's text final.
func (s *store) seal() {
	if !s.open {
		return
	}
	last := &s.records[len(s.records)-1].event
	st := last.Body.(event.Stream)
	st.Text = string(s.tail)
	last.Body = st
	s.open = false
}

func sameStream(a, b event.Event) bool {
	x, ok1 := a.Body.(event.Stream)
	y, ok2 := b.Body.(event.Stream)
	return ok1 && ok2 && a.Exec == b.Exec && a.Late == b.Late && x.Name == y.Name
}

// end lets followers read what is there and then gives them io.EOF.
func (s *store) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.over)
		s.tell()
		s.letGo()
	}
}

// read reads back what was spilled and joins adjacent stream text.
func (s *store) read(records []record) []event.Event {
	defer s.readBack()
	out := make([]event.Event, 0, len(records))
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			last := &out[len(out)-1]
			st := last.Body.(event.Stream)
			st.Text += text.String()
			last.Body = st
			text.Reset()
		}
	}
	for _, r := range records {
		e := restore(r)
		if n := len(out) - 1; n >= 0 && sameStream(out[n], e) {
			text.WriteString(e.Body.(event.Stream).Text)
			out[n].Seq, out[n].Time = e.Seq, e.Time
			continue
		}
		flush()
		out = append(out, e)
	}
	flush()
	return out
}
