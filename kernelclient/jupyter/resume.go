package jupyter

import (
	"context"
	"iter"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Resumed is a run that an earlier process handed to the kernel, as far as that one saw
// it. The zero value is none.
type Resumed struct {
	Exec    event.ExecID
	Count   int          // its execution count, 0 if it was not seen
	Failure *event.Error // its exception, nil if none was seen
}

var _ kernelclient.Resumer = (*driver)(nil)

// UnderWay is the run that was handed to the kernel and has no end in a history, nil for none.
func UnderWay(history iter.Seq[event.Event]) (r Resumed) {
	if history == nil {
		return r
	}
	for e := range history {
		if _, ok := e.Body.(event.Accepted); ok {
			r = Resumed{Exec: e.Exec}
		}
		if e.Exec != r.Exec {
			continue
		}
		switch b := e.Body.(type) {
		case event.Started:
			r.Count = b.Count
		case event.Error:
			r.Failure = &b
		case event.Ended:
			r = Resumed{}
		}
	}
	return r
}

// executeID is the msg_id of an execution's request.
func (d *driver) executeID(id event.ExecID) string { return d.opt.Session + "_" + string(id) }

// adopt makes the first kernel of a driver that takes one over run what it ran, before
// anything of it can arrive. It is called before the receiver starts.
func (g *generation) adopt() {
	d := g.d
	d.mu.Lock()
	g.adopted = d.opt.Adopt && !d.adopted
	d.adopted = true
	d.mu.Unlock()
	r := d.opt.Resumed
	if !g.adopted || r.Exec == "" {
		return
	}
	msg := d.executeID(r.Exec)
	g.parents.add(msg, r.Exec)
	g.run = &run{id: r.Exec, msg: msg, changed: make(chan struct{}, 1), resumed: true, started: true, count: r.Count}
	if r.Failure != nil {
		g.run.failure, g.run.failed, g.run.shown = *r.Failure, true, true
	}
}

// probeResumed makes the first question on shell the probe of a run that is resumed:
// shell answers in order, so its answer comes after the run.
func (g *generation) probeResumed(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.run; x != nil && x.resumed && x.probe == "" {
		x.probe = id
	}
}

// Resume implements kernelclient.Resumer.
func (d *driver) Resume(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	g := d.current()
	if g == nil {
		return kernelclient.Outcome{Reason: event.Died, Detail: errNotRunning().Error()}
	}
	g.mu.Lock()
	x := g.run
	if x == nil || x.id != r.ID {
		g.mu.Unlock()
		return kernelclient.Outcome{Reason: event.Lost, Detail: "it was handed over by a process that has ended, and nothing is known of it"}
	}
	x.request = executeContent(r)
	g.mu.Unlock()
	defer g.finish(x)
	return g.follow(ctx, x)
}

// unreplied is the outcome of a resumed run whose reply nobody got. Called with the
// generation's mu held.
func (x *run) unreplied() kernelclient.Outcome {
	out := kernelclient.Outcome{Reason: event.Done, Count: x.count}
	switch {
	case x.failed && x.interrupted && strings.Contains(strings.ToLower(x.failure.Name), "interrupt"):
		out.Reason = event.Interrupted
	case x.failed:
		out.Reason = event.Failed
	case !x.idle:
		out.Reason, out.Detail = event.Lost, "it ended while nobody listened, so how it ended is not known"
	}
	return out
}
