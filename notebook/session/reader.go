package session

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// reader follows a context. Wherever its log can only be read anew, which is the case when
// it was shortened or its host is another process, and at the beginning, an event.Joined
// comes first.
type reader struct {
	context kernelclient.Context

	mu     sync.Mutex // guards all below
	stream kernelclient.Stream
	again  bool // it is to be read anew
	closed bool

	last kernelclient.Cursor // what Next returned last; only Next uses it
}

func newReader(c kernelclient.Context) *reader {
	return &reader{context: c, stream: c.Follow(kernelclient.Cursor{})}
}

// Next waits for a batch of events. One goroutine may call it.
func (r *reader) Next(ctx context.Context) ([]event.Event, error) {
	for {
		stream := r.now()
		batch, err := stream.Next(ctx)
		switch {
		case errors.Is(err, kernelclient.ErrCompacted), errors.Is(err, io.EOF):
			if !r.anew(errors.Is(err, kernelclient.ErrCompacted)) {
				return nil, io.EOF
			}
			continue
		case err != nil:
			return nil, err
		case len(batch) == 0:
			continue
		}
		return r.passed(batch, stream.Cursor()), nil
	}
}

// passed puts a Joined before a batch that does not go on where the last one ended.
func (r *reader) passed(batch []event.Event, now kernelclient.Cursor) []event.Event {
	was := r.last
	r.last = now
	first := batch[0].Seq
	if was.Epoch == now.Epoch && (first == 0 || first >= was.Seq) { // what a client adds has no number of its own
		return batch
	}
	return append([]event.Event{{Time: batch[0].Time, Body: event.Joined{Epoch: now.Epoch}}}, batch...)
}

func (r *reader) now() kernelclient.Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

// anew follows from the oldest event on, if that must be or was asked for.
func (r *reader) anew(must bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || !must && !r.again {
		return false
	}
	_ = r.stream.Close() // never fails: it only lets go
	r.stream, r.again = r.context.Follow(kernelclient.Cursor{}), false
	r.last = kernelclient.Cursor{}
	return true
}

// restart has the log read anew. It may be called from any goroutine.
func (r *reader) restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.again = true
		_ = r.stream.Close() // wakes Next
	}
}

// Close ends Next with io.EOF.
func (r *reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.stream.Close()
}
