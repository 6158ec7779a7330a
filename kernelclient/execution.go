package kernelclient

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// unbegun is how long an interrupt waits for a sign that the kernel has begun to run the code.
const unbegun = time.Second

// execution is the request that was handed to the driver.
type execution struct {
	Request
	resumed bool          // an earlier process handed it over
	begun   chan struct{} // closed when the kernel said that it runs the code
	over    chan struct{} // closed when the driver's Run returned
	since   time.Time     // a moment before it began, which a clock that is set does not change
	heard   atomic.Int64  // how long after since it last put something out, in nanoseconds
}

// hear notes that the execution put something out now.
func (x *execution) hear() { x.heard.Store(int64(time.Since(x.since))) }

// quiet is how long ago that was.
func (x *execution) quiet() time.Duration { return time.Since(x.since) - time.Duration(x.heard.Load()) }

// awaitBegin waits until an interrupt can hit the code. A kernel that has taken a request
// but not begun with it ignores interrupts (ipykernel sets its handler just before it says
// execute_input), so one that came too early would be lost. Kernels that say nothing are
// interrupted after a second all the same.
func (x *execution) awaitBegin(ctx context.Context) (over bool, err error) {
	timer := time.NewTimer(unbegun)
	defer timer.Stop()
	select {
	case <-x.begun:
		return false, nil
	case <-timer.C:
		return false, nil
	case <-x.over:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// begun notes that the kernel has begun with an execution.
func (l *Log) begun(id event.ExecID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.running; x != nil && x.ID == id {
		select {
		case <-x.begun:
		default:
			close(x.begun)
		}
	}
}
