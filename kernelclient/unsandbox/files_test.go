//go:build unix

package unsandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// TestKeptFiles: files last from cell to cell, variables do not.
func TestKeptFiles(t *testing.T) {
	testPython(t)
	h, _ := host(t, unsandboxtest.Options{Run: true}, nil)
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: KernelFiles, Env: []string{"WHO=it's me", "no-name=x"}})
	for _, c := range []struct{ language, code, want string }{
		{"", "x = 1\nopen('kept.txt', 'w').write('hello')\nimport os; print(os.environ['WHO'])", "stdout:it's me\n"},
		{"bash", "cat kept.txt; echo; echo err >&2", "stdout:hello\n|stderr:err\n"},
		{"", "print('x' in globals())\n#" + strings.Repeat("long", 50_000), "stdout:False\n"},
	} {
		id := k.Submit(c.code, func(r *kernelclient.Request) { r.Language = c.language })
		if end, events := k.Ended(id); end.Reason != event.Done || hosttest.Words(events) != c.want {
			t.Errorf("%.40q: %+v %q", c.code, end, hosttest.Words(events))
		}
	}
	if end, events := k.Do("1/0"); end.Reason != event.Failed || hosttest.Words(events) != "error:ZeroDivisionError:division by zero" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	id := k.Submit("x", func(r *kernelclient.Request) { r.Language = "rust" })
	if end, events := k.Ended(id); end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), "rust") {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if c := k.Capabilities(); c.State || c.Stream || k.Info().Remote == "" || k.Info().Expires.IsZero() {
		t.Errorf("%+v %+v", c, k.Info())
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Do("open('kept.txt')"); end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), "error:FileNotFoundError") || end.Count != 1 {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if err := k.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if all, err := h.client.Sessions(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("left over: %v %v", all, err)
	}
}

// TestJoinSession: the files of a session are there for the next program, and after a crash.
func TestJoinSession(t *testing.T) {
	testPython(t)
	h, s := host(t, unsandboxtest.Options{Run: true}, nil)
	x, err := h.client.CreateSession(t.Context(), SessionSpec{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := h.Contexts(t.Context())
	if err != nil || len(all) != 1 || string(all[0].ID) != x.ID || all[0].Kernel.Name != KernelFiles || all[0].Expires.IsZero() {
		t.Fatalf("%+v %v", all, err)
	}
	first, err := h.Attach(t.Context(), kernelclient.ContextID(x.ID))
	if err != nil {
		t.Fatal(err)
	}
	k := &watched{t, first, first.Follow(kernelclient.Cursor{})}
	k.do("open('kept.txt', 'w').write('hello')")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := New(Options{Env: s.Env(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	second, err := other.Adopt(t.Context(), kernelclient.Adoption{Info: all[0]})
	c := hosttest.Joined(t, second, err)
	if end, events := c.Do("print(open('kept.txt').read())"); end.Reason != event.Done || hosttest.Words(events) != "stdout:hello\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if err := c.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Attach(t.Context(), kernelclient.ContextID(x.ID)); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("a stopped one: %v", err)
	}
	third, err := other.Adopt(t.Context(), kernelclient.Adoption{Info: all[0]})
	gone := hosttest.Joined(t, third, err)
	if info := gone.Info(); info.State.State != event.Dead || !strings.Contains(info.State.Detail, "files") {
		t.Errorf("%+v", info)
	}
}

// watched is a context that a test closes itself.
type watched struct {
	t *testing.T
	kernelclient.Context
	stream kernelclient.Stream
}

// do runs code to its end.
func (w *watched) do(code string) {
	w.t.Helper()
	if err := w.Submit(w.t.Context(), kernelclient.Request{ID: event.ExecID(newID()), Code: code}); err != nil {
		w.t.Fatal(err)
	}
	for {
		batch, err := w.stream.Next(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range batch {
			if end, ok := e.Body.(event.Ended); ok {
				if end.Reason != event.Done {
					w.t.Errorf("%+v", end)
				}
				return
			}
		}
	}
}

func TestKeptFilesInterrupt(t *testing.T) {
	testPython(t)
	h, _ := host(t, unsandboxtest.Options{Run: true}, nil)
	k := hosttest.Start(t, h, KernelFiles)
	gate := t.TempDir() + "/on"
	id := k.Submit("import time\nprint('part', flush=True)\nopen('" + gate + "', 'w').close()\nwhile True: time.sleep(0.05)")
	awaitFile(t, gate)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Interrupted || hosttest.Words(events) != "stdout:part\n|error:KeyboardInterrupt:" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
}
