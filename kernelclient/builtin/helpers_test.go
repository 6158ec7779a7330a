//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/notebook/mime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testPython is the interpreter of the tests: NBTERM_TEST_PYTHON or the first python3.
func testPython(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("NBTERM_TEST_PYTHON"); p != "" {
		return p
	}
	p, err := realPython("python3")
	if err == nil {
		return p
	}
	if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
		t.Fatal("no python3: ", err)
	}
	t.Skip("no python3: ", err)
	return ""
}

// realPython is the interpreter behind a name, which may be a version manager's script.
func realPython(name string) (string, error) {
	out, err := exec.Command(name, "-c", "import sys; print(sys.executable if sys.version_info >= (3, 8) else '')").Output()
	if p := strings.TrimSpace(string(out)); err == nil && p != "" {
		return p, nil
	}
	return "", fmt.Errorf("%s is none we run: %w", name, err)
}

// allPythons are the interpreters on this machine that the kernel must run on, each once:
// those on PATH and those that NBTERM_TEST_PYTHONS lists.
func allPythons(t testing.TB) []string {
	t.Helper()
	found := []string{testPython(t)}
	names := filepath.SplitList(os.Getenv("NBTERM_TEST_PYTHONS"))
	for minor := 8; minor <= 15; minor++ {
		names = append(names, fmt.Sprint("python3.", minor))
	}
	for _, n := range append(names, "/usr/bin/python3") {
		p, err := realPython(n)
		for _, have := range found {
			if sameFile(p, have) {
				err = os.ErrExist
			}
		}
		if err == nil {
			found = append(found, p)
		}
	}
	return found
}

func sameFile(a, b string) bool {
	a, _ = filepath.EvalSymlinks(a)
	b, _ = filepath.EvalSymlinks(b)
	return a == b
}

// sink keeps the events of a driver.
type sink struct {
	mu     sync.Mutex
	events []event.Event
	more   chan struct{} // closed and replaced by every Emit
}

func newSink() *sink { return &sink{more: make(chan struct{})} }

func (s *sink) Emit(exec event.ExecID, body event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event.Event{Exec: exec, Body: body})
	close(s.more)
	s.more = make(chan struct{})
}

func (*sink) Renew(kernelclient.Ready) {}

// wait returns the first event that is wanted, present or to come.
func (s *sink) wait(t testing.TB, want func(event.Event) bool) event.Event {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for at := 0; ; {
		s.mu.Lock()
		for ; at < len(s.events); at++ {
			if e := s.events[at]; want(e) {
				s.mu.Unlock()
				return e
			}
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-limit.C:
			t.Fatal("waited in vain")
		}
	}
}

// of returns the events of one execution.
func (s *sink) of(exec event.ExecID) []event.Body {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []event.Body
	for _, e := range s.events {
		if e.Exec == exec {
			out = append(out, e.Body)
		}
	}
	return out
}

// kernel is a driver on a started kernel, and what it emitted.
type kernel struct {
	kernelclient.Driver
	*sink
	n   int
	pid int
}

// open starts a kernel that the test ends.
func open(t testing.TB, opt PythonOptions) *kernel {
	t.Helper()
	if opt.Python == "" {
		opt.Python = testPython(t)
	}
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	if opt.LogDir == "" {
		opt.LogDir = t.TempDir()
	}
	k := &kernel{Driver: jupyter.NewDriver(NewPythonLauncher(opt), jupyter.DriverOptions{}), sink: newSink()}
	t.Cleanup(func() { k.end(t) })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ready, err := k.Open(ctx, k.sink)
	if err != nil {
		t.Fatal(err)
	}
	k.pid = ready.PID
	return k
}

func (k *kernel) end(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := k.Close(ctx, true); err != nil {
		t.Error("close:", err)
	}
}

// run executes code to its end.
func (k *kernel) run(t testing.TB, code string) (kernelclient.Outcome, []event.Body) {
	t.Helper()
	id, ended := k.begin(t, code)
	return <-ended, k.of(id)
}

// begin executes code and returns where its end will come.
func (k *kernel) begin(t testing.TB, code string) (event.ExecID, <-chan kernelclient.Outcome) {
	t.Helper()
	k.n++
	id := event.ExecID(fmt.Sprint("run", k.n))
	ended := make(chan kernelclient.Outcome, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		defer cancel()
		ended <- k.Run(ctx, kernelclient.Request{ID: id, Code: code, AllowStdin: true})
	}()
	return id, ended
}

// words writes output in short: out:…, err:…, result:…, display:…, update:…, clear, error:….
func words(events []event.Body) string {
	var out []string
	for _, e := range events {
		switch b := e.(type) {
		case event.Stream:
			name := strings.TrimPrefix(b.Name, "std") + ":"
			if n := len(out) - 1; n >= 0 && strings.HasPrefix(out[n], name) {
				out[n] += b.Text
			} else {
				out = append(out, name+b.Text)
			}
		case event.Result:
			out = append(out, "result:"+plainOf(b.Data))
		case event.Display:
			out = append(out, "display:"+plainOf(b.Data))
		case event.Update:
			out = append(out, "update "+b.ID+":"+plainOf(b.Data))
		case event.Clear:
			out = append(out, fmt.Sprint("clear:", b.Wait))
		case event.Error:
			out = append(out, "error:"+b.Name+":"+b.Value)
		case event.Payload:
			out = append(out, "payload:"+b.Source)
		case event.Gap:
			out = append(out, "gap:"+b.Detail)
		}
	}
	return strings.Join(out, "|")
}

// plainOf is a bundle's types and its plain text.
func plainOf(b mime.Bundle) string {
	s, _ := b.Plain()
	return s
}

func printed(id event.ExecID, text string) func(event.Event) bool {
	return func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && (id == "" || e.Exec == id) && strings.Contains(s.Text, text)
	}
}

// strictPython is a script that runs python with warnings as errors, so that the kernel's
// own code gives none.
func strictPython(t testing.TB, python string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' -W error \"$@\"\n", python)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// waitFor waits for a condition that nothing tells of.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("waited in vain for ", what)
		}
	}
}
