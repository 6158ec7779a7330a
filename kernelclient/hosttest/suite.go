package hosttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// Config says what Run tests.
type Config struct {
	Host   func(t *testing.T) kernelclient.Host // a host that the suite closes
	Kernel string                               // a Python kernel of it
	// Displays is the Python statement that imports display and update_display.
	Displays string
	// Unseen says that nobody sees how a kernel's process ends.
	Unseen bool
	// Narrow is for a wire that tells less than Jupyter's: what comes after the end of a run,
	// or after its interrupt, is not seen, strings come without their quotes, and nobody is
	// told that code asked its kernel to exit.
	Narrow bool
	// Big runs the floods too: 200,000 lines, 50 MB in one line, 25,000 displays.
	Big bool
}

// Run is the conformance suite of kernelclient.Host. One context serves all cases that do
// not end it; those that do start their own.
func Run(t *testing.T, c Config) {
	host := c.Host(t)
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	shared := Start(t, host, c.Kernel)
	able := shared.able()
	for _, test := range []struct {
		name string
		can  bool // what the host cannot do is not tested
		run  func(*testing.T, *Client)
	}{
		{"streams", able.Stream, streams},
		{"result", able.State, func(t *testing.T, k *Client) { result(t, k, c.Narrow) }},
		{"error", true, failure},
		{"silent", able.Complete, silent},
		{"state lasts", able.State, lasts},
		{"state does not last", !able.State, forgets},
		{"displays", able.State, func(t *testing.T, k *Client) { displays(t, k, c.Displays, able.Updates) }},
		{"queue", true, queue},
		{"cancel", true, cancel},
		{"clock", able.Interrupt, clock},
		{"input", able.Stdin, input},
		{"input refused", able.State, inputRefused},
		{"interrupt at input", able.Stdin && able.Interrupt, interruptInput},
		{"interrupt", able.Interrupt && able.State, func(t *testing.T, k *Client) { interrupt(t, k, c.Narrow) }},
		{"interrupt of fresh code", able.Interrupt && !able.State, freshInterrupt},
		{"late output", !c.Narrow && able.Stream, late},
		{"two followers", true, followers},
		{"surrogate", true, surrogate},
		{"Unicode", true, unicode},
		{"10 MB", true, tenMegabytes},
		{"complete", able.Complete, complete},
		{"inspect", able.Inspect, inspect},
		{"is complete", able.Complete, isComplete},
		{"folder", able.Complete, folder},
		{"history", able.Complete, history},
		{"ask while busy", able.Complete, askBusy},
	} {
		if test.can {
			t.Run(test.name, func(t *testing.T) { test.run(t, shared.with(t)) })
		}
	}
	t.Run("two contexts", func(t *testing.T) { twoContexts(t, shared.with(t), Start(t, host, c.Kernel)) })
	if c.Big {
		t.Run("200,000 lines", func(t *testing.T) { lines(t, shared.with(t)) })
		t.Run("50 MB in one line", func(t *testing.T) { long(t, shared.with(t)) })
		t.Run("25,000 displays", func(t *testing.T) { manyDisplays(t, shared.with(t), c.Displays) })
	}
	if able.State {
		t.Run("restart", func(t *testing.T) { restart(t, shared.with(t)) })
		if !c.Narrow {
			t.Run("exit", func(t *testing.T) { exits(t, shared.with(t)) })
		}
		t.Run("killed", func(t *testing.T) { killed(t, shared.with(t), c.Unseen) })
	} else if able.Restart {
		t.Run("restart", func(t *testing.T) { freshRestart(t, shared.with(t)) })
	}
	t.Run("stop while running", func(t *testing.T) { stopRunning(t, Start(t, host, c.Kernel)) })
	t.Run("interrupt during start", func(t *testing.T) { interruptStart(t, Start(t, host, c.Kernel)) })
	t.Run("unknown kernel", func(t *testing.T) {
		_, err := host.Start(t.Context(), kernelclient.StartSpec{Kernel: "no-such-kernel-xyz", Dir: t.TempDir()})
		if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "no-such-kernel-xyz") {
			t.Errorf("got %v", err)
		}
	})
}

// able waits until the kernel takes requests, and tells what it can do.
func (c *Client) able() kernelclient.Capabilities {
	c.t.Helper()
	c.Wait("the kernel", func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State != event.Starting
	})
	return c.Capabilities()
}

// Client is a context as a test uses it: one follower and the events it has read.
type Client struct {
	kernelclient.Context
	t      testing.TB
	stream kernelclient.Stream
	n      *int
	batch  *[]event.Event
}

// Start starts a kernel that the test stops at its end.
func Start(t testing.TB, host kernelclient.Host, kernel string) *Client {
	t.Helper()
	return Follow(t, host, kernelclient.StartSpec{Kernel: kernel, Dir: t.TempDir(), StartupTimeout: time.Minute})
}

// Follow starts what spec says and follows it. The test stops it at its end.
func Follow(t testing.TB, host kernelclient.Host, spec kernelclient.StartSpec) *Client {
	t.Helper()
	k, err := host.Start(t.Context(), spec)
	return Joined(t, k, err)
}

// Existing joins a running kernel and follows it. The test stops the context at its end.
func Existing(t testing.TB, host kernelclient.Joiner, file string, spec kernelclient.StartSpec) *Client {
	t.Helper()
	k, err := host.Existing(t.Context(), file, spec)
	return Joined(t, k, err)
}

// Joined follows a context that came with err. The test stops it at its end.
func Joined(t testing.TB, k kernelclient.Context, err error) *Client {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{Context: k, t: t, stream: k.Follow(kernelclient.Cursor{}), n: new(int), batch: new([]event.Event)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := k.Stop(ctx, false); err != nil {
			t.Error("stop:", err)
		}
		_ = c.stream.Close()
	})
	return c
}

// with is the same client for a subtest.
func (c *Client) with(t *testing.T) *Client {
	d := *c
	d.t = t
	return &d
}

// Submit queues code and returns its id.
func (c *Client) Submit(code string, with ...func(*kernelclient.Request)) event.ExecID {
	c.t.Helper()
	*c.n++
	r := kernelclient.Request{ID: event.ExecID(fmt.Sprint("run", *c.n)), Code: code}
	for _, f := range with {
		f(&r)
	}
	if err := c.Context.Submit(c.t.Context(), r); err != nil {
		c.t.Fatal(err)
	}
	return r.ID
}

// SubmitAs queues code under an id.
func (c *Client) SubmitAs(id event.ExecID, code string) {
	c.t.Helper()
	c.Submit(code, func(r *kernelclient.Request) { r.ID = id })
}

// Wait returns the next event that f accepts, and what came before it.
func (c *Client) Wait(what string, f func(event.Event) bool) (hit event.Event, before []event.Event) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for {
		for len(*c.batch) > 0 {
			e := (*c.batch)[0]
			*c.batch = (*c.batch)[1:]
			if f(e) {
				return e, before
			}
			before = append(before, e)
		}
		var err error
		if *c.batch, err = c.stream.Next(ctx); err != nil {
			c.t.Fatalf("waiting for %s: %v; before it came %s", what, err, Words(before))
		}
	}
}

// Ended waits for the end of a run and returns what it gave, its end apart.
func (c *Client) Ended(id event.ExecID) (event.Ended, []event.Event) {
	c.t.Helper()
	hit, before := c.Wait("the end of "+string(id), func(e event.Event) bool {
		_, ok := e.Body.(event.Ended)
		return ok && e.Exec == id
	})
	mine := before[:0]
	for _, e := range before {
		if e.Exec == id {
			mine = append(mine, e)
		}
	}
	return hit.Body.(event.Ended), mine
}

// Do runs code to its end.
func (c *Client) Do(code string) (event.Ended, []event.Event) {
	c.t.Helper()
	return c.Ended(c.Submit(code))
}

// until waits for output of a run that contains text.
func (c *Client) until(id event.ExecID, text string) {
	c.t.Helper()
	c.Wait(text, func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && e.Exec == id && strings.Contains(s.Text, text)
	})
}

// Words writes the output events of a run in short: stdout:…, stderr:…, result:…, display:…, error:….
func Words(events []event.Event) string {
	var out []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case event.Stream:
			if e.Exec == "" {
				continue
			}
			if n := len(out) - 1; n >= 0 && strings.HasPrefix(out[n], b.Name+":") {
				out[n] += b.Text
			} else {
				out = append(out, b.Name+":"+b.Text)
			}
		case event.Result:
			out = append(out, "result:"+plainOf(b.Data))
		case event.Display:
			out = append(out, "display:"+plainOf(b.Data))
		case event.Update:
			out = append(out, "update:"+plainOf(b.Data))
		case event.Error:
			out = append(out, "error:"+b.Name+":"+b.Value)
		case event.Gap:
			out = append(out, "gap:"+b.Detail)
		}
	}
	return strings.Join(out, "|")
}

func plainOf(b mime.Bundle) string { s, _ := b.Plain(); return s }

// expect runs code that must end well and put out just this.
func (c *Client) expect(code, want string) {
	c.t.Helper()
	end, events := c.Do(code)
	if got := Words(events); end.Reason != event.Done || got != want {
		c.t.Errorf("%s\ngot  %q, %+v\nwant %q", code, got, end, want)
	}
}
