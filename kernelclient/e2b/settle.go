package e2b

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// A run that is ended from here frees its context before the kernel has handled the
// interrupt. Code that reaches the kernel meanwhile is thrown away with the kernel's queue,
// and the interpreter never says so: its stream has keepalives for ever. So the first run
// after that waits until a piece of code that does nothing has come through. That one may be
// thrown away, or run twice, without harm.

// disturbed notes that a run was ended before its kernel had done with it.
func (d *driver) disturbed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsettled = time.Now()
}

// afterInterrupt is what users should know of an interrupt.
func afterInterrupt(language string) string {
	if language = wire.Language(language); language == "javascript" || language == "typescript" {
		return "a JavaScript kernel loses its variables with an interrupt"
	}
	return ""
}

// settle returns when the context's kernel is at rest.
func (d *driver) settle(ctx context.Context, box *sandbox, id string) error {
	d.mu.Lock()
	since := d.unsettled
	d.mu.Unlock()
	if since.IsZero() {
		return nil
	}
	for range d.pace.tries {
		if err := pause.For(ctx, d.pace.settle-time.Since(since)); err != nil {
			return err
		}
		rests, err := d.probe(ctx, box, id)
		if err != nil {
			return err
		}
		if rests {
			d.mu.Lock()
			d.unsettled = time.Time{}
			d.mu.Unlock()
			return nil
		}
		since = time.Now()
	}
	return &kernelclient.Error{
		Kind: kernelclient.NoAnswer, What: "the kernel still runs what was interrupted, or takes no code any more",
		Next: "restart it",
	}
}

// probe runs nothing in a context. A keepalive before the count says that the kernel has
// thrown the request away, or still runs what was before it; ending that one interrupts the
// kernel once more.
func (d *driver) probe(ctx context.Context, box *sandbox, id string) (rests bool, err error) {
	stream, err := d.client(box).Execute(ctx, wire.Execution{ContextID: id})
	if err != nil {
		return false, err
	}
	defer stream.Close()
	for {
		line, err := stream.Next()
		switch {
		case errors.Is(err, io.EOF):
			return rests, nil
		case err != nil:
			return false, err
		}
		switch l := line.(type) {
		case wire.Count:
			rests = true
		case wire.Keepalive:
			if !rests {
				return false, nil
			}
		case wire.Error:
			rests = rests && !is(l, wire.ExecutionAborted, wire.AbortedValue)
		}
	}
}
