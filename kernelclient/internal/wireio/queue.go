package wireio

import (
	"context"
	"sync"
)

// Queue passes values from producers that must not wait to one consumer. It has no bound:
// a socket that is not read makes the kernel drop its output, so whoever reads it puts
// everything here. Create it with NewQueue.
type Queue[T any] struct {
	wake chan struct{} // holds one token while there may be something to take

	mu    sync.Mutex // guards all below
	items []item[T]
	head  int
	bytes int64
	err   error // what Pop returns after the last item
}

type item[T any] struct {
	value T
	size  int64
}

// NewQueue returns an empty queue.
func NewQueue[T any]() *Queue[T] { return &Queue[T]{wake: make(chan struct{}, 1)} }

// Push appends v, which counts as size bytes. After End or Close it does nothing.
func (q *Queue[T]) Push(v T, size int64) {
	q.mu.Lock()
	if q.err == nil {
		q.items = append(q.items, item[T]{v, size})
		q.bytes += size
	}
	q.mu.Unlock()
	q.signal()
}

// End lets Pop return err once all that is queued was taken. The first End or Close counts.
func (q *Queue[T]) End(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	q.mu.Unlock()
	q.signal()
}

// Close drops what is queued and lets Pop return err at once.
func (q *Queue[T]) Close(err error) {
	q.mu.Lock()
	q.err, q.items, q.head, q.bytes = err, nil, 0, 0
	q.mu.Unlock()
	q.signal()
}

// Bytes is the size of what is queued.
func (q *Queue[T]) Bytes() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// Pop takes the oldest value, waiting for one while ctx lasts. One goroutine at a time may call it.
func (q *Queue[T]) Pop(ctx context.Context) (T, error) {
	for {
		if v, ok, err := q.take(); ok || err != nil {
			return v, err
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			var zero T
			return zero, ctx.Err()
		}
	}
}

func (q *Queue[T]) take() (v T, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.items) {
		return v, false, q.err
	}
	it := q.items[q.head]
	q.items[q.head] = item[T]{} // lets go of its bytes
	q.head++
	q.bytes -= it.size
	switch {
	case q.head == len(q.items):
		if cap(q.items) > 4096 { // a flood is over: do not keep its room
			q.items = nil
		}
		q.items, q.head = q.items[:0], 0
	case q.head > 1024 && q.head > len(q.items)/2: // so that a queue that never runs dry does not creep
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return it.value, true, nil
}

func (q *Queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
