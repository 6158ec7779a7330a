package wireio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueKeepsOrderAndCounts(t *testing.T) {
	q := NewQueue[int]()
	next := 0
	for i := range 10_000 {
		q.Push(i, 3)
		if i%3 == 0 { // stays behind, so that the queue is compacted on the way
			v, err := q.Pop(t.Context())
			if err != nil || v != next {
				t.Fatalf("got %d, %v; want %d", v, err, next)
			}
			next++
		}
	}
	if got, want := q.Bytes(), int64(3*(10_000-next)); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	q.End(io.EOF)
	for ; next < 10_000; next++ {
		if v, err := q.Pop(t.Context()); err != nil || v != next {
			t.Fatalf("got %d, %v; want %d", v, err, next)
		}
	}
	if _, err := q.Pop(t.Context()); err != io.EOF || q.Bytes() != 0 {
		t.Errorf("at the end: %v, %d bytes", err, q.Bytes())
	}
}

func TestQueueCloseComesBeforeWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue[int]()
		waiting := make(chan error, 1)
		go func() { _, err := q.Pop(context.Background()); waiting <- err }()
		synctest.Wait()
		q.Close(io.ErrClosedPipe)
		if err := <-waiting; err != io.ErrClosedPipe {
			t.Errorf("who waited got %v", err)
		}
		q.Push(1, 1)
		if _, err := q.Pop(t.Context()); err != io.ErrClosedPipe {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestQueuePopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := NewQueue[int]().Pop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestReadNGrowsWithWhatArrives(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadN(strings.NewReader("three bytes"), 1<<30)
	runtime.ReadMemStats(&after)
	if err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes were allocated for a promise", grown)
	}
	want := bytes.Repeat([]byte("abc"), 100_000)
	for _, n := range []int{0, 1, step, step + 1, len(want)} {
		got, err := ReadN(bytes.NewReader(want), n)
		if err != nil || !bytes.Equal(got, want[:n]) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
	}
}

// stuck starts an Outbox whose peer reads nothing.
func stuck(t *testing.T) (o *Outbox, peer net.Conn, ended <-chan error) {
	ours, theirs := net.Pipe()
	o = NewOutbox()
	done := make(chan error, 1)
	o.Begin(func() { ours.Close() })
	go func() { done <- o.Run(ours) }()
	return o, theirs, done
}

func TestOutboxSenderGoesWithItsOwnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, peer, ended := stuck(t)
		first := make(chan error, 1)
		go func() { first <- o.Send(context.Background(), []byte("first")) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := o.Send(ctx, []byte("second")); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		got := make([]byte, 5)
		if _, err := io.ReadFull(peer, got); err != nil || string(got) != "first" {
			t.Errorf("%q %v", got, err)
		}
		if err := <-first; err != nil {
			t.Error(err)
		}
		go func() { first <- o.Send(context.Background(), []byte("third")) }()
		if _, err := io.ReadFull(peer, got); err != nil || string(got) != "third" {
			t.Errorf("what was taken back was sent: %q %v", got, err)
		}
		<-first
		o.Fail(io.EOF)
		if err := <-ended; err != io.EOF {
			t.Error(err)
		}
		if err := o.Send(t.Context(), nil); err != io.EOF {
			t.Errorf("after Fail: %v", err)
		}
	})
}

func TestOutboxBreaksAWriteThatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _, ended := stuck(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := o.Send(ctx, []byte("half")); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := <-ended; err == nil {
			t.Error("the connection goes on after half a message")
		}
	})
}

// Once a writer is promised Send waits for it, also before its goroutine has come to run.
func TestOutboxBetweenBeginAndRun(t *testing.T) {
	o := NewOutbox()
	o.Begin(func() {})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := o.Send(ctx, []byte("a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a packet that nobody has written was called sent: %v", err)
	}
}

func TestOutboxBeforeBegin(t *testing.T) {
	o := NewOutbox()
	for _, s := range []string{"a", "b"} {
		if err := o.Send(t.Context(), []byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	o.Begin(func() {})
	go func() { done <- o.Run(ours) }()
	got := make([]byte, 2)
	if _, err := io.ReadFull(theirs, got); err != nil || string(got) != "ab" {
		t.Errorf("%q %v", got, err)
	}
	o.Fail(io.EOF)
	<-done
}
