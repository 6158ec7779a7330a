package fswatch

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func next(t *testing.T, q *Queue) []Event {
	t.Helper()
	events, err := q.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestQueueMergesEqualNeighbours(t *testing.T) {
	q := NewQueue()
	q.Put(Event{Op: OpCreate, Name: "a"}, Event{Op: OpWrite, Name: "a"}, Event{Op: OpWrite, Name: "a"})
	q.Put(Event{Op: OpWrite, Name: "a"}, Event{Op: OpWrite, Name: "b"}, Event{Op: OpWrite, Name: "a"})
	got := fmt.Sprint(next(t, q))
	if want := fmt.Sprint([]Event{{Op: OpCreate, Name: "a"}, {Op: OpWrite, Name: "a"}, {Op: OpWrite, Name: "b"}, {Op: OpWrite, Name: "a"}}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Who is too slow is told so, and gets everything that came after.
func TestQueueThatNobodyReads(t *testing.T) {
	q := NewQueue()
	for i := range queueBound + 2 {
		q.Put(Event{Op: OpWrite, Name: fmt.Sprint(i)})
	}
	got := next(t, q)
	if len(got) != 3 || got[0].Op != OpResync || got[1].Name != fmt.Sprint(queueBound) || got[2].Name != fmt.Sprint(queueBound+1) {
		t.Errorf("%d events, first %v", len(got), got[:min(3, len(got))])
	}
}

func TestQueueEndsOnceAndForGood(t *testing.T) {
	q := NewQueue()
	q.Put(Event{Op: OpWrite, Name: "a"})
	reason := &Error{Kind: Disconnect, What: "gone"}
	q.End(reason)
	q.End(io.EOF)
	next(t, q)
	for range 3 {
		if _, err := q.Next(t.Context()); !errors.Is(err, Disconnect) {
			t.Error(err)
		}
	}
}
