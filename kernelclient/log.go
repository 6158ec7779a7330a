package kernelclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// LogOptions are the settings of a Log.
type LogOptions struct {
	StartupTimeout time.Duration // until the driver is open; 0 = none
	AskTimeout     time.Duration // of one question to the kernel; 0 = 10 s
	OnStop         func()        // called once, when the context was stopped
	Forget         bool          // keep nothing that every present follower has taken
	Memory         int64         // bytes of output kept in memory, what is more is spilled; 0 = 64 MiB
	Epoch          string        // of the log's cursors; "" = a random one, which no other log has
	// History is what an earlier process recorded of this context, up to its own end. The
	// ContextInfo's Saved is of it too. Its driver's Open finds the kernel that it had, and
	// resumes what ran on it if it is a Resumer.
	// It may be larger than memory; nobody reads it after OpenLog returned. nil = none.
	History iter.Seq[event.Event]
	Record  Recorder // gets everything too; nil = nobody
	// Limit is how many bytes of events are kept, 0 = no limit. Beyond it the oldest runs
	// lose the middle of what they put out, with a mark.
	Limit int64
	// Gone says that the kernel of the History is no more, and why: the log begins Dead. A
	// restart calls the driver's Open.
	Gone error
}

// giveUp is how long a run that timed out may ignore its interrupt before its end is recorded all the same.
const giveUp = 5 * time.Second

// Log makes a Context of a Driver: it numbers events, queues requests, runs one at a time
// and sees to it that each execution ends exactly once, whatever happens.
type Log struct {
	driver Driver
	opt    LogOptions
	store  *store
	life   context.Context // ends with Stop or Close
	end    context.CancelFunc
	wake   chan struct{} // has room for one: something in the queue or the state changed
	idle   sync.WaitGroup
	ledger *ledger

	mu         sync.Mutex // guards all below; never held while the driver is called, taken before the store's
	info       ContextInfo
	caps       Capabilities
	queue      []Request
	resumed    []Request             // what ran when an earlier process ended
	loaded     uint64                // Seq of the last event of the History
	unopened   bool                  // Open was not called yet, as the kernel was gone before
	known      map[event.ExecID]bool // every ID ever submitted; true once it ended
	cells      map[event.InputID]event.ExecID
	running    *execution
	stopped    map[string]string  // groups that a failure ended: why what comes later does not run
	early      event.KernelState  // what the driver said of busy and idle while it starts
	cancelOpen context.CancelFunc // of the start that is under way, else nil
	opened     chan struct{}      // closed when that start returned
	described  chan struct{}      // has room for one: info changed in a way that a Recorder is told of
	recorded   chan struct{}      // closed when the Recorder has everything, after the end
	err        error              // why the state is Dead
	closing    bool
}

var _ Context = (*Log)(nil)

// OpenLog starts d in the background and returns its Context. The Log owns d from here on.
func OpenLog(info ContextInfo, d Driver, opt LogOptions) *Log {
	life, end := context.WithCancel(context.Background())
	l := &Log{
		driver: d, opt: opt, store: newStore(opt.Epoch, opt.Memory, opt.Forget), life: life, end: end,
		wake: make(chan struct{}, 1), described: make(chan struct{}, 1), recorded: make(chan struct{}), info: info,
		known: map[event.ExecID]bool{}, cells: map[event.InputID]event.ExecID{}, stopped: map[string]string{},
		ledger: newLedger(opt.Record == nil),
	}
	l.store.limit = opt.Limit
	l.begin()
	if opt.Record != nil {
		go l.recordLoop() // shut waits for it
	} else {
		close(l.recorded)
	}
	l.idle.Go(l.serve)
	l.idle.Go(l.spillLoop)
	return l
}

// begin opens the driver, after what an earlier process left.
func (l *Log) begin() {
	if l.info.Started.IsZero() {
		l.info.Started = time.Now()
	}
	if l.opt.History == nil {
		l.opt.History = slices.Values([]event.Event(nil))
	}
	l.takeUp(l.opt.History)
	if l.opt.Gone != nil {
		l.unopened = true
		l.over(l.opt.Gone)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(event.State{State: event.Starting, Generation: l.info.State.Generation})
	l.start(l.driver.Open, nil)
}

// opener is Driver.Open with its sink bound, or Driver.Restart.
type opener func(context.Context, Sink) (Ready, error)

// start runs open in a goroutine, after the start before it has returned (nil: there was
// none), and takes its result. mu is held.
func (l *Log) start(open opener, before <-chan struct{}) {
	gen := l.info.State.Generation
	ctx, cancel := context.WithCancelCause(l.life)
	opened := make(chan struct{})
	l.cancelOpen, l.opened, l.early = func() { cancel(context.Canceled) }, opened, ""
	l.idle.Go(func() {
		defer close(opened)
		if before != nil {
			<-before // it was cancelled, and drivers heed that
		}
		if t := l.opt.StartupTimeout; t > 0 {
			timer := time.AfterFunc(t, func() {
				cancel(&TimeoutError{Clock: Starting, Limit: t, Setting: "--startup-timeout"})
			})
			defer timer.Stop()
		}
		ready, err := open(ctx, l)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		cancel(nil)
		l.openDone(gen, ready, err)
	})
}

// openDone takes the result of the start of a generation. It says nothing of a kernel that
// has been replaced, or that died between being ready and this.
func (l *Log) openDone(gen int, ready Ready, err error) {
	l.mu.Lock()
	now := l.info.State
	if now.Generation != gen {
		l.mu.Unlock()
		return
	}
	l.cancelOpen = nil
	waits := now.State == event.Starting || now.State == event.Restarting
	if waits {
		l.err = err
	}
	if waits && err == nil {
		l.learn(ready)
		state := event.Idle
		if ready.Busy {
			state = event.Busy
		}
		l.change(event.State{State: cmp.Or(l.early, state), Generation: gen})
	}
	l.describe()
	l.mu.Unlock()
	if waits && err != nil && !errors.Is(err, context.Canceled) {
		l.died(err.Error())
	}
	l.poke()
}

// learn takes over what the driver knows of its kernel. mu is held.
func (l *Log) learn(r Ready) {
	l.caps = r.Capabilities
	l.info.Language = r.Language
	l.locate(r)
}

// locate takes over where the kernel is. mu is held.
func (l *Log) locate(r Ready) {
	l.info.PID, l.info.PIDStart, l.info.ConnFile = r.PID, r.PIDStart, r.ConnFile
	l.info.Remote, l.info.Expires = r.Remote, r.Expires
}

// Renew implements Sink. Only the driver calls it.
func (l *Log) Renew(r Ready) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.info.State.State
	if now == event.Dead { // it is about a kernel that is no more
		return
	}
	if now == event.Starting || now == event.Restarting {
		l.locate(r)
		l.describe()
		return
	}
	l.learn(r)
	l.describe()
	l.store.append(event.Event{Time: time.Now(), Body: l.info.State})
}

// Info implements Context.
func (l *Log) Info() ContextInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	info := l.info
	info.Err, info.Waiting, info.Last = l.err, len(l.queue), l.store.cursor()
	info.Running = len(l.resumed)
	if l.running != nil {
		info.Running++
	}
	return info
}

// Capabilities implements Context.
func (l *Log) Capabilities() Capabilities {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.caps
}

// Follow implements Context.
func (l *Log) Follow(after Cursor) Stream { return l.store.follow(after) }

// Emit implements Sink. Only the driver calls it.
func (l *Log) Emit(exec event.ExecID, body event.Body) { l.EmitAt(exec, body, time.Now()) }

// EmitAt implements TimedSink. Only the driver calls it.
func (l *Log) EmitAt(exec event.ExecID, body event.Body, at time.Time) {
	switch b := body.(type) {
	case event.State:
		l.driverState(b)
		return
	case event.Started:
		l.begun(exec)
	case event.InputRequest:
		l.mu.Lock()
		l.cells[b.ID] = exec
		l.mu.Unlock()
	case event.InputClosed:
		l.mu.Lock()
		_, open := l.cells[b.ID]
		delete(l.cells, b.ID)
		l.mu.Unlock()
		if !open {
			return
		}
	}
	l.recordAt(exec, body, at)
}

// record appends while mu is held, as finish and setState do: nothing that is not Late may
// come after an end, and the last State in the log is the one that holds.
func (l *Log) record(exec event.ExecID, body event.Body) { l.recordAt(exec, body, time.Now()) }

// recordAt is record for what happened at a time that its host told.
func (l *Log) recordAt(exec event.ExecID, body event.Body, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.running; x != nil && x.ID == exec {
		x.hear()
	}
	l.store.append(event.Event{Time: at, Exec: exec, Late: l.known[exec], Body: body})
}

// driverState takes a state that the driver noticed.
func (l *Log) driverState(s event.State) {
	l.mu.Lock()
	s.Generation = l.info.State.Generation
	now := l.info.State.State
	ignored := now == event.Restarting || now == event.Dead || l.closing
	if now == event.Starting && (s.State == event.Busy || s.State == event.Idle) {
		l.early, ignored = s.State, true
	}
	if !ignored && s.State != event.Dead {
		l.change(s)
	}
	l.mu.Unlock()
	if !ignored && s.State == event.Dead { // else what the old kernel still says is part of its end
		l.died(s.Detail)
	}
}

// setState records a state unless nothing in it changed.
func (l *Log) setState(s event.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(s)
}

// change is setState with mu held.
func (l *Log) change(s event.State) {
	if l.info.State != s {
		l.info.State = s
		l.store.append(event.Event{Time: time.Now(), Body: s})
	}
}

// died records the kernel's end and cancels what waits for it.
func (l *Log) died(detail string) {
	l.mu.Lock()
	if l.err == nil {
		l.err = &Error{Kind: Killed, What: detail}
	}
	l.change(event.State{State: event.Dead, Generation: l.info.State.Generation, Detail: detail})
	// Taken out before the death is known: who reads of it may restart and submit at once.
	waiting := l.takeOut(func(Request) bool { return true })
	l.mu.Unlock()
	for _, r := range waiting {
		l.finish(r.ID, Outcome{Reason: event.Cancelled, Detail: "the kernel is not running: " + detail})
	}
}

// describe has the Recorder told of what l.info says now.
func (l *Log) describe() {
	select {
	case l.described <- struct{}{}:
	default:
	}
}

func (l *Log) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// spillLoop keeps the store's memory within its bound.
func (l *Log) spillLoop() {
	for {
		select {
		case <-l.store.pressed:
		case <-l.life.Done():
			return
		}
		l.store.trim()
		if err := l.store.relieve(); err != nil {
			l.store.append(event.Event{Time: time.Now(), Body: event.Gap{Detail: fmt.Sprintf("output stays in memory: %v", err)}})
			return
		}
	}
}

// Interrupt implements Context.
func (l *Log) Interrupt(ctx context.Context) error {
	l.mu.Lock()
	running := l.running
	others := running == nil && l.info.Foreign && l.info.State.State == event.Busy
	l.mu.Unlock()
	if running == nil {
		l.cancelQueued(func(Request) bool { return true }, "interrupted before it ran")
		if others {
			return l.driver.Interrupt(ctx)
		}
		return nil
	}
	l.cancelQueued(func(r Request) bool { return r.Group != "" && r.Group == running.Group }, "interrupted before it ran")
	if over, err := running.awaitBegin(ctx); over || err != nil {
		return err
	}
	return l.driver.Interrupt(ctx)
}

// Answer implements Context.
func (l *Log) Answer(ctx context.Context, id event.InputID, line string) error {
	l.mu.Lock()
	exec, open := l.cells[id]
	delete(l.cells, id) // the first answer wins
	l.mu.Unlock()
	if !open {
		return ErrAnswered
	}
	l.record(exec, event.InputClosed{ID: id})
	return l.driver.Answer(ctx, id, line)
}

// Restart implements Context.
func (l *Log) Restart(context.Context) error {
	waiting, err := l.beginRestart()
	for _, r := range waiting {
		l.finish(r.ID, Outcome{Reason: event.Restarted, Detail: "the kernel was restarted before it ran"})
	}
	return err
}

// beginRestart starts the next generation and returns what waited for the present one.
func (l *Log) beginRestart() ([]Request, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing {
		return nil, errStopped()
	}
	if l.info.State.State == event.Restarting {
		return nil, &Error{Kind: Exists, What: "the kernel is being restarted already"}
	}
	if l.cancelOpen == nil && l.info.State.State != event.Dead && !l.caps.Restart {
		return nil, l.cannotRestart()
	}
	l.change(event.State{State: event.Restarting, Generation: l.info.State.Generation + 1})
	if l.cancelOpen != nil {
		l.cancelOpen()
	}
	open := func(ctx context.Context, _ Sink) (Ready, error) { return l.driver.Restart(ctx) }
	if l.unopened {
		open, l.unopened = l.driver.Open, false
	}
	l.start(open, l.opened)
	waiting := append(l.resumed, l.takeOut(func(Request) bool { return true })...)
	l.resumed = nil
	return waiting, nil
}

// cannotRestart is the error of a restart that the driver does not know. mu is held.
func (l *Log) cannotRestart() error {
	if l.info.Foreign {
		return &Error{
			Kind: Unsupported, What: "the kernel was started by another program and cannot be restarted from here",
			Next: "restart it there",
		}
	}
	return &Error{Kind: Unsupported, What: "this host cannot restart what runs code", Next: "stop it and run again: that begins anew"}
}

// Stop implements Context. With force the kernel gets no time to end by itself.
func (l *Log) Stop(ctx context.Context, force bool) error {
	if force {
		now, cancel := context.WithCancel(ctx)
		cancel()
		ctx = now
	}
	return l.shut(ctx, true)
}

// Close implements Context.
func (l *Log) Close() error { return l.shut(context.Background(), false) }

func (l *Log) shut(ctx context.Context, stop bool) error {
	l.mu.Lock()
	if l.closing {
		l.mu.Unlock()
		l.idle.Wait()
		return nil
	}
	l.closing = true
	gen := l.info.State.Generation
	l.mu.Unlock()
	l.cancelQueued(func(Request) bool { return true }, "the kernel was stopped before it ran")
	l.end()
	err := l.driver.Close(ctx, stop)
	l.idle.Wait()
	if stop {
		l.setState(event.State{State: event.Dead, Generation: gen, Detail: event.Stopped})
	}
	l.store.end()
	<-l.recorded
	if l.opt.OnStop != nil {
		l.opt.OnStop()
	}
	return err
}
