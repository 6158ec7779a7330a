package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/internal/mounttest"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// asks waits for a question of a run.
func asks(t *testing.T, k *hosttest.Client, id event.ExecID, prompt string) event.InputRequest {
	t.Helper()
	e, _ := k.Wait("its question", func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok && e.Exec == id })
	q := e.Body.(event.InputRequest)
	if !strings.Contains(q.Prompt, prompt) {
		t.Errorf("it asks %q", q.Prompt)
	}
	return q
}

func stdin(r *kernelclient.Request) { r.AllowStdin = true }

// does runs code that must end well and put out just this.
func does(t *testing.T, k *hosttest.Client, code, want string) {
	t.Helper()
	if end, events := k.Do(code); end.Reason != event.Done || hosttest.Words(events) != want {
		t.Errorf("%s: %+v %q", code, end, hosttest.Words(events))
	}
}

// What goes wrong at a prompt concerns that prompt alone: the answer of one that was
// interrupted or restarted away reaches no other.
func TestPrompts(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})
	id := k.Submit("input('one? ')", stdin)
	late := asks(t, k, id, "one?")
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("interrupted at the prompt: %+v", end)
	}
	id = k.Submit("input('two? ')", stdin)
	two := asks(t, k, id, "two?")
	if err := k.Answer(t.Context(), late.ID, "too late"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("a late answer: %v", err)
	}
	if err := k.Answer(t.Context(), two.ID, "zwei"); err != nil {
		t.Error(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || hosttest.Words(events) != "result:'zwei'" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}

	id = k.Submit("import pdb\ndef f():\n    x = 41\n    pdb.set_trace()\n    return x + 1\nf()", stdin)
	for _, line := range []string{"x", "c"} {
		if err := k.Answer(t.Context(), asks(t, k, id, "db").ID, line); err != nil {
			t.Error(err)
		}
	}
	if end, events := k.Ended(id); end.Reason != event.Done || !strings.HasSuffix(hosttest.Words(events), "result:42") {
		t.Errorf("the debugger: %+v %q", end, hosttest.Words(events))
	}
	id = k.Submit("f()", stdin)
	asks(t, k, id, "db")
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Ended(id) // the debugger leaves and lets the code go on
	does(t, k, "1", "result:1")

	id = k.Submit("input('three? ')", stdin)
	gone := asks(t, k, id, "three?")
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Restarted {
		t.Errorf("restarted at the prompt: %+v", end)
	}
	if err := k.Answer(t.Context(), gone.ID, "too late"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("an answer after the restart: %v", err)
	}
	does(t, k, "2", "result:2")
}

// Faults of a kernel's surroundings, and its death in ways of its own.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})

	// Stopped, it is said not to respond, and goes on where it was.
	id := k.Submit("import os, signal, time\nprint('go', flush=True)\nwhile not os.path.exists('on'): time.sleep(0.01)\nprint('on')")
	k.Wait("its output", isText(id, "go"))
	if err := syscall.Kill(k.Info().PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	k.Wait("that it does not respond", isState(event.NotResponding))
	write(t, w.dir+"/wd/on", "", 0o644)
	if err := syscall.Kill(k.Info().PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || hosttest.Words(events) != "stdout:on\n" {
		t.Errorf("after SIGCONT: %+v %q", end, hosttest.Words(events))
	}

	// Out of memory is an error of the code, and its name says so.
	end, events := k.Do("import resource\nlimit = resource.getrlimit(resource.RLIMIT_AS)\nresource.setrlimit(resource.RLIMIT_AS, (2 << 30, limit[1]))\ntry:\n    x = bytearray(8 << 30)\nfinally:\n    resource.setrlimit(resource.RLIMIT_AS, limit)")
	if end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), "error:MemoryError") {
		t.Errorf("out of memory: %+v %q", end, hosttest.Words(events))
	}

	// A comm that nobody understands is closed, so that its code does not wait.
	k.Submit("import threading\nfrom comm import create_comm\nclosed = threading.Event()\nc = create_comm(target_name='nobody')\nc.on_close(lambda m: print('closed', flush=True))")
	k.Wait("its end on the other side", func(e event.Event) bool {
		b, ok := e.Body.(event.Stream)
		return ok && strings.Contains(b.Text, "closed")
	})

	// Without its connection file it runs and restarts.
	for _, f := range glob(t, w.dir+"/run/*.json") {
		if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
	does(t, k, "1", "result:1")
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	does(t, k, "2", "result:2")

	if end, _ := k.Do("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"); end.Reason != event.Died || !strings.Contains(end.Detail, "SIGSEGV") {
		t.Errorf("a fault of memory: %+v", end)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A full runtime folder is named, nothing is left in it, and with room the same context starts.
func TestRuntimeFolderFull(t *testing.T) {
	if !mounttest.Alone(t) {
		return
	}
	w := newWorld(t)
	w.python(t)
	run := w.dir + "/run"
	if err := syscall.Mount("tmpfs", run, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("cannot mount: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(run, syscall.MNT_DETACH) })
	if err := os.WriteFile(run+"/filler", make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})
	if detail := dead(t, k.Context); !strings.Contains(detail, "no room") || !strings.Contains(detail, run) || !errors.Is(k.Info().Err, kernelclient.NoSpace) {
		t.Errorf("detail %q, %v", detail, k.Info().Err)
	}
	if left := glob(t, run+"/*"); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	if err := os.Remove(run + "/filler"); err != nil {
		t.Fatal(err)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	does(t, k, "1", "result:1")
	stop(t, k.Context, true)
}

// While its client is stopped, a kernel that was started through our stub waits for it. One
// as it comes drops output, its end too perhaps, and the run ends all the same.
func TestStoppedClient(t *testing.T) {
	const n = 2000
	for _, plain := range []bool{false, true} {
		w := newWorld(t)
		w.python(t)
		c := w.crashing(t, map[bool]string{true: "plain"}[plain])
		c.run(fmt.Sprintf("import os, time; print('go', flush=True)\nwhile not os.path.exists('on'): time.sleep(0.01)\nfor i in range(%d):\n    display({'text/plain': str(i)}, raw=True)\n    if i %% 100 == 0: open(f'at{i}', 'w').close()\nopen('off', 'w').close()", n))
		c.until(isText("run0", "go"))
		if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		write(t, w.dir+"/wd/on", "", 0o644)
		sign := w.dir + "/wd/at900" // it waits at about 1,000
		if plain {
			sign = w.dir + "/wd/off"
		}
		hosttest.Eventually(t, "the flood", func() bool { _, err := os.Stat(sign); return err == nil })
		if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		var end event.Ended
		c.until(func(e event.Event) bool { b, ok := e.Body.(event.Ended); end = b; return ok })
		got := 0
		for _, e := range c.history {
			if _, ok := e.Body.(event.Display); ok {
				got++
			}
		}
		if end.Reason != event.Done || got > n || got < n && !plain {
			t.Errorf("plain %v: %d displays, %+v", plain, got, end)
		}
		kill9(t, c.info.PID)
		c.kill()
		hosttest.Eventually(t, "the end of all that was left", w.swept)
	}
}
