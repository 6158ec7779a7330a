package kernelclient

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// follower implements Stream.
type follower struct {
	store  *store
	once   sync.Once
	done   chan struct{}
	missed bool // its cursor is of another log, or before what was dropped
	era    int  // the compactions that it knows of; store.mu guards it

	mu    sync.Mutex // held by the one Next
	after atomic.Uint64
}

func (s *store) follow(after Cursor) *follower {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &follower{store: s, done: make(chan struct{}), era: s.era}
	if after != (Cursor{}) {
		f.missed = after.Epoch != s.epoch || after.Seq < s.dropped || after.Seq > s.last
		f.after.Store(after.Seq)
	}
	s.readers[f] = after.Seq
	return f
}

// Close implements Stream.
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

// Cursor implements Stream.
func (f *follower) Cursor() Cursor { return Cursor{Epoch: f.store.epoch, Seq: f.after.Load()} }

// Next implements Stream.
func (f *follower) Next(ctx context.Context) ([]event.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missed {
		return nil, ErrCompacted
	}
	for {
		records, more, err := f.store.batch(f)
		if len(records) > 0 {
			out := f.store.read(records)
			f.after.Store(out[len(out)-1].Seq)
			f.store.taken(f, f.after.Load())
			return out, nil
		}
		if err != nil {
			return nil, err
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

// batch copies what comes next for f, or returns the channel that closes when more comes.
// What it returns is to be given to read.
func (s *store) batch(f *follower) (records []record, more chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := f.after.Load()
	if f.era != s.era {
		if after > 0 && after < s.dropped {
			f.missed = true
			return nil, nil, ErrCompacted
		}
		f.era = s.era
	}
	begin := s.after(after)
	if begin == len(s.records) {
		if s.ended {
			return nil, nil, io.EOF
		}
		return nil, s.waiting(), nil
	}
	s.seal()
	var size int64
	end := begin
	for ; end < len(s.records) && size < batchBytes && end-begin < batchEvents; end++ {
		r := s.records[end]
		size += payload(r.event.Body) + r.away.size()
	}
	s.spills.reading++
	return append(records, s.records[begin:end]...), nil, nil
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
	seq := s.last
	for _, at := range s.readers {
		seq = min(seq, at)
	}
	n := s.after(seq)
	if n == 0 {
		return
	}
	for _, r := range s.records[:n] {
		s.gone(r)
	}
	s.scanned = max(s.scanned, s.dropped)
	s.records = slices.Delete(s.records, 0, n)
}
