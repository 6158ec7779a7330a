package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

const displays = "from IPython.display import display, update_display"

func TestConformance(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	hosttest.Run(t, hosttest.Config{
		Host: func(t *testing.T) kernelclient.Host {
			return New(Options{Dir: w.dir + "/wd", Env: w.env, LogDir: w.dir + "/log"})
		},
		Kernel: "python3", Displays: displays, Big: !testing.Short(),
	})
}

// Kernel environment, working folder and interrupt by message, as kernel.json asks.
func TestEnvironmentOfKernelspec(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	kernels := filepath.Join(w.dir, "home/.local/share/jupyter/kernels")
	if err := os.CopyFS(kernels, os.DirFS("../../testdata/kernels/environment")); err != nil {
		t.Fatal(err)
	}
	h := w.host(t)
	k := start(t, h, kernelclient.StartSpec{
		Kernel: "with-env", Dir: w.dir + "/wd", Env: []string{"MINE=1"}, Session: "/some/note.ipynb",
	})
	_, events := k.Do(`import os
print(os.environ.get('NBT_DEMO'), os.environ.get('NBT_JOIN', '').endswith(':extra'), os.path.exists(os.environ.get('NBT_JOIN', '').split(':')[0]))
print(os.path.basename(os.getcwd()))`)
	if got := hosttest.Words(events); got != "stdout:one True True\nwd\n" {
		t.Errorf("got %q", got)
	}
	_, events = k.Do("print(os.environ['MINE'], os.environ['JPY_SESSION_NAME'], os.environ['JPY_PARENT_PID'], os.getsid(0) == os.getpid())")
	if got, want := hosttest.Words(events), fmt.Sprintf("stdout:1 /some/note.ipynb %d True\n", os.Getpid()); got != want {
		t.Errorf("got %q, not %q", got, want)
	}
	// Short sleeps: a signal that comes just before a sleep only acts after it.
	id := k.Submit("import time\nprint('go', flush=True)\nwhile True: time.sleep(0.05)")
	k.Wait("its first output", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok && e.Exec == id })
	began := time.Now()
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the interrupt took %s", took)
	}
}

// Interrupt by message: the request comes over the control channel, and we send no signal.
// The one SIGINT that ends the sleep is ipykernel's own, sent while it handles the request.
// The sign comes from another thread, when the sleep has begun: a signal just before it
// would only act after it.
func TestInterruptByMessage(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	if err := os.CopyFS(filepath.Join(w.dir, "home/.local/share/jupyter/kernels"), os.DirFS("../../testdata/kernels/environment")); err != nil {
		t.Fatal(err)
	}
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "with-env", Dir: w.dir + "/wd"})
	k.Do(`import signal, threading, time
asked, signals = [], []
kernel = get_ipython().kernel
send = kernel._send_interrupt_children
def sending():
    asked.append(len(signals))
    send()
kernel._send_interrupt_children = sending
def on_signal(number, frame):
    signals.append(number)
    raise KeyboardInterrupt`)
	id := k.Submit(`signal.signal(signal.SIGINT, on_signal)
threading.Timer(0.3, print, ['asleep'], {'flush': True}).start()
time.sleep(300)`)
	k.Wait("its sleep", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok && e.Exec == id })
	began := time.Now()
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	if took := time.Since(began); took > 5*time.Second { // 1 s on a machine with nothing else to do
		t.Errorf("the interrupt took %s", took)
	}
	_, events := k.Do("print(asked, len(signals))")
	if got := hosttest.Words(events); got != "stdout:[0] 1\n" {
		t.Errorf("requests, each with the signals before it, and all signals: %q", got)
	}
}

func start(t *testing.T, h *Host, spec kernelclient.StartSpec) *hosttest.Client {
	t.Helper()
	spec.StartupTimeout = time.Minute
	return hosttest.Follow(t, h, spec)
}

// One kernel's life over ipc and over tcp; after every step nothing of the step before is left.
func TestLife(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		t.Run(map[bool]string{false: "ipc", true: "tcp"}[tcp], func(t *testing.T) { life(t, tcp) })
	}
}

func life(t *testing.T, tcp bool) {
	w := newWorld(t)
	w.python(t)
	h := w.host(t, func(o *Options) { o.TCP = tcp })
	k := start(t, h, kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})
	_, events := k.Do("import subprocess, os\nchild = subprocess.Popen(['sleep', '1000'])\nos.getpid()")
	if k.Info().PID == 0 || hosttest.Words(events) != fmt.Sprint("result:", k.Info().PID) {
		t.Errorf("pid %d, events %s", k.Info().PID, hosttest.Words(events))
	}
	w.present(t, tcp)
	if infos, err := h.Contexts(t.Context()); err != nil || len(infos) != 1 || infos[0].ID != k.Info().ID {
		t.Errorf("contexts %+v, %v", infos, err)
	}
	if again, err := h.Attach(t.Context(), k.Info().ID); err != nil || again != k.Context {
		t.Errorf("attach: %v, %v", again, err)
	}
	id := k.Submit("print('go', flush=True)\nchild.wait()")
	k.Wait("its output", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok && e.Exec == id })
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	old := w.processes(t)
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Do("1")
	for _, pid := range w.processes(t) {
		for _, o := range old {
			if pid == o {
				t.Errorf("process %d outlived the restart", pid)
			}
		}
	}
	w.present(t, tcp)
	k.Do("import subprocess\nchild = subprocess.Popen(['sleep', '1000'])")
	id = k.Submit("import os, sys\nos.write(2, b'last words')\nimport time; time.sleep(0.5)\nos.kill(os.getpid(), 9)")
	if end, _ := k.Ended(id); end.Reason != event.Died || !strings.Contains(end.Detail, "SIGKILL") {
		t.Errorf("ended %+v", end)
	}
	w.gone(t)
	stop(t, k.Context, false)
	w.nothingLeft(t)
	if _, err := h.Attach(t.Context(), k.Info().ID); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("attach after the stop: %v", err)
	}
}

// present asserts that a running kernel has its files, that they are private, and no more of them.
func (w *world) present(t *testing.T, tcp bool) {
	t.Helper()
	for name, want := range map[string]int{"run/kernel-*.json": 1, "log/kernel-*.log": 1, "sock/*": 1, "sock/*/k-*": 5} {
		if tcp && strings.HasPrefix(name, "sock") {
			want = 0
		}
		found, err := filepath.Glob(filepath.Join(w.dir, name))
		if err != nil || len(found) != want {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		for _, f := range found {
			fi, err := os.Stat(f)
			if err != nil {
				t.Error(err)
			} else if fi.Mode().IsRegular() && fi.Mode().Perm() != 0o600 || fi.IsDir() && fi.Mode().Perm() != 0o700 {
				t.Errorf("%s has mode %s", f, fi.Mode())
			}
		}
	}
}

func TestForcedStop(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir})
	id := k.Submit("import signal, subprocess, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen(['sleep', '1000'])\nwhile True: time.sleep(1)")
	k.Wait("its start", func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok && e.Exec == id })
	began := time.Now()
	stop(t, k.Context, true)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a forced stop took %s", took)
	}
	w.nothingLeft(t)
}

func TestStopWhileStarting(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	h := w.host(t)
	k, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "the kernel's process", func() bool { return len(w.processes(t)) > 0 })
	stop(t, k, false)
	w.nothingLeft(t)
}

// A context that was closed but not stopped leaves a kernel that nobody can reach.
func TestClosedContextEndsWithHost(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	h := w.host(t)
	k, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "the kernel's process", func() bool { return len(w.processes(t)) > 0 })
	if err := errors.Join(k.Close(), h.Close()); err != nil {
		t.Fatal(err)
	}
	w.nothingLeft(t)
}

// A kernel that cannot do ipc says so in its own way, or not at all.
func TestFallsBackToTCP(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	w.install(t, "no-ipc", `echo start >> "`+w.dir+`/starts"
if grep -q '"ipc"' "$1"; then echo "cannot do ipc" >&2; exit 3; fi
exec "`+hosttest.Python(t)+`" -m ipykernel_launcher -f "$1"`)
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "no-ipc", Dir: w.dir})
	if end, _ := k.Do("1"); end.Reason != event.Done {
		t.Errorf("ended %+v", end)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Do("1")
	if got := w.read(t, "starts"); got != "start\nstart\nstart" {
		t.Errorf("ipc was tried again: %q", got)
	}
}

func TestCancelledCalls(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := New(Options{})
	if _, err := h.Start(ctx, kernelclient.StartSpec{Kernel: "python3"}); !errors.Is(err, context.Canceled) {
		t.Errorf("start: %v", err)
	}
	if _, err := h.Kernels(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("kernels: %v", err)
	}
}

func TestBuiltinConformance(t *testing.T) {
	w := newWorld(t)
	hosttest.Run(t, hosttest.Config{
		Host: func(t *testing.T) kernelclient.Host {
			return New(Options{Dir: w.dir + "/wd", Env: w.env, LogDir: w.dir + "/log"})
		},
		Kernel: kernelclient.BuiltinPython, Displays: "pass", Big: !testing.Short(),
	})
}

// ipykernel is told to drop nothing, and its code sees no difference.
func TestNoDropLooksTheSame(t *testing.T) {
	const look = "import sys, os, ipykernel.kernelapp as k\n(os.path.basename(sys.argv[0]), os.getcwd() in sys.path, sys.path.count(''), __name__, k.IPKernelApp._bind_socket.__code__.co_filename == '<string>')"
	w := newWorld(t)
	w.python(t)
	for plain, want := range map[bool]string{
		true:  "result:('ipykernel_launcher.py', False, 1, '__main__', False)",
		false: "result:('ipykernel_launcher.py', False, 1, '__main__', True)",
	} {
		h := w.host(t, func(o *Options) { o.Plain = plain })
		_, events := start(t, h, kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"}).Do(look)
		if got := hosttest.Words(events); got != want {
			t.Errorf("plain %v: %s", plain, got)
		}
	}
}
