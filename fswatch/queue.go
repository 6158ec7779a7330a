package fswatch

import (
	"context"
	"sync"
)

// queueBound is how many events a Queue keeps. A consumer that is further behind than that
// is better served by a new listing.
const queueBound = 1 << 16

// Queue is the events between whoever watches and the reader of a Stream, and how they are
// known. Its zero value is not usable: NewQueue. Its methods may be called from any goroutine.
type Queue struct {
	wake   chan struct{} // holds one: there is something for Next
	mu     sync.Mutex    // guards all below
	events []Event
	end    error
	mode   Mode
	why    error // the mode is not Push
}

// NewQueue makes an empty queue of Push mode.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1), mode: ModePush} }

// Mode is Stream's.
func (q *Queue) Mode() (Mode, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mode, q.why
}

// SetMode says how events are known from now on, and why not by Push.
func (q *Queue) SetMode(m Mode, why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mode, q.why = m, why
}

// Put adds events. It never waits. An event like the one before it, which nobody took yet,
// is dropped; beyond 65,536 events all of them give way to one OpResync.
func (q *Queue) Put(events ...Event) {
	if len(events) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range events {
		if n := len(q.events); n > 0 && q.events[n-1].Op == e.Op && q.events[n-1].Name == e.Name {
			q.events[n-1] = e // the later Entry
			continue
		}
		if len(q.events) >= queueBound {
			q.events = append(q.events[:0], Event{Op: OpResync, Name: "."})
		}
		q.events = append(q.events, e)
	}
	q.signal()
}

// End closes the queue with a reason, which Next returns once all events were taken. Only
// the first call counts.
func (q *Queue) End(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		q.end = reason
	}
	q.signal()
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Next is Stream's.
func (q *Queue) Next(ctx context.Context) ([]Event, error) {
	for {
		events, end := q.take()
		if len(events) > 0 {
			return events, nil
		}
		if end != nil {
			return nil, end
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (q *Queue) take() ([]Event, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	events := q.events
	q.events = nil
	if q.end != nil {
		q.signal() // for every later call
	}
	return events, q.end
}
