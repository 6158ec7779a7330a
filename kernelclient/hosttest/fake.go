package hosttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Script says what one run of a Fake does. It emits to f.Sink() under r.ID and returns
// the outcome; it should return when ctx, f.Interrupted() or f.Gone() is done.
type Script func(ctx context.Context, f *Fake, r kernelclient.Request) kernelclient.Outcome

// Fake is a kernelclient.Driver in memory, which can be asked where Completer or
// Inspector is set.
type Fake struct {
	Script  Script        // nil: every run is Done at once
	OpenErr error         // what Open fails with
	PID     int           // of the process that it claims to be, 0 for none
	Remote  string        // what its host calls it, "" for a kernel of this machine
	Expires time.Time     // when its host is to end it
	Hold    chan struct{} // if set, Open waits until it is closed

	Languages bool // a request may name a language of its own

	// Completer and Inspector answer questions. They should return when ctx is done.
	Completer func(ctx context.Context, code string, cursor int) (kernelclient.Completion, error)
	Inspector func(ctx context.Context, code string, cursor int) (kernelclient.Inspection, error)

	// WorkingFolder answers where the kernel is; nil: it cannot tell.
	WorkingFolder func(ctx context.Context) (string, error)

	mu        sync.Mutex // guards all below
	sink      kernelclient.Sink
	interrupt chan struct{}
	gone      chan struct{} // closed by Die and Restart
	mine      chan struct{} // gone as it was when the present run began, nil between runs
	answers   chan string
	closed    bool
	count     int
}

// Open implements kernelclient.Driver.
func (f *Fake) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	f.mu.Lock()
	f.sink = sink
	f.reset()
	hold := f.Hold
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return kernelclient.Ready{}, ctx.Err()
		}
	}
	return f.ready(), f.OpenErr
}

func (f *Fake) reset() {
	f.interrupt, f.gone, f.answers = make(chan struct{}), make(chan struct{}), make(chan string, 1)
	f.count = 0
}

func (f *Fake) ready() kernelclient.Ready {
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{
			Stream: true, State: true, Interrupt: true, Restart: true, Stdin: true,
			Complete: f.Completer != nil, Inspect: f.Inspector != nil, Updates: true, Languages: f.Languages,
		},
		Language: []byte(`{"name":"python","file_extension":".py"}`),
		PID:      f.PID, Remote: f.Remote, Expires: f.Expires,
	}
}

// Run implements kernelclient.Driver.
func (f *Fake) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	f.mu.Lock()
	f.count++
	n := f.count
	gone := f.gone
	f.mine = gone
	script := f.Script
	f.mu.Unlock()
	f.Sink().Emit("", event.State{State: event.Busy})
	f.Sink().Emit(r.ID, event.Started{Count: n})
	out := kernelclient.Outcome{Reason: event.Done}
	if script != nil {
		out = script(ctx, f, r)
	}
	out.Count = n
	f.mu.Lock()
	f.mine = nil
	f.interrupt = make(chan struct{}) // here, so that an interrupt just before Run counts
	f.mu.Unlock()
	select {
	case <-gone: // Die said so, or it is being restarted
		if out.Reason == event.Done {
			out.Reason = event.Died
		}
	default:
		f.Sink().Emit("", event.State{State: event.Idle})
	}
	return out
}

// Sink is where scripts emit.
func (f *Fake) Sink() kernelclient.Sink {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sink
}

// Interrupted is closed when the present run is interrupted.
func (f *Fake) Interrupted() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.interrupt
}

// Gone is closed when the kernel that the present run began on is gone, between runs when
// the present one is.
func (f *Fake) Gone() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mine != nil {
		return f.mine
	}
	return f.gone
}

// Answers receives the answers to input requests.
func (f *Fake) Answers() <-chan string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answers
}

// Interrupt implements kernelclient.Driver.
func (f *Fake) Interrupt(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.interrupt:
	default:
		close(f.interrupt)
	}
	return nil
}

// Answer implements kernelclient.Driver.
func (f *Fake) Answer(_ context.Context, _ event.InputID, line string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case f.answers <- line:
		return nil
	default:
		return fmt.Errorf("an answer is waiting already")
	}
}

// Complete implements kernelclient.Asker.
func (f *Fake) Complete(ctx context.Context, code string, cursor int) (kernelclient.Completion, error) {
	if f.Completer == nil {
		return kernelclient.Completion{}, unanswered()
	}
	return f.Completer(ctx, code, cursor)
}

// Inspect implements kernelclient.Asker.
func (f *Fake) Inspect(ctx context.Context, code string, cursor, _ int) (kernelclient.Inspection, error) {
	if f.Inspector == nil {
		return kernelclient.Inspection{}, unanswered()
	}
	return f.Inspector(ctx, code, cursor)
}

// IsComplete implements kernelclient.Asker: a Fake does not know.
func (f *Fake) IsComplete(context.Context, string) (kernelclient.IsComplete, error) {
	return kernelclient.IsComplete{}, unanswered()
}

// History implements kernelclient.Asker: a Fake keeps none.
func (f *Fake) History(context.Context, kernelclient.HistoryQuery) ([]kernelclient.HistoryEntry, error) {
	return nil, unanswered()
}

// Folder implements kernelclient.Folder.
func (f *Fake) Folder(ctx context.Context) (string, error) {
	if f.WorkingFolder == nil {
		return "", kernelclient.NoFolder()
	}
	return f.WorkingFolder(ctx)
}

func unanswered() error {
	return &kernelclient.Error{Kind: kernelclient.NoAnswer, What: "the fake kernel has no answer to that"}
}

// Lose ends the kernel with what it ran in: a restart is of no use.
func (f *Fake) Lose(detail string) {
	r := f.ready()
	r.Capabilities.Restart = false
	f.Sink().Renew(r)
	f.Die(detail)
}

// Die ends the kernel as a signal would.
func (f *Fake) Die(detail string) {
	f.Sink().Emit("", event.State{State: event.Dead, Detail: detail})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close()
}

func (f *Fake) close() {
	if f.gone == nil {
		return // closed before it was opened
	}
	select {
	case <-f.gone:
	default:
		close(f.gone)
	}
}

// Restart implements kernelclient.Driver.
func (f *Fake) Restart(context.Context) (kernelclient.Ready, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close()
	f.reset()
	return f.ready(), nil
}

// Close implements kernelclient.Driver.
func (f *Fake) Close(context.Context, bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.close()
	return nil
}

// Closed tells whether Close was called.
func (f *Fake) Closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// Host is a kernelclient.Host whose contexts are Fakes.
type Host struct {
	List  []kernelclient.Kernel // what Kernels returns
	Drive func(kernelclient.StartSpec) kernelclient.Driver
	// Clients is how many programs follow each context, if Contexts is to say so.
	Clients int
	Address string                 // what contexts say of where they run
	Runs    []kernelclient.Running // what Running returns, and Existing joins: with Drive, of that Kernel's name

	// Lasting contexts go on when they are closed: who closes one detaches.
	Lasting bool

	mu       sync.Mutex // guards all below
	contexts []kernelclient.Context
	started  int
}

// lasting is a context that goes on when it is closed.
type lasting struct{ *kernelclient.Log }

// Close lets go of it.
func (lasting) Close() error { return nil }

// Kernels implements kernelclient.Host.
func (h *Host) Kernels(context.Context) ([]kernelclient.Kernel, error) { return h.List, nil }

// Contexts implements kernelclient.Host.
func (h *Host) Contexts(context.Context) ([]kernelclient.ContextInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []kernelclient.ContextInfo
	for _, c := range h.contexts {
		info := c.Info()
		info.Clients = h.Clients
		out = append(out, info)
	}
	return out, nil
}

// Start implements kernelclient.Host.
func (h *Host) Start(_ context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	for _, k := range h.List {
		if k.Name == spec.Kernel {
			return h.open(kernelclient.ContextInfo{Kernel: k}, spec), nil
		}
	}
	return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: "no kernel " + spec.Kernel}
}

func (h *Host) open(info kernelclient.ContextInfo, spec kernelclient.StartSpec) kernelclient.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started++
	info.ID = kernelclient.ContextID(fmt.Sprint(h.started))
	info.Dir, info.Path, info.Name, info.Host = spec.Dir, spec.Session, spec.Name, h.Address
	log := kernelclient.OpenLog(info, h.Drive(spec), kernelclient.LogOptions{
		StartupTimeout: spec.StartupTimeout, Forget: spec.Forget, OnStop: func() { h.stopped(info.ID) },
	})
	var c kernelclient.Context = log
	if h.Lasting {
		c = lasting{log}
	}
	h.contexts = append(h.contexts, c)
	return c
}

func (h *Host) stopped(id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.contexts = slices.DeleteFunc(h.contexts, func(c kernelclient.Context) bool { return c.Info().ID == id })
}

// Running implements kernelclient.Joiner.
func (h *Host) Running(context.Context) ([]kernelclient.Running, error) { return h.Runs, nil }

// Existing implements kernelclient.Joiner.
func (h *Host) Existing(_ context.Context, file string, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	for _, r := range h.Runs {
		if r.File == file || file == kernelclient.Latest {
			spec.Kernel = r.Kernel.Name
			return h.open(kernelclient.ContextInfo{Kernel: r.Kernel, Foreign: true}, spec), nil
		}
	}
	return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: "no kernel runs at " + file}
}

// Attach implements kernelclient.Host.
func (h *Host) Attach(_ context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.contexts {
		if c.Info().ID == id {
			return c, nil
		}
	}
	return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: "no context " + string(id)}
}

// Close implements kernelclient.Host.
func (h *Host) Close() error { return nil }
