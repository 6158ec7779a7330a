package kernelclient

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

const (
	storeMemory = 64 << 20 // payload bytes kept in memory before the oldest are spilled
	joinBytes   = 32 << 10 // stream chunks are joined in the store up to this size
	batchBytes  = 4 << 20  // what one Next returns at most, roughly
	batchEvents = 8192
)

// store is the numbered record of a context's events: written by Emit, read by any number
// of followers. Appending never waits for a reader or for the disk; past storeMemory a
// goroutine of the Log moves the oldest payloads to a spill file.
type store struct {
	spill   spill.File
	forget  bool          // drop what every open follower has taken
	pressed chan struct{} // has room for one: memory is over its bound

	mu      sync.Mutex // guards all below
	records []record   // records[i] has Seq first+i+1
	first   uint64     // how many records were dropped before these
	tail    []byte     // text of the last record while it is an unsealed stream
	open    bool       // the last record may still grow
	memory  int64
	scanned uint64        // records up to this Seq hold nothing more to spill
	more    chan struct{} // nil while nobody waits; closed when something was appended
	ended   bool
	readers map[*follower]uint64 // up to which Seq each has taken; the spill file outlives end for them
}

type record struct {
	event event.Event
	away  *away // where its payload is, if it was spilled
}

// newStore returns an empty store. Its owner runs relieve in a goroutine.
func newStore(forget bool) *store {
	return &store{forget: forget, pressed: make(chan struct{}, 1), readers: map[*follower]uint64{}}
}

// append numbers an event and stores it, or joins it to the stream text before it that no one has seen yet.
func (s *store) append(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.memory += payload(e.Body)
	if !s.join(e) {
		s.seal()
		e.Seq = s.last() + 1
		s.records = append(s.records, record{event: e})
		if st, ok := e.Body.(event.Stream); ok && len(st.Text) < joinBytes {
			s.open = true
			s.tail = append(s.tail[:0], st.Text...)
		}
	}
	s.tell()
	if s.memory > storeMemory {
		select {
		case s.pressed <- struct{}{}:
		default:
		}
	}
}

// last is the Seq of the newest record. mu is held.
func (s *store) last() uint64 { return s.first + uint64(len(s.records)) }

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
		s.tell()
		s.letGo()
	}
}

// letGo removes the spill file when nobody can need it any more. mu is held.
func (s *store) letGo() {
	if s.ended && len(s.readers) == 0 {
		_ = s.spill.Close() // what it held is lost either way
	}
}

// follower implements Stream.
type follower struct {
	store *store
	once  sync.Once
	done  chan struct{}

	mu    sync.Mutex // guards after
	after uint64
}

func (s *store) follow(after Cursor) *follower {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &follower{store: s, after: max(uint64(after), s.first), done: make(chan struct{})}
	s.readers[f] = f.after
	return f
}

func (f *follower) Close() error {
	f.once.Do(func() {
		close(f.done)
		f.store.mu.Lock()
		defer f.store.mu.Unlock()
		delete(f.store.readers, f)
		f.store.drop()
		f.store.letGo()
	})
	return nil
}

func (f *follower) Next(ctx context.Context) ([]event.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		records, more, ended := f.store.batch(f.after)
		if len(records) > 0 {
			f.after = records[len(records)-1].event.Seq
			out := f.store.read(records)
			f.store.taken(f, f.after)
			return out, nil
		}
		if ended {
			return nil, io.EOF
		}
		select {
		case <-more:
		case <-f.done:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// taken notes how far a follower is, and drops what nobody needs any more.
func (s *store) taken(f *follower, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.readers[f]; open {
		s.readers[f] = seq
		s.drop()
	}
}

// drop forgets the records that all open followers have taken, if that is wanted. Without
// a follower everything stays for the one to come. mu is held.
func (s *store) drop() {
	if !s.forget || len(s.readers) == 0 {
		return
	}
	seq := s.last()
	for _, at := range s.readers {
		seq = min(seq, at)
	}
	if seq <= s.first {
		return
	}
	n := seq - s.first
	for _, r := range s.records[:n] {
		s.memory -= payload(r.event.Body)
	}
	s.records = slices.Delete(s.records, 0, int(n))
	s.first, s.scanned = seq, max(s.scanned, seq)
}

// batch copies what came after a Seq, or returns the channel that closes when more comes.
func (s *store) batch(after uint64) (records []record, more chan struct{}, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after >= s.last() {
		if s.more == nil && !s.ended {
			s.more = make(chan struct{})
		}
		return nil, s.more, s.ended
	}
	s.seal()
	var size int64
	begin := after - s.first
	end := begin
	for ; end < uint64(len(s.records)) && size < batchBytes && end-begin < batchEvents; end++ {
		r := s.records[end]
		size += payload(r.event.Body) + r.away.size()
	}
	return append(records, s.records[begin:end]...), nil, false
}

// read reads back what was spilled and joins adjacent stream text.
func (s *store) read(records []record) []event.Event {
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
		e := s.restore(r)
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
