package unsandbox

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// filesDriver runs each cell as a process of its own in one session: files last.
type filesDriver struct {
	host *Host
	spec SessionSpec
	env  []string
	sink kernelclient.Sink // set by Open before anything else begins

	mu      sync.Mutex // guards all below
	session string     // its id, "" for none
	count   int
	cell    string             // the name of what runs, "" if nothing does
	cancel  context.CancelFunc // of the wait for it
	stopped bool               // it was interrupted
	over    error              // why its wait ended: a restart
}

func newFilesDriver(h *Host, start kernelclient.StartSpec) *filesDriver {
	s := h.opt.Settings
	return &filesDriver{
		host: h, env: start.Env,
		spec: SessionSpec{Network: s.Network, TTL: s.TTL, VCPU: s.VCPU, Shell: cmp.Or(s.Shell, "bash"), Multiplexer: s.Multiplexer},
	}
}

// Open implements kernelclient.Driver.
func (d *filesDriver) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	d.sink = sink
	return d.create(ctx)
}

func (d *filesDriver) create(ctx context.Context) (kernelclient.Ready, error) {
	s, err := d.host.client.CreateSession(ctx, d.spec)
	if err != nil {
		return kernelclient.Ready{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session, d.count = s.ID, 0
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Interrupt: true, Restart: true, Languages: true},
		Language:     languageInfo("python"), Remote: s.ID, Expires: d.host.client.now().Add(cmp.Or(d.spec.TTL, sessionTTL)),
	}, nil
}

// Run implements kernelclient.Driver.
func (d *filesDriver) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	name := "/tmp/.nbterm-" + newID()
	d.mu.Lock()
	d.count++
	n, session := d.count, d.session
	d.cell, d.cancel, d.stopped, d.over = name, cancel, false, nil
	d.mu.Unlock()
	d.sink.Emit("", event.State{State: event.Busy})
	defer d.sink.Emit("", event.State{State: event.Idle})
	d.sink.Emit(r.ID, event.Started{Count: n})
	language := usualName(cmp.Or(r.Language, "python"))
	language = cmp.Or(language, r.Language, "python")
	program := interpreter(language)
	if program == "" {
		d.sink.Emit(r.ID, event.Error{Name: "Refused", Value: fmt.Sprintf("a session with kept files runs no %s; a stateless kernel may", language)})
		return kernelclient.Outcome{Reason: event.Failed, Count: n}
	}
	out := d.run(ctx, session, name, program, r)
	out.Count = n
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cell = ""
	switch {
	case d.over != nil:
		return kernelclient.Outcome{Reason: event.Restarted, Detail: "restarted while it ran", Count: n}
	case d.stopped && out.Reason != event.Done:
		out.Reason = event.Interrupted
	}
	return out
}

// run puts the code into a file of the session and has it run.
func (d *filesDriver) run(ctx context.Context, session, name, program string, r kernelclient.Request) kernelclient.Outcome {
	source := r.Code
	if program == "php" && !strings.Contains(source, "<?") {
		source = "<?php " + source
	}
	code := base64.StdEncoding.EncodeToString([]byte(source))
	const most = 60_000 // bytes of one argument that every system takes
	for len(code) > most {
		if _, err := d.host.client.Command(ctx, session, fmt.Sprintf("printf %%s '%s' >>%s.b64", code[:most], name), 0); err != nil {
			return d.failed(err)
		}
		code = code[most:]
	}
	// The pid is that of the interpreter itself, so that an interrupt reaches it.
	command := fmt.Sprintf("printf %%s '%s' >>%[2]s.b64; base64 -d <%[2]s.b64 >%[2]s; rm -f %[2]s.b64; %[3]s; "+
		"sh -c 'echo $$ >%[2]s.pid; exec %[4]s %[2]s'; s=$?; rm -f %[2]s %[2]s.pid; exit $s", code, name, d.exports(), program)
	j, err := d.host.client.Command(ctx, session, command, r.Timeout)
	if err != nil {
		return d.failed(err)
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

func (d *filesDriver) failed(err error) kernelclient.Outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	var late *kernelclient.TimeoutError
	switch {
	case d.stopped:
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

// Interrupt implements kernelclient.Driver: a second command signals what runs. What does not
// end then is let go of.
func (d *filesDriver) Interrupt(ctx context.Context) error {
	d.mu.Lock()
	name, session, cancel := d.cell, d.session, d.cancel
	d.stopped = true
	d.mu.Unlock()
	if name == "" {
		return nil
	}
	limited, done := context.WithTimeout(ctx, cancelLimit)
	defer done()
	for d.runs(name) {
		j, err := d.host.client.Command(limited, session, fmt.Sprintf("kill -INT $(cat %s.pid)", name), cancelLimit)
		if err == nil && j.OK() {
			return nil
		}
		// It has not begun yet, or has just ended.
		if err != nil || d.host.client.wait(limited, pollPause/10) != nil {
			cancel() // it may go on, which is said
			return nil
		}
	}
	return nil
}

// runs tells whether a cell's command has not returned yet.
func (d *filesDriver) runs(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cell == name
}

// Answer implements kernelclient.Driver: nothing is ever asked.
func (d *filesDriver) Answer(context.Context, event.InputID, string) error {
	return kernelclient.ErrAnswered
}

// Restart implements kernelclient.Driver: another session, without files.
func (d *filesDriver) Restart(ctx context.Context) (kernelclient.Ready, error) {
	d.mu.Lock()
	if d.cancel != nil {
		d.over = errRestarted
		d.cancel()
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
	d.mu.Lock()
	cancel := d.cancel
	d.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if !stop {
		return nil
	}
	return d.delete(ctx)
}
