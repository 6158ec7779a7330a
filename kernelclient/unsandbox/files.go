package unsandbox

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// obeyLimit is how long a signal may take to arrive, and a process to end by it.
const obeyLimit = 10 * time.Second

// filesDriver runs each cell as a process of its own in one session: files last.
type filesDriver struct {
	host *Host
	spec SessionSpec
	env  []string
	sink kernelclient.Sink // set by Open before anything else begins

	life context.Context // ends with Close
	end  context.CancelFunc
	wg   sync.WaitGroup // interrupts under way

	mu      sync.Mutex // guards all below
	session string     // its id, "" for none
	expires time.Time  // when the service ends it
	count   int
	running *fileCell // nil if nothing runs
}

// fileCell is an execution under way. The driver's mu guards what changes.
type fileCell struct {
	session, name string // the name of its files there
	cancel        context.CancelFunc
	done          chan struct{}
	stopped       bool // it was interrupted
	restarted     bool // the session was
}

// newFilesDriver is for a session that is there already, or for one to be made.
func newFilesDriver(h *Host, start kernelclient.StartSpec, session string, expires time.Time) *filesDriver {
	s := h.opt.Settings
	life, end := context.WithCancel(context.Background())
	return &filesDriver{
		host: h, env: start.Env, life: life, end: end, session: session, expires: expires,
		spec: SessionSpec{Network: s.Network, TTL: s.TTL, VCPU: s.VCPU, Shell: cmp.Or(s.Shell, "bash"), Multiplexer: s.Multiplexer},
	}
}

// Open implements kernelclient.Driver.
func (d *filesDriver) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	d.sink = sink
	if d.session != "" {
		return d.ready(), nil
	}
	return d.create(ctx)
}

func (d *filesDriver) create(ctx context.Context) (kernelclient.Ready, error) {
	s, err := d.host.client.CreateSession(ctx, d.spec)
	if err != nil {
		return kernelclient.Ready{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session, d.count, d.expires = s.ID, 0, d.host.client.now().Add(cmp.Or(d.spec.TTL, sessionTTL))
	return d.ready(), nil
}

func (d *filesDriver) ready() kernelclient.Ready {
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Interrupt: true, Restart: true, Languages: true},
		Language:     languageInfo("python"), Remote: d.session, Expires: d.expires,
	}
}

// Run implements kernelclient.Driver.
func (d *filesDriver) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &fileCell{name: "/tmp/.nbterm-" + newID(), cancel: cancel, done: make(chan struct{})}
	defer close(x.done)
	d.mu.Lock()
	d.count++
	n := d.count
	x.session, d.running = d.session, x
	d.mu.Unlock()
	d.sink.Emit("", event.State{State: event.Busy})
	defer d.sink.Emit("", event.State{State: event.Idle})
	d.sink.Emit(r.ID, event.Started{Count: n})
	language := usualName(cmp.Or(r.Language, "python"))
	language = cmp.Or(language, r.Language, "python")
	program := interpreter(language)
	if program == "" {
		d.mu.Lock()
		d.running = nil
		d.mu.Unlock()
		d.sink.Emit(r.ID, event.Error{Name: "Refused", Value: fmt.Sprintf("a session with kept files runs no %s; a stateless kernel may", language)})
		return kernelclient.Outcome{Reason: event.Failed, Count: n}
	}
	out := d.run(ctx, x, program, r)
	out.Count = n
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = nil
	switch {
	case x.restarted:
		return kernelclient.Outcome{Reason: event.Restarted, Detail: "restarted while it ran", Count: n}
	case x.stopped && out.Reason != event.Done:
		out.Reason = event.Interrupted
	}
	return out
}

// run puts the code into a file of the session and has it run.
func (d *filesDriver) run(ctx context.Context, x *fileCell, program string, r kernelclient.Request) kernelclient.Outcome {
	source := r.Code
	if program == "php" && !strings.Contains(source, "<?") {
		source = "<?php " + source
	}
	code := base64.StdEncoding.EncodeToString([]byte(source))
	const most = 60_000 // bytes of one argument that every system takes
	for len(code) > most {
		if _, err := d.host.client.Command(ctx, x.session, fmt.Sprintf("printf %%s '%s' >>%s.b64", code[:most], x.name), 0); err != nil {
			return d.failed(x, err)
		}
		code = code[most:]
	}
	// The pid is that of the interpreter itself, so that an interrupt reaches it.
	command := fmt.Sprintf("printf %%s '%s' >>%[2]s.b64; base64 -d <%[2]s.b64 >%[2]s; rm -f %[2]s.b64; %[3]s; "+
		"sh -c 'echo $$ >%[2]s.pid; exec %[4]s %[2]s'; s=$?; rm -f %[2]s %[2]s.pid; exit $s", code, x.name, d.exports(), program)
	j, err := d.host.client.Command(ctx, x.session, command, r.Timeout)
	if err != nil {
		return d.failed(x, err)
	}
	language := usualName(cmp.Or(r.Language, "python"))
	return report(d.sink, r.ID, Program{Language: cmp.Or(language, r.Language, "python")}, j)
}

// exports is a command that sets the variables of the context.
func (d *filesDriver) exports() string {
	var out []string
	for _, kv := range d.env {
		if k, v, ok := strings.Cut(kv, "="); ok && isName(k) {
			out = append(out, "export "+k+"="+quoted(v))
		}
	}
	return cmp.Or(strings.Join(out, "; "), ":")
}

// isName tells whether a shell takes a word for a variable's name.
func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// quoted is a word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (d *filesDriver) failed(x *fileCell, err error) kernelclient.Outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	var late *kernelclient.TimeoutError
	switch {
	case x.stopped:
		return kernelclient.Outcome{Reason: event.Interrupted, Detail: "interrupted (remote: unknown): the run may go on there"}
	case errors.As(err, &late):
		return kernelclient.Outcome{Reason: event.TimedOut, Detail: late.Why()}
	case errors.Is(err, kernelclient.NotFound):
		return kernelclient.Outcome{Reason: event.Died, Detail: "the session is gone, and its files with it"}
	}
	return kernelclient.Outcome{Reason: event.Lost, Detail: err.Error()}
}

// interpreter is the program that runs a language in a session, "" for languages that are
// compiled.
func interpreter(language string) string {
	return map[string]string{
		"python": "python3", "bash": "bash", "javascript": "node", "ruby": "ruby", "perl": "perl", "lua": "lua", "r": "Rscript",
		"php": "php", "julia": "julia", "tcl": "tclsh", "raku": "raku",
	}[language]
}

// Interrupt implements kernelclient.Driver: a second command signals what runs, and a third
// one more strongly. What does not end then is let go of.
func (d *filesDriver) Interrupt(context.Context) error {
	d.mu.Lock()
	x := d.running
	if x == nil || x.stopped {
		d.mu.Unlock()
		return nil
	}
	x.stopped = true
	d.mu.Unlock()
	d.wg.Go(func() {
		for _, signal := range []string{"INT", "TERM"} {
			if !d.signal(x, signal) {
				break
			}
			select {
			case <-x.done:
				return
			case <-d.life.Done():
				return
			case <-time.After(obeyLimit):
			}
		}
		x.cancel() // it may go on, which is said
	})
	return nil
}

// signal reports whether a signal was sent, or was not needed any more.
func (d *filesDriver) signal(x *fileCell, name string) bool {
	ctx, done := context.WithTimeout(d.life, obeyLimit)
	defer done()
	for {
		j, err := d.host.client.Command(ctx, x.session, fmt.Sprintf("kill -%s $(cat %s.pid)", name, x.name), cancelLimit)
		if err == nil && j.OK() {
			return true
		}
		select {
		case <-x.done: // it has just ended
			return true
		default: // it has not begun yet
		}
		if err != nil || d.host.client.wait(ctx, pollPause/10) != nil {
			return false
		}
	}
}

// Answer implements kernelclient.Driver: nothing is ever asked.
func (d *filesDriver) Answer(context.Context, event.InputID, string) error {
	return kernelclient.ErrAnswered
}

// Restart implements kernelclient.Driver: another session, without files.
func (d *filesDriver) Restart(ctx context.Context) (kernelclient.Ready, error) {
	d.mu.Lock()
	if x := d.running; x != nil {
		x.restarted = true
		x.cancel()
	}
	d.mu.Unlock()
	if err := d.delete(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	return d.create(ctx)
}

func (d *filesDriver) delete(ctx context.Context) error {
	d.mu.Lock()
	session := d.session
	d.session = ""
	d.mu.Unlock()
	if session == "" {
		return nil
	}
	now, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteLimit)
	defer cancel()
	return notThere(d.host.client.DeleteSession(now, session))
}

// Close implements kernelclient.Driver. Only a stop ends the session: its files may still be wanted.
func (d *filesDriver) Close(ctx context.Context, stop bool) error {
	d.end()
	d.mu.Lock()
	if d.running != nil {
		d.running.cancel()
	}
	d.mu.Unlock()
	d.wg.Wait()
	if !stop {
		return nil
	}
	return d.delete(ctx)
}
