package batch

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Snippet runs one piece of code in a context.
type Snippet struct {
	Context kernelclient.Context
	Code    string
	Timeout time.Duration // 0 = none
	Streams Streams
	Signals <-chan os.Signal
	// Ask reads the user's answer to input(); nil: nobody can answer. It returns when ctx ends.
	Ask func(ctx context.Context, prompt string, password bool) (string, error)
	// Record, if not nil, collects everything instead of printing it.
	Record *Record
	// Each, if not nil, gets every event instead of the printing. Its error ends the run.
	Each func(event.Event) error
	// Done, if not nil, is called once the code has ended and before the context is stopped,
	// which may take its files with it. Its time does not count.
	Done func(context.Context)
}

// Run runs the snippet to its end and stops the context. Its error is an *Error or nil.
func (x Snippet) Run(ctx context.Context) error {
	r := &snippetRun{Snippet: x, id: event.ExecID(rand.Text()), printer: newPrinter(x.Streams), answers: make(chan answer)}
	return r.run(ctx)
}

type answer struct {
	id   event.InputID
	line string
	err  error
}

// snippetRun is one Run under way. It belongs to one goroutine.
type snippetRun struct {
	Snippet
	id      event.ExecID
	printer *printer
	answers chan answer
	asking  context.CancelFunc // of the question that is open, nil if none is
	last    *event.Error
	end     *event.Ended
	signal  os.Signal
	gone    error
}

func (r *snippetRun) run(ctx context.Context) error {
	began := time.Now()
	stream := r.Context.Follow(kernelclient.Cursor{})
	defer stream.Close()
	refused := r.Context.Submit(ctx, kernelclient.Request{ID: r.id, Code: r.Code, Timeout: r.Timeout, AllowStdin: r.Ask != nil})
	batches := make(chan []event.Event)
	follow, stop := context.WithCancel(ctx)
	defer stop()
	go pump(follow, stream.Next, batches)
	for refused == nil && r.end == nil && r.gone == nil && (r.signal == nil || r.signal == os.Interrupt) {
		if !r.step(follow, batches) {
			break
		}
	}
	dead := r.Context.Info().Err
	if r.Done != nil && refused == nil {
		ended := time.Now()
		r.Done(ctx)
		began = began.Add(time.Since(ended))
	}
	stopped := r.wind(ctx, batches)
	if refused != nil && dead == nil {
		dead = cause(refused)
	}
	if r.Record != nil {
		r.Record.finish(r.end, dead, time.Since(began))
	}
	return r.verdict(dead, stopped)
}

// step takes what comes next; false means that the user wants no more.
func (r *snippetRun) step(ctx context.Context, batches <-chan []event.Event) bool {
	select {
	case batch := <-batches:
		r.apply(ctx, batch)
	case a := <-r.answers:
		r.asking = nil
		if a.err != nil {
			a.line = "\x04" // what ipykernel takes for the end of the input
		}
		_ = r.Context.Answer(ctx, a.id, a.line) // it may have been closed meanwhile
	case s := <-r.Signals:
		if s != os.Interrupt || r.signal != nil {
			r.signal = s
			return false
		}
		r.signal = s
		return r.Context.Interrupt(ctx) == nil
	}
	return true
}

func (r *snippetRun) apply(ctx context.Context, batch []event.Event) {
	for _, e := range batch {
		switch b := e.Body.(type) {
		case event.Error:
			if e.Exec == r.id {
				r.last = &b
			}
		case event.InputRequest:
			r.ask(ctx, b)
		case event.InputClosed:
			if r.asking != nil {
				r.asking()
				r.asking = nil
			}
		case event.Ended:
			if e.Exec == r.id {
				r.end = &b
			}
		}
		if r.gone == nil {
			r.gone = r.show(e)
		}
	}
}

func (r *snippetRun) show(e event.Event) error {
	switch {
	case r.Each != nil:
		return r.Each(e)
	case r.Record != nil:
		r.Record.add(e)
		return nil
	}
	return r.printer.print(e)
}

// ask lets the user answer in a goroutine of its own; it ends with its answer, or when the question closes.
func (r *snippetRun) ask(ctx context.Context, q event.InputRequest) {
	if r.Ask == nil {
		return
	}
	asking, cancel := context.WithCancel(ctx)
	r.asking = cancel
	go func() {
		line, err := r.Ask(asking, q.Prompt, q.Password)
		if asking.Err() != nil {
			return
		}
		select {
		case r.answers <- answer{q.ID, line, err}:
		case <-asking.Done():
		}
	}()
}

// wind stops the kernel and takes in what is still in the log.
func (r *snippetRun) wind(ctx context.Context, batches <-chan []event.Event) error {
	polite, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stopped := make(chan error, 1)
	force := r.end == nil || r.end.Reason == event.TimedOut
	go func() { stopped <- r.Context.Stop(polite, force) }()
	for batch := range batches {
		r.apply(ctx, batch)
	}
	return <-stopped
}

func (r *snippetRun) verdict(dead, stop error) error {
	switch {
	case r.gone != nil:
		return WriteError(r.gone)
	case r.signal != nil:
		return Stopped(r.signal)
	case dead != nil && !r.ranThrough():
		return &Error{Status: StatusOf(dead), Text: oneLine(dead.Error())}
	case r.end != nil && r.end.Reason != event.Done:
		return failure("the code", *r.end, r.last)
	case stop != nil:
		return &Error{Status: NoKernel, Text: "the kernel could not be stopped", Err: stop}
	}
	return nil
}

// ranThrough tells whether the code came to an end of its own, which may be an exit.
func (r *snippetRun) ranThrough() bool {
	return r.end != nil && (r.end.Reason == event.Done || r.end.Reason == event.Failed)
}
