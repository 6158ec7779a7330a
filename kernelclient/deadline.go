package kernelclient

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// deadline tells what became of a run's time.
type deadline struct {
	expired atomic.Pointer[TimeoutError] // the clock that the run was interrupted for
	gaveUp  atomic.Bool                  // and it ignored that
}

// watch interrupts a run that is silent, or takes, longer than its limits, and lets go of
// one that ignores that. The time counts from the beginning of the code, not from its
// hand-over.
func (l *Log) watch(ctx context.Context, cancel context.CancelFunc, r Request) *deadline {
	d := &deadline{}
	if _, own := l.driver.(Timekeeper); own || r.Timeout <= 0 && r.Silence <= 0 {
		return d
	}
	l.mu.Lock()
	x := l.running
	l.mu.Unlock()
	l.idle.Go(func() {
		if over, err := x.awaitBegin(ctx); over || err != nil {
			return
		}
		clock := l.expire(ctx, x)
		if clock == nil {
			return
		}
		d.expired.Store(clock)
		if err := l.driver.Interrupt(ctx); err == nil {
			timer := time.NewTimer(giveUp)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
		}
		d.gaveUp.Store(true)
		cancel()
	})
	return d
}

// expire waits until one of an execution's clocks has run out, and tells which; nil if the
// run is over before. A run that waits for its user's answer is not silent.
func (l *Log) expire(ctx context.Context, x *execution) *TimeoutError {
	whole, silence := alarm(x.Timeout), alarm(x.Silence)
	defer whole.Stop()
	defer silence.Stop()
	x.hear()
	for {
		select {
		case <-whole.C:
			return &TimeoutError{Clock: WholeRun, Limit: x.Timeout, Setting: "--timeout"}
		case <-silence.C:
			left := x.Silence - x.quiet()
			if left <= 0 && !l.asks(x.ID) {
				return &TimeoutError{Clock: Silence, Limit: x.Silence, Setting: "the limit of silence"}
			}
			silence.Reset(max(left, time.Second))
		case <-ctx.Done():
			return nil
		}
	}
}

// alarm is a timer for d, one that never fires for none.
func alarm(d time.Duration) *time.Timer {
	if d <= 0 {
		t := time.NewTimer(time.Hour)
		t.Stop()
		return t
	}
	return time.NewTimer(d)
}

// asks tells whether an execution waits for an answer.
func (l *Log) asks(id event.ExecID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, exec := range l.cells {
		if exec == id {
			return true
		}
	}
	return false
}
