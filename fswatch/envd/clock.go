package envd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// clocks bound a request without bounding how long a transfer may take: one runs while the
// request is sent, anew with each piece of it, until the answer's headers; from then on only
// silence counts. A limit of 0 is none.
type clocks struct {
	next    http.RoundTripper
	request time.Duration
	silence time.Duration
}

// RoundTrip is http.RoundTripper's.
func (c clocks) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	sending := startClock(c.request, cancel, &fswatch.TimeoutError{Clock: "connecting and sending", Limit: c.request, Setting: "--request-timeout"})
	r = r.Clone(ctx)
	if r.Body != nil {
		r.Body = &clockedBody{ReadCloser: r.Body, clock: sending}
	}
	answer, err := c.next.RoundTrip(r)
	sending.stop()
	if err != nil {
		err = inTime(ctx, err)
		cancel(err)
		return nil, err
	}
	quiet := startClock(c.silence, cancel, &fswatch.TimeoutError{Clock: "silence", Limit: c.silence, Setting: "--silence-timeout"})
	answer.Body = &clockedBody{ReadCloser: answer.Body, clock: quiet, ctx: ctx, closed: func() { cancel(context.Canceled) }}
	return answer, nil
}

// inTime is the clock's error, if that is why err came.
func inTime(ctx context.Context, err error) error {
	var late *fswatch.TimeoutError
	if errors.As(context.Cause(ctx), &late) {
		return late
	}
	return err
}

// clock ends a request when nothing happened for a while.
type clock struct {
	mu    sync.Mutex // guards timer
	timer *time.Timer
	limit time.Duration
}

func startClock(limit time.Duration, cancel context.CancelCauseFunc, late error) *clock {
	c := &clock{limit: limit}
	if limit > 0 {
		c.timer = time.AfterFunc(limit, func() { cancel(late) })
	}
	return c
}

// again starts it anew, unless it was stopped.
func (c *clock) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Reset(c.limit)
	}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// clockedBody is a body whose pieces start a clock anew.
type clockedBody struct {
	io.ReadCloser
	clock  *clock
	ctx    context.Context // of an answer: what tells why it was ended
	closed func()          // of an answer
}

// Read is io.Reader's.
func (b *clockedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.clock.again()
	}
	if err != nil && !errors.Is(err, io.EOF) && b.ctx != nil {
		err = inTime(b.ctx, err)
	}
	return n, err
}

// Close is io.Closer's.
func (b *clockedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.closed != nil {
		b.clock.stop()
		b.closed()
	}
	return err
}
