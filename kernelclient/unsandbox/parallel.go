package unsandbox

import (
	"context"
	"slices"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// early is a job that was submitted before its cell's turn, where Settings.Parallel allows
// it. Its result waits at the service until the turn comes.
type early struct {
	r       kernelclient.Request
	begun   bool
	dropped bool               // nobody wants it any more
	cancel  context.CancelFunc // of its submission
	done    chan struct{}      // closed when it was submitted
	program Program            // these three are set before done is closed
	job     Job
	err     error
}

// ahead holds what was submitted early or will be. driver.mu guards it.
type ahead struct {
	queue   []*early
	seen    map[event.ExecID]bool // a request may be submitted twice, and runs once
	stopped map[string]bool       // groups that a failure ended
}

// parallel tells whether cells may run at once: not where one gets something of another.
func (s Settings) parallel() bool { return s.Parallel > 1 && !s.Replay && len(s.Carry) == 0 }

// announce is told of each request before the log has it.
func (d *driver) announce(r kernelclient.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.settings.parallel() || d.ahead.seen[r.ID] || d.ahead.stopped[r.Group] {
		return
	}
	if d.ahead.seen == nil {
		d.ahead.seen, d.ahead.stopped = map[event.ExecID]bool{}, map[string]bool{}
	}
	d.ahead.seen[r.ID] = true
	d.ahead.queue = append(d.ahead.queue, &early{r: r, done: make(chan struct{})})
	d.launch()
}

// launch submits what there is room for. mu is held.
func (d *driver) launch() {
	room := d.settings.Parallel
	if d.running != nil {
		room--
	}
	for _, e := range d.ahead.queue {
		if room--; room < 0 {
			return
		}
		if !e.begun {
			e.begun = true
			ctx, cancel := context.WithCancel(d.life)
			e.cancel = cancel
			d.wg.Go(func() { d.submitEarly(ctx, e) })
		}
	}
}

func (d *driver) submitEarly(ctx context.Context, e *early) {
	defer e.cancel()
	e.program, e.err = d.program(ctx, e.r)
	if e.err == nil {
		e.job, e.err = d.client.Submit(ctx, e.program, Submission{Mode: SubmitAsync})
	}
	if e.err == nil {
		d.notes.write(d.note(&run{Request: e.r, program: e.program}, e.job))
	}
	close(e.done)
	d.mu.Lock()
	dropped := e.dropped
	d.mu.Unlock()
	if dropped && e.err == nil && !e.job.Over() {
		d.cancelJob(e.job.ID)
	}
}

// claim takes the early job of a request whose turn has come, nil if it has none.
func (d *driver) claim(id event.ExecID) *early {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.ahead.queue, func(e *early) bool { return e.r.ID == id })
	if i < 0 {
		return nil
	}
	e := d.ahead.queue[i]
	d.ahead.queue = slices.Delete(d.ahead.queue, i, i+1)
	if !e.begun {
		return nil
	}
	return e
}

// drop cancels what was submitted early and matches.
func (d *driver) drop(match func(kernelclient.Request) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ahead.queue = slices.DeleteFunc(d.ahead.queue, func(e *early) bool {
		if !match(e.r) {
			return false
		}
		if !e.begun {
			return true
		}
		select {
		case <-e.done:
			if e.err == nil && !e.job.Over() {
				d.wg.Go(func() { d.cancelJob(e.job.ID) })
			}
		default:
			e.dropped = true // the submission may have arrived: it is not cut off
		}
		return true
	})
	d.launch()
}

// after sees to what was submitted early when a run ends: a failure ends its group.
func (d *driver) after(r kernelclient.Request, out kernelclient.Outcome) {
	switch {
	case out.Reason == event.Done:
	case out.Reason == event.Died || out.Reason == event.Lost:
		d.drop(func(kernelclient.Request) bool { return true })
	case r.Group != "" && !r.GoOn:
		d.mu.Lock()
		if d.ahead.stopped != nil {
			d.ahead.stopped[r.Group] = true
		}
		d.mu.Unlock()
		d.drop(func(o kernelclient.Request) bool { return o.Group == r.Group })
	}
}
