//go:build unix

package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

func (k *kernel) interrupt(t *testing.T) {
	t.Helper()
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestInterrupt(t *testing.T) {
	k := open(t, PythonOptions{})
	for _, code := range []string{
		"while True: pass",
		"import time; time.sleep(600)",
		"import asyncio; await asyncio.sleep(600)",
		"import subprocess; subprocess.run(['sleep', '600'])",
		"while True: print('x' * 1000)",
		"import threading; threading.Event().wait()",
		"!sleep 600",
		"async def f():\n    while True: pass\nawait f()",
	} {
		id, ended := k.begin(t, "print('going', flush=True)\n"+code)
		k.wait(t, printed(id, "going"))
		began := time.Now()
		k.interrupt(t)
		if out := <-ended; out.Reason != event.Interrupted {
			t.Errorf("%s ended %+v: %s", code, out, words(k.of(id))[:20])
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s ended %s after the interrupt", code, took)
		}
	}
	k.interrupt(t) // at rest it does nothing
	if _, events := k.run(t, "'alive'"); words(events) != "result:'alive'" {
		t.Error(words(events))
	}
}

// Interrupts at any moment neither end the kernel nor break a message.
func TestInterruptStorm(t *testing.T) {
	k := open(t, PythonOptions{})
	for i := range 60 {
		id, ended := k.begin(t, "print('going')\nfor i in range(3000): print(i, end=' '); display(i)")
		if i%2 == 0 {
			k.wait(t, printed(id, "going"))
		}
		for range 3 {
			k.interrupt(t)
		}
		if out := <-ended; out.Reason != event.Interrupted && out.Reason != event.Done {
			t.Fatalf("%+v", out)
		}
	}
	if _, events := k.run(t, "'alive'"); words(events) != "result:'alive'" {
		t.Error(words(events))
	}
	for _, e := range k.of("") {
		if g, ok := e.(event.Gap); ok {
			t.Error(g.Detail)
		}
	}
}

func TestUsersSignalHandler(t *testing.T) {
	k := open(t, PythonOptions{})
	_, events := k.run(t, `import signal
class Tick(Exception): pass
def tick(*_): raise Tick
signal.signal(signal.SIGALRM, tick)
n = 0
for i in range(200):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        while True: print('x' * 500); display('y' * 500)
    except Tick: n += 1
n`)
	if got := words(events); !strings.HasSuffix(got, "result:200") {
		t.Error(got[max(0, len(got)-200):])
	}
	for _, e := range k.of("") {
		if g, ok := e.(event.Gap); ok {
			t.Error(g.Detail)
		}
	}
}

func (k *kernel) question(t *testing.T, id event.ExecID) event.InputRequest {
	t.Helper()
	e := k.wait(t, func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok && e.Exec == id })
	return e.Body.(event.InputRequest)
}

func TestInput(t *testing.T) {
	k := open(t, PythonOptions{})
	for _, test := range []struct {
		code, prompt, want string
		password           bool
	}{
		{"print('before', end=' '); x = input('who? '); print('hi', x)", "who? ", "out:before hi Ann ö", false},
		{"import getpass; print(getpass.getpass())", "Password: ", "out:Ann ö", true},
		{"from getpass import getpass as g; print(g('secret: '))", "secret: ", "out:Ann ö", true},
		{"import threading; t = threading.Thread(target=lambda: print(input())); t.start(); t.join()", "", "out:Ann ö", false},
	} {
		id, ended := k.begin(t, test.code)
		q := k.question(t, id)
		if q.Prompt != test.prompt || q.Password != test.password {
			t.Errorf("%+v", q)
		}
		if err := k.Answer(t.Context(), q.ID, "Ann ö"); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Done || words(k.of(id)) != test.want+"\n" {
			t.Errorf("%+v %q", out, words(k.of(id)))
		}
	}
	id, ended := k.begin(t, "input('never ')")
	k.question(t, id)
	k.interrupt(t)
	if out := <-ended; out.Reason != event.Interrupted {
		t.Errorf("%+v", out)
	}
	id, ended = k.begin(t, "input('next ')")
	if err := k.Answer(t.Context(), k.question(t, id).ID, "right"); err != nil {
		t.Fatal(err)
	}
	if <-ended; words(k.of(id)) != "result:'right'" {
		t.Error(words(k.of(id)))
	}
}

func TestDebugger(t *testing.T) {
	k := open(t, PythonOptions{})
	id, ended := k.begin(t, "def f(x):\n    breakpoint()\n    return x\nf(7)")
	answered := event.InputID("")
	for _, line := range []string{"p x * 6", "c"} {
		e := k.wait(t, func(e event.Event) bool {
			q, ok := e.Body.(event.InputRequest)
			return ok && q.ID > answered
		})
		answered = e.Body.(event.InputRequest).ID
		if err := k.Answer(t.Context(), answered, line); err != nil {
			t.Fatal(err)
		}
	}
	<-ended
	if got := words(k.of(id)); !strings.Contains(got, "return x") || !strings.Contains(got, "42") || !strings.HasSuffix(got, "result:7") {
		t.Errorf("%q", got)
	}
}

func TestInputRefused(t *testing.T) {
	k := open(t, PythonOptions{})
	out := k.Run(t.Context(), kernelclient.Request{ID: "refused", Code: "input('x')"})
	if got := words(k.of("refused")); out.Reason != event.Failed || !strings.Contains(got, "error:StdinNotImplementedError") || !strings.Contains(got, "nobody can answer") {
		t.Errorf("%+v %s", out, got)
	}
}

func TestFloods(t *testing.T) {
	k := open(t, PythonOptions{})
	_, events := k.run(t, "for i in range(200_000): print(i)")
	if got := words(events); strings.Count(got, "\n") != 200_000 || len(got) != len("out:")+1_288_890 {
		t.Errorf("%d lines, %d bytes", strings.Count(got, "\n"), len(got))
	}
	_, events = k.run(t, "print('é' * 25_000_000)")
	if got := words(events); len(got) != len("out:")+50_000_001 {
		t.Errorf("%d bytes", len(got))
	}
	_, events = k.run(t, "import subprocess, sys; subprocess.run([sys.executable, '-c', 'for i in range(200_000): print(i)']); print('end')")
	if got := words(events); strings.Count(got, "\n") != 200_001 || !strings.HasSuffix(got, "199999\nend\n") {
		t.Errorf("%d lines from a child", strings.Count(got, "\n"))
	}
	_, events = k.run(t, "for i in range(25_000): display(i)")
	next := 0
	for _, e := range events {
		if d, ok := e.(event.Display); ok {
			if plainOf(d.Data) != fmt.Sprint(next) {
				t.Fatalf("%s came where %d is due", plainOf(d.Data), next)
			}
			next++
		}
	}
	if next != 25_000 {
		t.Errorf("%d displays", next)
	}
}

// What is written by the two streams in turns comes in its order, however much it is and
// whatever else comes between.
func TestTurns(t *testing.T) {
	k := open(t, PythonOptions{})
	_, events := k.run(t, `import sys, os
for i in range(20_000):
    print('o', i)
    sys.stderr.write('e %d\n' % i)
    if i % 1000 == 0:
        display(i)
        os.system('echo child >&2')
`)
	var want strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&want, "|out:o %d\n|err:e %d\n", i, i)
		if i%1000 == 0 {
			fmt.Fprintf(&want, "|display:%d|err:child\n", i)
		}
	}
	got := "|" + words(events)
	if got != want.String() {
		at := 0
		for at < min(len(got), want.Len()) && got[at] == want.String()[at] {
			at++
		}
		t.Errorf("after %d of %d bytes: %.80q, want %.80q", at, want.Len(), got[at:], want.String()[at:])
	}
}

// Output comes while code runs, without a flush.
func TestStreams(t *testing.T) {
	k := open(t, PythonOptions{})
	gate := filepath.Join(t.TempDir(), "go")
	for _, say := range []string{"print('early')", "import sys; print('early'); print('more', file=sys.stderr)", "import os; os.write(1, b'early')", "os.system('echo early')"} {
		id, ended := k.begin(t, fmt.Sprintf("import os, time\n%s\nwhile not os.path.exists(%q): time.sleep(0.01)\nos.remove(%q)", say, gate, gate))
		k.wait(t, printed(id, "early"))
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Done {
			t.Errorf("%+v", out)
		}
	}
}

func TestLateOutput(t *testing.T) {
	k := open(t, PythonOptions{})
	id, ended := k.begin(t, `import threading, subprocess, asyncio
go = threading.Event()
threading.Thread(target=lambda: (go.wait(), print('late thread'))).start()
threading.Timer(0.05, go.set).start()
subprocess.Popen('sleep 0.1; echo late child', shell=True)
async def task():
    await asyncio.sleep(0.15)
    print('late task')
kept = asyncio.ensure_future(task())`)
	if out := <-ended; out.Reason != event.Done {
		t.Fatalf("%+v %s", out, words(k.of(id)))
	}
	for _, text := range []string{"late thread", "late child", "late task"} {
		k.wait(t, printed(id, text))
	}
	if _, events := k.run(t, "'next'"); words(events) != "result:'next'" {
		t.Error(words(events))
	}
}

func TestDeath(t *testing.T) {
	k := open(t, PythonOptions{})
	out, events := k.run(t, "import os, signal\nprint('alive')\nos.kill(os.getpid(), signal.SIGKILL)")
	if out.Reason != event.Died || !strings.Contains(out.Detail, "SIGKILL") || words(events) != "out:alive\n" {
		t.Errorf("%+v %q", out, words(events))
	}
	if _, err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, events = k.run(t, "print('alive'); import os; os._exit(3)")
	if out.Reason != event.Died || !strings.Contains(out.Detail, "exit code 3") || words(events) != "out:alive\n" {
		t.Errorf("%+v %q", out, words(events))
	}
	if _, err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, _ = k.run(t, "import ctypes; ctypes.string_at(0)")
	if out.Reason != event.Died || !strings.Contains(out.Detail, "SIGSEGV") || !strings.Contains(out.Detail, "Cell In[1]") {
		t.Errorf("%+v", out)
	}
}

func TestRestartWhileRunning(t *testing.T) {
	k := open(t, PythonOptions{})
	id, ended := k.begin(t, "print('old', flush=True)\nimport time\nwhile True:\n  try: time.sleep(600)\n  except KeyboardInterrupt: pass")
	k.wait(t, printed(id, "old"))
	began := time.Now()
	if _, err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if out := <-ended; out.Reason != event.Restarted {
		t.Errorf("%+v", out)
	}
	if out, events := k.run(t, "'old' in dir()"); out.Count != 1 || words(events) != "result:False" {
		t.Errorf("%+v %s", out, words(events))
	}
}

// A clean end runs what a script's end runs: files are flushed, atexit is called.
func TestCleanEnd(t *testing.T) {
	dir := t.TempDir()
	k := open(t, PythonOptions{Dir: dir})
	k.run(t, "import atexit\nf = open('unflushed', 'w'); f.write('kept')\natexit.register(lambda: open('atexit', 'w').close());")
	k.end(t)
	if b, err := os.ReadFile(filepath.Join(dir, "unflushed")); err != nil || string(b) != "kept" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "atexit")); err != nil {
		t.Error(err)
	}
}

func TestNoPython(t *testing.T) {
	for _, test := range []struct{ python, want string }{
		{"/no/such/python", "Python could not be started"},
		{"/bin/false", "exit code 1"},
	} {
		logs := t.TempDir()
		k := &kernel{Driver: newDriver(PythonOptions{Python: test.python, LogDir: logs}), sink: newSink()}
		_, err := k.Open(t.Context(), k.sink)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.python, err)
		}
		k.end(t)
		if left, _ := os.ReadDir(logs); len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
	_, err := newDriver(PythonOptions{Python: "/bin/false", Dir: "/no/such/folder"}).Open(t.Context(), newSink())
	if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "/no/such/folder") {
		t.Error(err)
	}
}

// Nothing of a kernel outlives its end, whatever it had started.
func TestChildrenEnd(t *testing.T) {
	for _, how := range []string{"stop", "force", "killed"} {
		k := open(t, PythonOptions{})
		_, events := k.run(t, "import subprocess; subprocess.Popen(['sleep', '601']).pid")
		child := 0
		if _, err := fmt.Sscanf(words(events), "result:%d", &child); err != nil {
			t.Fatal(err, words(events))
		}
		switch how {
		case "stop":
			k.end(t)
		case "force":
			past, cancel := context.WithCancel(t.Context())
			cancel()
			_ = k.Close(past, true)
		case "killed":
			if err := syscall.Kill(k.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			k.wait(t, func(e event.Event) bool { s, ok := e.Body.(event.State); return ok && s.State == event.Dead })
		}
		waitGone(t, child)
		waitGone(t, k.pid)
	}
}

// After its end a kernel's number may be another process group's: no signal goes there.
func TestNoSignalAfterTheEnd(t *testing.T) {
	l := &launcher{opt: PythonOptions{Python: testPython(t), Dir: t.TempDir(), LogDir: t.TempDir()}}
	launched, err := l.Launch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	k, ok := launched.(*process)
	if !ok {
		t.Fatalf("%T", launched)
	}
	if err := k.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-k.Died()
	if err := k.signal(syscall.SIGTERM); err != nil {
		t.Error("it was sent:", err) // to nobody, here
	}
	k.force() // neither does this, and it returns
	if err := k.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// waitGone waits until a process that is not ours to reap is gone or a zombie.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	waitFor(t, fmt.Sprint("the end of process ", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}
