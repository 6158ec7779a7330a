//go:build unix

package builtin

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

const (
	// shellRestart is how long an old shell may take to obey SIGHUP before a restart.
	shellRestart = time.Second
	// shellExited says that a cell, not an accident, ended the shell.
	shellExited = "the kernel ended by its code (exit)"
)

// NewShellDriver returns a Driver of a shell: one process that reads cells one after the
// other and keeps its variables, functions and folder. A shell that is missing is told by Open.
func NewShellDriver(opt ShellOptions) kernelclient.Driver {
	return &shellDriver{opt: opt, life: make(chan struct{}, 1), questions: map[event.InputID]shellQuestion{}}
}

type shellDriver struct {
	kernelclient.Unasked

	opt  ShellOptions
	sink kernelclient.Sink // set by Open before anything else begins
	life chan struct{}     // held by Open, Restart and Close, one at a time

	mu        sync.Mutex // guards all below
	sh        *shell     // the one in use, nil if there is none
	closed    bool
	questions map[event.InputID]shellQuestion
}

// shellQuestion is a read that was not answered yet; key is the shell's name for it.
type shellQuestion struct {
	sh   *shell
	exec event.ExecID
	key  string
}

// Open implements kernelclient.Driver.
func (d *shellDriver) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	if err := d.lock(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	defer d.unlock()
	d.sink = sink
	return d.start(ctx)
}

func (d *shellDriver) lock(ctx context.Context) error {
	select {
	case d.life <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *shellDriver) unlock() { <-d.life }

// start starts a shell and waits until it takes cells.
func (d *shellDriver) start(ctx context.Context) (kernelclient.Ready, error) {
	gone := &kernelclient.Error{Kind: kernelclient.Gone, What: "the context was closed while its shell started"}
	if d.isClosed() {
		return kernelclient.Ready{}, gone
	}
	sh, err := startShell(d)
	if err != nil {
		return kernelclient.Ready{}, err
	}
	d.mu.Lock()
	d.sh = sh
	d.mu.Unlock()
	select {
	case <-sh.ready:
	case <-sh.over:
		err = sh.verdict()
	case <-ctx.Done():
		err = ctx.Err()
	}
	if d.isClosed() {
		err = gone
	}
	if err != nil {
		d.drop()
		sh.kill()
		return kernelclient.Ready{}, err
	}
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Stream: true, State: true, Interrupt: true, Restart: true, Stdin: true, Folder: true},
		Language:     rawjson.Value(`{"name":"bash","mimetype":"text/x-sh","file_extension":".sh","codemirror_mode":"shell","pygments_lexer":"bash"}`),
		PID:          sh.pid,
	}, nil
}

func (d *shellDriver) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

func (d *shellDriver) current() *shell {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sh
}

// drop forgets the current shell and returns it.
func (d *shellDriver) drop() *shell {
	d.mu.Lock()
	defer d.mu.Unlock()
	sh := d.sh
	d.sh = nil
	return sh
}

// Run implements kernelclient.Driver.
func (d *shellDriver) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	sh := d.current()
	switch {
	case sh != nil && sh.hasEnded():
		return kernelclient.Outcome{Reason: event.Died, Detail: errNoShell().Error()}
	case sh != nil && sh.isReady():
	case len(d.life) > 0: // a start is under way: this came too late for the shell it was meant for
		return kernelclient.Outcome{Reason: event.Restarted, Detail: "the kernel was restarted before it ran"}
	default:
		return kernelclient.Outcome{Reason: event.Died, Detail: errNoShell().Error()}
	}
	return sh.run(ctx, r)
}

func errNoShell() error {
	return &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel is not running", Next: "restart it"}
}

// Interrupt implements kernelclient.Driver: what a Ctrl-C in a terminal does. Jobs in the
// background are left alone, as shells have it.
func (d *shellDriver) Interrupt(ctx context.Context) error {
	sh := d.current()
	if sh == nil {
		return errNoShell()
	}
	d.closeQuestions(func(q shellQuestion) bool { return q.sh == sh })
	return sh.interrupt(ctx)
}

// Answer implements kernelclient.Driver. A line of one U+0004 is the end of the input.
func (d *shellDriver) Answer(_ context.Context, id event.InputID, line string) error {
	d.mu.Lock()
	q, open := d.questions[id]
	delete(d.questions, id)
	d.mu.Unlock()
	if !open {
		return kernelclient.ErrAnswered
	}
	d.sink.Emit(q.exec, event.InputClosed{ID: id})
	line, _, _ = strings.Cut(line, "\n")
	_, err := q.sh.answers.WriteString(q.key + " " + line + "\n")
	return err
}

// ask turns a report that read waits into an event.
func (d *shellDriver) ask(sh *shell, exec event.ExecID, key, prompt string, password bool) {
	id := event.InputID("read-" + key)
	d.mu.Lock()
	d.questions[id] = shellQuestion{sh, exec, key}
	d.mu.Unlock()
	d.sink.Emit(exec, event.InputRequest{ID: id, Prompt: prompt, Password: password})
}

// closeQuestions closes the open questions that which picks.
func (d *shellDriver) closeQuestions(which func(shellQuestion) bool) {
	d.mu.Lock()
	closed := map[event.InputID]event.ExecID{}
	for id, q := range d.questions {
		if which(q) {
			closed[id] = q.exec
			delete(d.questions, id)
		}
	}
	d.mu.Unlock()
	for id, exec := range closed {
		d.sink.Emit(exec, event.InputClosed{ID: id})
	}
}

// Restart implements kernelclient.Driver.
func (d *shellDriver) Restart(ctx context.Context) (kernelclient.Ready, error) {
	// Told before waiting: a run must end even while an earlier Restart still starts its shell.
	if sh := d.current(); sh != nil {
		sh.conclude(kernelclient.Outcome{Reason: event.Restarted})
	}
	if err := d.lock(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	defer d.unlock()
	if sh := d.drop(); sh != nil {
		sh.conclude(kernelclient.Outcome{Reason: event.Restarted})
		polite, cancel := context.WithTimeout(ctx, shellRestart)
		sh.stop(polite)
		cancel()
	}
	return d.start(ctx)
}

// Close implements kernelclient.Driver. A shell cannot outlive the pipes that it is read
// from, so that letting go of it ends it too.
func (d *shellDriver) Close(ctx context.Context, stop bool) error {
	d.mu.Lock()
	d.closed = true
	sh := d.sh
	d.mu.Unlock()
	if sh != nil {
		sh.conclude(kernelclient.Outcome{Reason: event.Lost, Detail: "the context was closed"})
		if !sh.isReady() {
			sh.kill() // it starts, and who starts it waits for it
		}
	}
	d.life <- struct{}{} // Open and Restart end soon
	defer d.unlock()
	sh = d.drop()
	switch {
	case sh == nil:
	case stop:
		sh.stop(ctx)
	default:
		sh.kill()
	}
	return nil
}
