package jupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

const (
	// silence is how long the second half of a run's end may be missing before we ask.
	silence = 2 * time.Second
	// politeness is how long a kernel may take to obey shutdown_request before a restart.
	politeness = time.Second
	// patience bounds the forced end of an old kernel; after it a restart goes on without.
	patience = 3 * time.Second
	// farewell is how long a kernel whose code asked it to exit may take to go by itself,
	// and then to obey shutdown_request.
	farewell = 3 * time.Second
	// helloAgain is the pause between kernel_info requests while iopub is silent, and
	// helloUnanswered while there is no reply at all.
	helloAgain      = 150 * time.Millisecond
	helloUnanswered = 2 * time.Second
	// lastOutput is how long after its process's end a kernel's messages are waited for.
	lastOutput = time.Second
	// defaultRequestTimeout bounds requests other than execute; a kernel that does not know
	// a message type says nothing.
	defaultRequestTimeout = 10 * time.Second
)

// DriverOptions are for NewDriver. The zero value is ready.
type DriverOptions struct {
	RequestTimeout time.Duration // bounds every request but execute; 0 is 10 s
	// Foreign is for kernels that another program started. They may be busy with that one's
	// code, are told to end by nobody here, and are not restarted: Restart only connects anew.
	Foreign bool
	// Restarts says that a Foreign kernel can be restarted all the same: by its Launcher.
	Restarts bool
	// Prepare, if not nil, returns code that each kernel runs before anybody's, in silence;
	// "" is none. language is what the kernel calls its own. An error fails the start, as one
	// of the code does.
	Prepare func(language string) (code string, err error)
	// Session is the session of the driver's messages, "" for a random one. The ids of its
	// execute requests follow from it and the ExecID, so that a driver of the same Session
	// knows the messages that a run of an earlier process causes.
	Session string
	// Adopt says that the first kernel of the Launcher runs already for this Session, and may
	// be busy with what Resumed names.
	Adopt   bool
	Resumed Resumed
}

// driver is a kernelclient.Driver for kernels that speak the Jupyter protocol. Each
// kernel is a generation with its own connection; nothing is carried over to the next.
type driver struct {
	launcher Launcher
	opt      DriverOptions
	sink     kernelclient.Sink  // set by Open before anything else begins
	ctx      context.Context    // ended by Close
	cancel   context.CancelFunc // of ctx
	life     chan struct{}      // held by Open, Restart and Close, one at a time
	stops    sync.WaitGroup     // kernels on their way out

	mu        sync.Mutex // guards all below
	gen       *generation
	adopted   bool // the first kernel of Options.Adopt was taken over
	keep      bool // Close does not end the kernel
	inputs    map[event.InputID]question
	lastInput int
}

// question is an input_request that was not answered yet.
type question struct {
	exec   event.ExecID
	gen    *generation
	header Header
}

// NewDriver returns a Driver for the kernels that l launches.
func NewDriver(l Launcher, opt DriverOptions) kernelclient.Driver {
	if opt.RequestTimeout <= 0 {
		opt.RequestTimeout = defaultRequestTimeout
	}
	if opt.Session == "" {
		opt.Session = rand.Text()
	}
	d := &driver{launcher: l, opt: opt, life: make(chan struct{}, 1), inputs: map[event.InputID]question{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

func errNotRunning() error {
	return &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel is not running", Next: "restart it"}
}

// lock takes the right to start or end kernels.
func (d *driver) lock(ctx context.Context) error {
	select {
	case d.life <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *driver) unlock() { <-d.life }

// Open implements kernelclient.Driver.
func (d *driver) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	if err := d.lock(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	defer d.unlock()
	d.sink = sink
	return d.start(ctx)
}

// Restart implements kernelclient.Driver.
func (d *driver) Restart(ctx context.Context) (kernelclient.Ready, error) {
	// Told before waiting: a run must end even while an earlier Restart still starts its kernel.
	if g := d.current(); g != nil {
		g.conclude(kernelclient.Outcome{Reason: event.Restarted})
	}
	if err := d.lock(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	defer d.unlock()
	if g := d.replace(nil); g != nil {
		g.conclude(kernelclient.Outcome{Reason: event.Restarted})
		d.retire(ctx, g)
	}
	return d.start(ctx)
}

// retire ends an old kernel, politely at first, and does not wait for it longer than a
// user who wants a new one would.
func (d *driver) retire(ctx context.Context, g *generation) {
	gone := make(chan struct{})
	d.stops.Go(func() {
		defer close(gone)
		polite, cancel := context.WithTimeout(context.Background(), politeness)
		defer cancel()
		_ = g.stop(polite, true)
	})
	timer := time.NewTimer(politeness + patience)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Close implements kernelclient.Driver.
func (d *driver) Close(ctx context.Context, stop bool) error {
	d.mu.Lock()
	d.keep = !stop
	d.mu.Unlock()
	d.cancel()
	if g := d.current(); g != nil {
		if d.opt.Foreign {
			g.leave(ctx, stop)
		}
		g.conclude(kernelclient.Outcome{Reason: event.Lost, Detail: "the context was closed"})
	}
	d.life <- struct{}{} // Open and Restart end soon, now that d.ctx has ended
	defer d.unlock()
	var err error
	if g := d.replace(nil); g != nil {
		if stop {
			err = g.stop(ctx, false)
		} else {
			g.free()
		}
	}
	d.stops.Wait()
	return err
}

// current returns the kernel that is in use or starting, nil if there is none.
func (d *driver) current() *generation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gen
}

// replace makes g the current generation and returns the one before.
func (d *driver) replace(g *generation) (old *generation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, d.gen = d.gen, g
	return old
}

// Interrupt implements kernelclient.Driver. It is held until the kernel has answered for
// the first time: a signal that arrives before its handler is there kills the kernel.
func (d *driver) Interrupt(ctx context.Context) error {
	g := d.current()
	if g == nil {
		return errNotRunning()
	}
	select {
	case <-g.answered:
	case <-g.ended:
		return errNotRunning()
	case <-ctx.Done():
		return ctx.Err()
	}
	g.markInterrupted()
	d.closeInputs(func(q question) bool { return q.gen == g })
	sent, err := g.kernel.Interrupt()
	if err != nil || sent {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, d.opt.RequestTimeout)
	defer cancel()
	return g.send(ctx, Message{Channel: Control, Header: g.header("interrupt_request")})
}

// Answer implements kernelclient.Driver.
func (d *driver) Answer(ctx context.Context, id event.InputID, line string) error {
	d.mu.Lock()
	q, open := d.inputs[id]
	delete(d.inputs, id)
	d.mu.Unlock()
	if !open {
		return kernelclient.ErrAnswered
	}
	d.sink.Emit(q.exec, event.InputClosed{ID: id})
	ctx, cancel := context.WithTimeout(ctx, d.opt.RequestTimeout)
	defer cancel()
	content := append(append([]byte(`{"value":`), quote(line)...), '}')
	return q.gen.send(ctx, Message{Channel: Stdin, Header: q.gen.header("input_reply"), Parent: q.header, Content: content})
}

// ask turns an input_request into an event.
func (d *driver) ask(g *generation, exec event.ExecID, m Message) {
	d.mu.Lock()
	d.lastInput++
	id := event.InputID("input-" + strconv.Itoa(d.lastInput))
	d.inputs[id] = question{exec: exec, gen: g, header: m.Header}
	d.mu.Unlock()
	d.sink.Emit(exec, event.InputRequest{ID: id, Prompt: m.Content.Get("prompt").Str(), Password: m.Content.Get("password").True()})
	select {
	case <-g.ended: // after closeInputs of its end had looked
		d.closeInputs(func(q question) bool { return q.gen == g })
	default:
	}
}

// asks tells whether the generation has an open question.
func (d *driver) asks(g *generation) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.inputs {
		if q.gen == g {
			return true
		}
	}
	return false
}

// closeInputs closes the open questions that which picks.
func (d *driver) closeInputs(which func(question) bool) {
	d.mu.Lock()
	closed := map[event.InputID]event.ExecID{}
	for id, q := range d.inputs {
		if which(q) {
			closed[id] = q.exec
			delete(d.inputs, id)
		}
	}
	d.mu.Unlock()
	for id, exec := range closed {
		d.sink.Emit(exec, event.InputClosed{ID: id})
	}
}

// start launches kernels until one is ready, as often as the launcher says. Only a kernel
// that ended by itself, or could not be talked to, is tried again.
func (d *driver) start(ctx context.Context) (kernelclient.Ready, error) {
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	for retry := 0; ; retry++ {
		if d.ctx.Err() != nil || ctx.Err() != nil {
			return kernelclient.Ready{}, d.startError(ctx, began, ctx.Err())
		}
		k, err := d.launcher.Launch(ctx, retry)
		if err != nil {
			return kernelclient.Ready{}, d.startError(ctx, began, err)
		}
		place := kernelclient.Ready{PID: k.PID()}
		place.PIDStart, place.ConnFile = placeOf(k)
		d.sink.Renew(place)
		g := newGeneration(d, k)
		d.replace(g)
		ready, err := g.becomeReady(ctx)
		if err == nil {
			return ready, nil
		}
		d.replace(nil)
		g.conclude(kernelclient.Outcome{Reason: event.Died, Detail: err.Error()})
		d.giveUp(g)
		if ctx.Err() != nil || retry >= d.launcher.Retries() || errors.Is(err, kernelclient.Gone) {
			return kernelclient.Ready{}, d.startError(ctx, began, err)
		}
	}
}

// giveUp ends a kernel that did not become ready. One that was there before its driver
// stays where only the driver goes.
func (d *driver) giveUp(g *generation) {
	d.mu.Lock()
	keep := d.keep && g.adopted
	d.mu.Unlock()
	if keep {
		g.free()
		return
	}
	past, cancel := context.WithCancel(context.Background())
	cancel() // nothing to be polite for
	_ = g.stop(past, false)
}

// startError says what the end of ctx means for a start.
func (d *driver) startError(ctx context.Context, began time.Time, err error) error {
	switch {
	case d.ctx.Err() != nil:
		return &kernelclient.Error{Kind: kernelclient.Gone, What: "the context was closed while its kernel started"}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		limit := time.Since(began)
		if deadline, ok := ctx.Deadline(); ok {
			limit = deadline.Sub(began)
		}
		return &kernelclient.TimeoutError{Clock: kernelclient.Starting, Limit: limit.Round(time.Millisecond), Setting: "--startup-timeout"}
	}
	return err
}

// object1 is a JSON object of one member.
func object1(name string, value rawjson.Value) rawjson.Value {
	b := append(append([]byte{'{'}, quote(name)...), ':')
	return append(append(b, value...), '}')
}
