package e2b

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// running is one run under way. It belongs to the goroutine of Run, but for heard.
type running struct {
	d       *driver
	box     *sandbox
	context string // in the sandbox
	id      event.ExecID
	sink    kernelclient.Sink

	heard atomic.Int64 // when the last line came, in Unix nanoseconds; 0 = none yet
	count int
	fails []wire.Error
	ended bool
}

// Run implements kernelclient.Driver.
func (d *driver) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	d.mu.Lock()
	box, sink := d.box, d.sink
	d.stop = stop
	if d.closed {
		stop(errClosed)
	}
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stop = nil
	}()
	x := &running{d: d, box: box, id: r.ID, sink: sink}
	sink.Emit("", event.State{State: event.Busy})
	out := x.run(ctx, r)
	if out.Reason != event.Died {
		sink.Emit("", event.State{State: event.Idle})
	}
	return out
}

func (x *running) run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	if x.box.renew(ctx) {
		x.sink.Renew(x.d.ready())
	}
	stream, err := x.begin(ctx, r)
	if err != nil {
		return x.refused(ctx, r, err)
	}
	// On every way out, so that the connection never goes back to be used with a run on it.
	defer stream.Close()
	watch, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() { // it ends with this run
		defer close(done)
		x.watch(watch, stream)
	}()
	defer func() { stop(nil); <-done }()
	for {
		line, err := stream.Next()
		if err != nil {
			return x.broke(ctx, r, err)
		}
		x.heard.Store(time.Now().UnixNano())
		if x.take(line); x.ended {
			stream.drain()
			return x.over(ctx)
		}
	}
}

// begin hands the code over. A paused sandbox is woken for it: it has all it had, and the
// code has not run.
func (x *running) begin(ctx context.Context, r kernelclient.Request) (*Stream, error) {
	stream, err := x.hand(ctx, r)
	if err == nil || ctx.Err() != nil || !broken(err) {
		return stream, err
	}
	gone := x.box.gone(ctx)
	if !errors.Is(gone, kernelclient.Gone) {
		return nil, cmp.Or(gone, err)
	}
	x.sink.Emit("", event.State{State: event.Reconnecting, Detail: "the sandbox is paused and is being woken"})
	if err := x.box.wake(ctx); err != nil {
		return nil, err
	}
	x.sink.Renew(x.d.ready())
	x.sink.Emit("", event.State{State: event.Busy})
	return x.hand(ctx, r)
}

func (x *running) hand(ctx context.Context, r kernelclient.Request) (*Stream, error) {
	id, err := x.d.contextFor(ctx, x.box, r.Language)
	if err != nil {
		return nil, err
	}
	x.context = id
	if err := x.d.settle(ctx, x.box, id); err != nil {
		return nil, err
	}
	return x.d.client(x.box).Execute(ctx, wire.Execution{Code: r.Code, ContextID: id, EnvVars: x.d.env})
}

// contextFor is the context of a language, which is made where it is another than the
// driver's own.
func (d *driver) contextFor(ctx context.Context, box *sandbox, language string) (string, error) {
	d.mu.Lock()
	id, other := d.id, d.others[wire.Language(language)]
	d.mu.Unlock()
	switch name := wire.Language(language); {
	case language == "", name == d.language:
		return id, nil
	case other != "":
		return other, nil
	}
	made, err := d.client(box).Create(ctx, wire.ContextRequest{Language: language, Cwd: d.dir})
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	d.others[made.Language] = made.ID
	d.others[wire.Language(language)] = made.ID
	d.mu.Unlock()
	return made.ID, nil
}

// take turns a line into events. Errors wait for the end: a second one tells what the first
// has led to.
func (x *running) take(line wire.Line) {
	switch l := line.(type) {
	case wire.Count:
		x.count = l.N
		x.sink.Emit(x.id, event.Started{Count: l.N})
	case wire.Output:
		x.emitAt(event.Stream{Name: l.Name, Text: l.Text}, l.Time)
	case wire.Result:
		if l.Main {
			x.sink.Emit(x.id, event.Result{Count: x.count, Data: l.Bundle()})
		} else {
			x.sink.Emit(x.id, event.Display{Data: l.Bundle()})
		}
	case wire.Error:
		x.fails = append(x.fails, l)
	case wire.Unknown:
		x.sink.Emit(x.id, event.Unknown{Type: l.Type, Content: l.Raw})
	case wire.End:
		x.ended = true
	case wire.Keepalive:
	}
}

// emitAt emits what happened at a time that the sandbox told, where the sink takes one.
func (x *running) emitAt(body event.Body, at time.Time) {
	if timed, ok := x.sink.(kernelclient.TimedSink); ok && !at.IsZero() {
		timed.EmitAt(x.id, body, at)
		return
	}
	x.sink.Emit(x.id, body)
}

// over is the outcome of a run whose end was seen.
func (x *running) over(ctx context.Context) kernelclient.Outcome {
	if len(x.fails) == 0 {
		return x.outcome(event.Done, "")
	}
	last := x.fails[len(x.fails)-1]
	switch {
	case is(last, wire.ContextRestarting, wire.RestartedValue):
		const detail = "the kernel ended, and the sandbox started another: its variables are lost"
		x.sink.Emit("", event.State{State: event.Dead, Detail: detail})
		return x.outcome(event.Died, detail)
	case is(last, wire.UnexpectedEnd, wire.UnexpectedText), is(last, wire.WebSocketError, wire.LostValue), is(last, wire.WebSocketError, wire.UnsentValue):
		if errors.Is(context.Cause(ctx), errRestarted) {
			return x.outcome(event.Restarted, "")
		}
		why := last.Value
		if len(x.fails) > 1 {
			why += ", because of " + x.fails[0].Name + ": " + x.fails[0].Value
		}
		return x.outcome(event.Lost, why)
	}
	x.tellErrors()
	return x.outcome(event.Failed, "")
}

// is tells whether an error is one that the interpreter made.
func is(e wire.Error, name, value string) bool {
	return e.Name == name && e.Value == value && e.Traceback == ""
}

// tellErrors emits the last error, with those before it as what it came from.
func (x *running) tellErrors() {
	if len(x.fails) == 0 {
		return
	}
	last := x.fails[len(x.fails)-1]
	e := event.Error{Name: last.Name, Value: last.Value}
	for _, before := range x.fails[:len(x.fails)-1] {
		e.Traceback = append(e.Traceback, before.Name+": "+before.Value, before.Traceback)
	}
	if last.Traceback != "" {
		e.Traceback = append(e.Traceback, last.Traceback)
	}
	x.fails = nil
	x.sink.Emit(x.id, e)
}

func (x *running) outcome(why event.Reason, detail string) kernelclient.Outcome {
	return kernelclient.Outcome{Reason: why, Detail: detail, Count: x.count}
}

// broke is the outcome of a run whose stream ended before its end.
func (x *running) broke(ctx context.Context, r kernelclient.Request, err error) kernelclient.Outcome {
	x.tellErrors()
	if errors.Is(err, io.EOF) {
		what := "the stream ended before the end of the code was seen; what came later is lost"
		if x.heard.Load() == 0 {
			what = "the code interpreter gave the code back unrun: it has lost its kernels; restart this one"
		}
		err = &kernelclient.Error{Kind: kernelclient.Disconnect, What: what}
	}
	return x.failed(ctx, r, err)
}

// refused is the outcome of code that was not taken.
func (x *running) refused(ctx context.Context, r kernelclient.Request, err error) kernelclient.Outcome {
	if x.context == "" && errors.Is(err, kernelclient.NotFound) { // a language that the sandbox lacks
		x.fails = []wire.Error{{Name: "LanguageError", Value: err.Error()}}
		x.tellErrors()
		return x.outcome(event.Failed, "")
	}
	return x.failed(ctx, r, err)
}

// failed is the outcome of a run that did not come to its end.
func (x *running) failed(ctx context.Context, r kernelclient.Request, err error) kernelclient.Outcome {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errRestarted):
		return x.outcome(event.Restarted, "")
	case errors.Is(cause, errInterrupted):
		x.d.disturbed()
		return x.outcome(event.Interrupted, afterInterrupt(cmp.Or(r.Language, x.d.language)))
	case cause != nil:
		x.d.disturbed()
		return x.outcome(event.Lost, "")
	}
	var refused *edgeError
	if !errors.As(err, &refused) {
		x.d.disturbed()
	}
	if !errors.Is(err, kernelclient.Killed) {
		err = x.box.explain(ctx, err)
	}
	if errors.Is(err, kernelclient.Killed) {
		lost := x.d.ready()
		lost.Capabilities.Restart = false // no other sandbox takes its place
		x.sink.Renew(lost)
	}
	if errors.Is(err, kernelclient.Killed) || errors.Is(err, kernelclient.NotFound) {
		x.sink.Emit("", event.State{State: event.Dead, Detail: err.Error()})
		return x.outcome(event.Died, err.Error())
	}
	return x.outcome(event.Lost, err.Error())
}

// watch looks after a run that says nothing for long: it keeps a sandbox of ours from
// running out of time, and ends the stream of one that is gone.
func (x *running) watch(ctx context.Context, stream *Stream) {
	ticker := time.NewTicker(x.d.pace.silence)
	defer ticker.Stop()
	began := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if x.box.renew(ctx) {
			x.sink.Renew(x.d.ready())
		}
		last, quiet := x.heard.Load(), time.Since(began)
		if last != 0 {
			quiet = time.Since(time.Unix(0, last))
		}
		switch {
		case quiet < x.d.pace.silence:
		case last != 0 && quiet >= x.d.pace.lost: // a stream that has begun is never silent for long
			stream.cancel(&kernelclient.Error{
				Kind: kernelclient.Disconnect, What: fmt.Sprintf("nothing came from the sandbox for %s, not even its keepalives", x.d.pace.lost),
			})
			return
		default:
			if alive, known := x.box.alive(ctx); known && !alive {
				stream.cancel(errGone)
				return
			}
		}
	}
}

// errGone ends a stream whose sandbox is gone.
var errGone = errors.New("the sandbox is gone")
