package kernelclient

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// Submit implements Context. A Recorder has the request then.
func (l *Log) Submit(ctx context.Context, r Request) error {
	err := l.enqueue(r)
	if err == nil {
		l.written(ctx)
	}
	return err
}

// written waits until a Recorder has all there is.
func (l *Log) written(ctx context.Context) { l.ledger.await(ctx, l.store.cursor().Seq) }

// enqueue is Submit without the record.
func (l *Log) enqueue(r Request) error {
	l.mu.Lock()
	if _, twice := l.known[r.ID]; twice {
		l.mu.Unlock()
		return nil
	}
	why, stopped := l.groupStopped(r.Group)
	if (l.closing || l.info.State.State == event.Dead) && !stopped {
		err := l.err
		l.mu.Unlock()
		return &Error{Kind: Gone, What: "the kernel is not running", Next: "restart it", Err: err}
	}
	l.known[r.ID] = false
	l.mu.Unlock()
	// Recorded before it can run, so that Queued comes first.
	l.record(r.ID, event.Queued{
		Cell: r.Cell, Code: r.Code, Language: r.Language, Group: r.Group, GoOn: r.GoOn,
		AllowStdin: r.AllowStdin, Timeout: r.Timeout, Silence: r.Silence,
	})
	l.mu.Lock()
	if !stopped {
		why, stopped = l.groupStopped(r.Group)
	}
	if !stopped && (l.closing || l.info.State.State == event.Dead) {
		why, stopped = "the kernel is not running", true
	}
	if !stopped {
		l.queue = append(l.queue, r)
	}
	l.mu.Unlock()
	if stopped {
		l.finish(r.ID, Outcome{Reason: event.Cancelled, Detail: why})
		return nil
	}
	l.poke()
	return nil
}

// groupStopped tells whether a request of the group failed before this one came: those who
// hand over a group one by one would be overtaken by a quick failure. l.mu is held.
func (l *Log) groupStopped(group string) (why string, stopped bool) {
	if group == "" {
		return "", false
	}
	if l.running != nil && l.running.Group == group && l.info.State.State == event.Dead {
		return endedKernel(event.Died), true
	}
	why, stopped = l.stopped[group]
	return why, stopped
}

// Cancel implements Context.
func (l *Log) Cancel(_ context.Context, id event.ExecID) error {
	if l.cancelQueued(func(r Request) bool { return r.ID == id }, "taken out of the queue") == 0 {
		return &Error{Kind: NotFound, What: "it is not waiting in the queue"}
	}
	return nil
}

// cancelQueued takes what matches out of the queue, ends it and tells how many there were.
func (l *Log) cancelQueued(match func(Request) bool, detail string) int {
	l.mu.Lock()
	out := l.takeOut(match)
	l.mu.Unlock()
	for _, r := range out {
		l.finish(r.ID, Outcome{Reason: event.Cancelled, Detail: detail})
	}
	return len(out)
}

// takeOut takes what matches out of the queue. mu is held.
func (l *Log) takeOut(match func(Request) bool) (out []Request) {
	l.queue = slices.DeleteFunc(l.queue, func(r Request) bool {
		if match(r) {
			out = append(out, r)
			return true
		}
		return false
	})
	return out
}

// finish records the one end of an execution.
func (l *Log) finish(id event.ExecID, out Outcome) {
	l.mu.Lock()
	var open []event.InputID
	for input, exec := range l.cells {
		if exec == id {
			open = append(open, input)
			delete(l.cells, input)
		}
	}
	l.mu.Unlock()
	for _, input := range open {
		l.record(id, event.InputClosed{ID: input})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[id] {
		return
	}
	l.known[id] = true
	l.store.append(event.Event{Time: time.Now(), Exec: id, Body: event.Ended{Reason: out.Reason, Detail: out.Detail, Count: out.Count}})
}

// serve runs the queue, one at a time, until the log is closed.
func (l *Log) serve() {
	for {
		if x := l.take(); x != nil {
			l.run(x)
			continue
		}
		select {
		case <-l.wake:
		case <-l.life.Done():
			return
		}
	}
}

// take removes the next request if the kernel can run it.
func (l *Log) take() *execution {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue)+len(l.resumed) == 0 || l.closing || l.cancelOpen != nil {
		return nil
	}
	switch l.info.State.State {
	case event.Idle, event.Busy, event.Reconnecting:
	default:
		return nil
	}
	from := &l.queue
	x := &execution{since: time.Now(), begun: make(chan struct{}), over: make(chan struct{})}
	if len(l.resumed) > 0 {
		from, x.resumed = &l.resumed, true
		close(x.begun)
	}
	x.Request = (*from)[0]
	*from = slices.Delete(*from, 0, 1)
	l.running = x
	return x
}

func (l *Log) run(x *execution) {
	r := x.Request
	if !x.resumed {
		l.record(r.ID, event.Accepted{})
		l.written(l.life)
	}
	ctx, cancel := context.WithCancel(l.life)
	defer cancel()
	limit := l.watch(ctx, cancel, r)
	generation := l.Info().State.Generation
	out := l.drive(ctx, x)
	if clock := limit.expired.Load(); clock != nil && out.Reason != event.Died && (out.Reason != event.Lost || limit.gaveUp.Load()) {
		out.Reason, out.Detail = event.TimedOut, clock.Why()
	} else if l.life.Err() != nil && out.Reason == event.Lost {
		out.Reason, out.Detail = event.Died, "the kernel was stopped"
	}
	if out.Reason == event.Died {
		l.notAlive(generation, out.Detail)
	}
	why := stops(r, out)
	ended := out.Reason == event.Died || out.Reason == event.Lost
	if x.resumed && out.Reason == event.Lost {
		why = "not run: the end of the cell before it was not seen"
	}
	if limit.gaveUp.Load() && !ended {
		why, ended = "not run: the kernel is busy with a cell that ignores the interrupt", true
	}
	l.mu.Lock()
	close(l.running.over)
	l.running = nil
	if why != "" && r.Group != "" {
		l.stopped[r.Group] = why
	}
	// Taken out before the end is known: who reads of it may submit for the next kernel at once.
	dropped := l.takeOut(func(q Request) bool { return why != "" && (ended || q.Group == r.Group) })
	l.mu.Unlock()
	l.finish(r.ID, out)
	for _, q := range dropped {
		l.finish(q.ID, Outcome{Reason: event.Cancelled, Detail: why})
	}
}

// drive runs an execution, or waits for the end of one that an earlier process handed over.
func (l *Log) drive(ctx context.Context, x *execution) Outcome {
	if !x.resumed {
		return l.driver.Run(ctx, x.Request)
	}
	if d, ok := l.driver.(Resumer); ok {
		return d.Resume(ctx, x.Request)
	}
	return Outcome{Reason: event.Lost, Detail: "the process that listened to it ended"}
}

// notAlive makes sure that a kernel that died in a run is Dead, also if the driver did not
// say so. A kernel that has been replaced meanwhile is nobody's concern.
func (l *Log) notAlive(generation int, detail string) {
	l.mu.Lock()
	now, closing := l.info.State, l.closing
	l.mu.Unlock()
	if now.Generation == generation && now.State != event.Dead && now.State != event.Starting && !closing {
		l.died(detail)
	}
}

// stops says why requests behind r must not run after this outcome, "" if they may. The
// end of the kernel stops all, a failure those of its group.
func stops(r Request, out Outcome) string {
	switch {
	case out.Reason == event.Done:
	case out.Reason == event.Died, out.Reason == event.Lost:
		return endedKernel(out.Reason)
	case !r.GoOn && r.Group != "":
		return "not run: a cell before it failed"
	}
	return ""
}

func endedKernel(r event.Reason) string {
	return fmt.Sprintf("not run: the cell before it ended the kernel (%s)", r)
}
