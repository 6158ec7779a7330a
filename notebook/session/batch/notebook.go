package batch

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// patience is how long a kernel may take to end by itself.
const patience = 5 * time.Second

// Notebook runs all code cells of a session's document, in order.
type Notebook struct {
	Session     *session.Session
	Streams     Streams
	Signals     <-chan os.Signal // the first interrupt interrupts the cell, the second kills; others end the run
	AllowErrors bool
	Ready       func(context.Context) error   // called once the kernel is there and before the first cell; its error ends the run
	Done        func(context.Context)         // called after the last cell and before the kernel is stopped, which may take its files with it
	Note        func(string)                  // one line about what goes on, such as the kernel's choice
	Save        func(notebook.Snapshot) error // nil: nothing is written
}

// Run runs the notebook, stops the kernel and saves, on every way out. Its error is an
// *Error, or nil where all is well.
func (n Notebook) Run(ctx context.Context) error {
	r := &notebookRun{Notebook: n, printer: newPrinter(n.Streams), errors: map[event.ExecID]event.Error{}}
	err := r.run(ctx)
	if n.Save == nil || !n.Session.Started() {
		return err
	}
	saveErr := n.Save(n.Session.Doc().Snapshot())
	switch {
	case saveErr == nil:
		return err
	case err == nil:
		return &Error{Status: Usage, Text: "not saved", Err: saveErr}
	}
	return &Error{Status: StatusOf(err), Text: err.Error() + "; and not saved", Err: saveErr}
}

// notebookRun is one Run under way. It belongs to one goroutine.
type notebookRun struct {
	Notebook
	printer *printer
	errors  map[event.ExecID]event.Error // the exception of each run
	failed  *Error                       // the first failure of a cell
	signal  os.Signal                    // that ends the run
	gone    error                        // a writer's
}

func (r *notebookRun) run(ctx context.Context) error {
	refused := r.start(ctx)
	if refused != nil && !r.Session.Started() {
		return &Error{Status: StatusOf(refused), Err: refused}
	}
	batches := make(chan []event.Event)
	follow, stop := context.WithCancel(ctx)
	defer stop()
	go pump(follow, r.Session.Next, batches)
	for refused == nil && r.Session.Running() && r.signal == nil && r.gone == nil {
		r.step(ctx, batches)
	}
	dead := r.Session.Err()
	if r.Done != nil && refused == nil {
		r.Done(ctx)
	}
	if refused != nil && dead == nil {
		dead = cause(refused)
	}
	r.wind(ctx, batches)
	switch {
	case r.gone != nil:
		return WriteError(r.gone)
	case r.signal != nil:
		return Stopped(r.signal)
	case dead != nil && (r.failed == nil || r.failed.Status == CellFailed):
		return &Error{Status: StatusOf(dead), Text: oneLine(dead.Error())}
	case r.failed != nil:
		return r.failed
	}
	return nil
}

func (r *notebookRun) start(ctx context.Context) error {
	if err := r.Session.Start(ctx); err != nil {
		return err
	}
	if k, note := r.Session.Kernel(); r.Note != nil {
		if note == "" {
			note = fmt.Sprintf("kernel: %s (%s)", cmp.Or(k.Name, k.DisplayName), k.Found)
		}
		r.Note(note)
	}
	if r.Ready != nil {
		if err := r.Ready(ctx); err != nil {
			return err
		}
	}
	var keys []notebook.CellKey
	for _, c := range r.Session.Doc().Cells() {
		keys = append(keys, c.Key)
	}
	return r.Session.Run(ctx, keys...)
}

// pump hands on batches until the log ends, then closes the channel.
func pump(ctx context.Context, next func(context.Context) ([]event.Event, error), to chan<- []event.Event) {
	defer close(to)
	for {
		batch, err := next(ctx)
		if err != nil {
			return
		}
		select {
		case to <- batch:
		case <-ctx.Done():
			return
		}
	}
}

func (r *notebookRun) step(ctx context.Context, batches <-chan []event.Event) {
	select {
	case batch := <-batches:
		r.apply(batch)
	case s := <-r.Signals:
		if s == os.Interrupt {
			r.interrupt(ctx, batches)
		}
		r.signal = s
	}
}

// interrupt interrupts the running cell and waits for its end, or for a second signal.
func (r *notebookRun) interrupt(ctx context.Context, batches <-chan []event.Event) {
	if err := r.Session.Interrupt(ctx); err != nil {
		return // stopping the kernel does it
	}
	for r.Session.Running() && r.gone == nil {
		select {
		case batch := <-batches:
			r.apply(batch)
		case <-r.Signals:
			return
		}
	}
}

// wind stops the kernel and takes in what is still in the log.
func (r *notebookRun) wind(ctx context.Context, batches <-chan []event.Event) {
	polite, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stopped := make(chan error, 1)
	force := r.signal != nil || r.gone != nil
	go func() { stopped <- r.Session.Stop(polite, force) }()
	for batch := range batches {
		r.apply(batch)
	}
	if err := <-stopped; err != nil && r.failed == nil {
		r.failed = &Error{Status: NoKernel, Text: "the kernel could not be stopped", Err: err}
	}
}

func (r *notebookRun) apply(batch []event.Event) {
	for _, e := range batch {
		if b, ok := e.Body.(event.Error); ok {
			r.errors[e.Exec] = b
		}
		if r.gone == nil {
			r.gone = r.printer.print(e)
		}
		if end, ok := e.Body.(event.Ended); ok {
			r.judge(e, end)
		}
	}
	r.Session.Apply(batch)
}

// judge remembers the first end that is a failure.
func (r *notebookRun) judge(e event.Event, end event.Ended) {
	if end.Reason == event.Done || r.failed != nil && r.failed.Status != CellFailed {
		return
	}
	var last *event.Error
	if b, ok := r.errors[e.Exec]; ok {
		last = &b
	}
	f := failure(r.name(e.Exec), end, last)
	if f.Status == CellFailed && (r.AllowErrors || r.failed != nil) {
		return
	}
	if f.Status == NoKernel || r.failed == nil {
		r.failed = f
	}
}

// name is what a message calls the cell of a run.
func (r *notebookRun) name(id event.ExecID) string {
	if key, ok := r.Session.CellOf(id); ok {
		if i := r.Session.Doc().Index(key); i >= 0 {
			return fmt.Sprintf("cell %d", i+1)
		}
	}
	return "a cell"
}
