package e2bface

import (
	"context"
	"errors"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// execute runs code for a client until its end, or until ctx, the client's request, ends:
// that interrupts the code. The lock is kept until the kernel has settled, which may be
// after the return.
func (c *codeContext) execute(ctx context.Context, q wire.Execution, out *lines) {
	if !c.await(ctx, out) {
		return
	}
	f := c.box.face
	after := c.run(ctx, q, out)
	if after == nil {
		<-c.lock
		return
	}
	f.wg.Go(func() {
		defer func() { <-c.lock }()
		bounded, cancel := context.WithTimeout(c.box.life, settling)
		defer cancel()
		if err := after(bounded); err != nil && c.box.life.Err() == nil {
			f.opt.Log.Warn("a context did not settle after an execution", "context", c.id, "error", err)
		}
	})
}

// await waits for the lock. Without it the stream has its end.
func (c *codeContext) await(ctx context.Context, out *lines) bool {
	select {
	case c.lock <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	case <-c.removed:
	case <-c.over:
	case <-c.box.life.Done():
	}
	c.lose(out)
	return false
}

// lose ends the stream of an execution whose kernel was taken away: with its connection
// where the whole sandbox goes.
func (c *codeContext) lose(out *lines) {
	select {
	case <-c.severed:
		out.cut()
	default:
		out.lost()
	}
}

// run is execute with the lock. It returns what is still to be done, nil for nothing.
func (c *codeContext) run(ctx context.Context, q wire.Execution, out *lines) (after func(context.Context) error) {
	life := c.box.life
	if c.dead() {
		return c.refuse(out)
	}
	err := c.prepare(life)
	if err == nil {
		err = c.variables(life, q.EnvVars)
	}
	var x *execution
	if err == nil && ctx.Err() == nil {
		c.mu.Lock()
		out.notice, c.notice = c.notice, ""
		c.mu.Unlock()
		x, err = c.submit(life, kernelclient.Request{Code: q.Code})
	}
	switch {
	case err != nil:
		return c.refuse(out)
	case x == nil: // the client left meanwhile
		return nil
	}
	reason := c.stream(ctx, x, out)
	switch reason {
	case event.Died, event.Cancelled, event.Lost:
		c.leave(x)
		return c.revive
	case event.Restarted:
		c.leave(x)
		return nil
	case "":
		return func(ctx context.Context) error { return c.abandon(ctx, x) }
	default:
	}
	c.leave(x)
	return nil
}

// refuse ends a stream whose code cannot run, and returns what is still to be done.
func (c *codeContext) refuse(out *lines) (after func(context.Context) error) {
	if c.ended() || !c.dead() {
		c.lose(out)
		return nil
	}
	out.died()
	return c.revive
}

// afterwards is how long output may come after the end of its code. A kernel whose own
// language is TypeScript, Deno, sends what was printed from a thread of its own, and of a
// hundred short executions the end of a few overtakes it.
func (c *codeContext) afterwards() time.Duration {
	if wire.Language(c.kernel.Info().Kernel.Language) == "typescript" {
		return 100 * time.Millisecond
	}
	return 0
}

// late writes what came after the end of its code.
func (c *codeContext) late(x *execution, out *lines) {
	for timer := time.After(c.afterwards()); ; {
		select {
		case e := <-x.events:
			out.event(e)
		case <-timer:
			return
		}
	}
}

// stream writes an execution's lines and returns how it ended, "" if the client left before.
func (c *codeContext) stream(ctx context.Context, x *execution, out *lines) event.Reason {
	timer := time.NewTimer(pulse)
	defer timer.Stop()
	for !out.gone {
		select {
		case e := <-x.events:
			if end, ok := e.Body.(event.Ended); ok {
				if c.ended() {
					c.lose(out)
					return event.Lost
				}
				if end.Reason == event.Done && c.afterwards() > 0 {
					c.late(x, out)
				}
				out.end(end)
				return end.Reason
			}
			if out.event(e) {
				timer.Reset(pulse)
			}
		case <-timer.C:
			out.write(wire.Keepalive{})
			timer.Reset(pulse)
		case <-c.removed:
			c.lose(out)
			return event.Lost
		case <-c.over:
			c.lose(out)
			return event.Lost
		case <-ctx.Done():
			out.gone = true
		}
	}
	return ""
}

// ended tells whether the context was stopped on purpose, or is about to be.
func (c *codeContext) ended() bool {
	select {
	case <-c.removed:
		return true
	case <-c.box.life.Done():
		return true
	default:
		return false
	}
}

// abandon interrupts an execution whose client has left, and waits until that has taken
// effect: code that came sooner would be thrown away by the kernel.
func (c *codeContext) abandon(ctx context.Context, x *execution) error {
	err := c.kernel.Cancel(ctx, x.id) // it may wait for older code that ignores its interrupt
	if err == nil {
		_, err = c.awaitEnd(ctx, x)
	} else {
		err = c.interrupt(ctx, x)
	}
	c.leave(x)
	if err != nil {
		return err
	}
	return c.revive(ctx)
}

// interrupt interrupts an execution, and again until it ends: an interrupt that comes before
// the kernel has begun with the code is lost on most kernels.
func (c *codeContext) interrupt(ctx context.Context, x *execution) error {
	for pause := time.Second; ; pause *= 2 {
		if err := c.kernel.Interrupt(ctx); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, pause)
		_, err := c.awaitEnd(short, x)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
	}
}
