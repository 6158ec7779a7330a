package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// shared is a kernel of one host, and the second host that joins it.
type shared struct {
	w      *world
	owner  *hosttest.Client
	joiner *Host
	file   string
}

func share(t *testing.T, tcp bool) shared {
	t.Helper()
	w := newWorld(t)
	w.python(t)
	owner := start(t, w.host(t, func(o *Options) { o.TCP = tcp }), kernelclient.StartSpec{
		Kernel: "python3", Dir: w.dir + "/wd", Session: "/some/note.ipynb",
	})
	owner.Do("mine = 'of the owner'")
	files, err := filepath.Glob(w.dir + "/run/kernel-*.json")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return shared{w, owner, w.host(t), files[0]}
}

// join attaches to the kernel that file names. The test lets go of it at its end.
func (s shared) join(t *testing.T, file string) *hosttest.Client {
	t.Helper()
	return hosttest.Existing(t, s.joiner, file, kernelclient.StartSpec{StartupTimeout: time.Minute})
}

func isText(exec event.ExecID, text string) func(event.Event) bool {
	return func(e event.Event) bool {
		b, ok := e.Body.(event.Stream)
		return ok && e.Exec == exec && strings.Contains(b.Text, text)
	}
}

func isState(want event.KernelState) func(event.Event) bool {
	return func(e event.Event) bool { b, ok := e.Body.(event.State); return ok && b.State == want }
}

// A joined kernel shares its state, each client gets its own output, an interrupt reaches
// it by message, and it outlives whoever joined it.
func TestExisting(t *testing.T) {
	s := share(t, false)
	k := s.join(t, kernelclient.Latest)
	_, events := k.Do("print('joined'); mine")
	if got := hosttest.Words(events); got != "stdout:joined\n|result:'of the owner'" {
		t.Errorf("got %q", got)
	}
	if info := k.Info(); info.PID != s.owner.Info().PID || !info.Foreign || info.Kernel.Name != "python3" || info.Kernel.Language != "python" {
		t.Errorf("info %+v", info)
	}
	if _, events := s.owner.Do("print('later'); 1"); hosttest.Words(events) != "stdout:later\n|result:1" {
		t.Errorf("the owner got %q", hosttest.Words(events))
	}
	k.Wait("the owner's output, of no run here", isText("", "later"))
	if err := k.Restart(t.Context()); !errors.Is(err, kernelclient.Unsupported) {
		t.Errorf("restart: %v", err)
	}
	id := k.Submit("import time\nprint('go', flush=True)\nwhile True: time.sleep(0.05)")
	k.Wait("its first output", isText(id, "go"))
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	stop(t, k.Context, true)
	if end, _ := s.owner.Do("1"); end.Reason != event.Done {
		t.Errorf("after the joiner's stop: %+v", end)
	}
	stop(t, s.owner.Context, true)
	if _, err := s.joiner.Existing(t.Context(), kernelclient.Latest, kernelclient.StartSpec{}); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("latest of none: %v", err)
	}
}

// Who joins a busy kernel is told so, may interrupt what runs, and may wait behind it.
// Letting go keeps a run, stopping ends it, and a question that nobody can answer any more
// ends in any case.
func TestExistingBusy(t *testing.T) {
	s := share(t, true)
	const loop = "import time\nprint('go', flush=True)\nwhile True: time.sleep(0.05)"
	first := s.owner.Submit(loop)
	s.owner.Wait("its first output", isText(first, "go"))
	k := s.join(t, filepath.Base(s.file))
	k.Wait("busy", isState(event.Busy))
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := s.owner.Ended(first); end.Reason != event.Failed {
		t.Errorf("the owner's run ended %+v", end)
	}
	k.Wait("idle", isState(event.Idle))

	again := s.owner.Submit(loop)
	s.owner.Wait("its first output", isText(again, "go"))
	k.Wait("busy", isState(event.Busy))
	waiting := k.Submit("print('mine')")
	k.Wait("its hand-over", func(e event.Event) bool { _, ok := e.Body.(event.Accepted); return ok && e.Exec == waiting })
	if err := s.owner.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(waiting); end.Reason != event.Done || hosttest.Words(events) != "stdout:mine\n" {
		t.Errorf("ended %+v, %q", end, hosttest.Words(events))
	}

	kept := k.Submit("print('kept', flush=True)\nfor _ in range(10): time.sleep(0.02)\nkept = True")
	k.Wait("its output", isText(kept, "kept"))
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if _, events := s.owner.Do("kept"); hosttest.Words(events) != "result:True" {
		t.Errorf("what ran on after closing: %q", hosttest.Words(events))
	}

	for _, code := range []string{loop, "input('who? ')"} {
		k := s.join(t, s.file)
		id := k.Submit(code, func(r *kernelclient.Request) { r.AllowStdin = true })
		k.Wait("its begin", func(e event.Event) bool {
			_, asks := e.Body.(event.InputRequest)
			return e.Exec == id && asks || isText(id, "go")(e)
		})
		if code == loop {
			stop(t, k.Context, true)
		} else if err := k.Close(); err != nil {
			t.Error(err)
		}
		if end, _ := s.owner.Do("1"); end.Reason != event.Done {
			t.Errorf("%s: the owner's next run ended %+v", code, end)
		}
	}
}

// The list has the kernels that answer, with what the system knows of them, and no others.
func TestRunning(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		s := share(t, tcp)
		write(t, s.w.dir+"/run/kernel-stale.json", `{"transport":"tcp","ip":"127.0.0.1","shell_port":1,"iopub_port":1,"stdin_port":1,"control_port":1,"hb_port":1,"key":""}`, 0o600)
		write(t, s.w.dir+"/run/kernel-broken.json", `{`, 0o600)
		s.owner.Do("import multiprocessing as m; p = m.get_context('fork').Process(target=__import__('time').sleep, args=(1000,), daemon=True); p.start()")
		all, err := s.joiner.Running(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		r := all[0]
		if r.File != s.file || r.PID != s.owner.Info().PID || r.Kernel.Name != "python3" || r.Path != "/some/note.ipynb" {
			t.Errorf("%+v", r)
		}
		if age := time.Since(r.Started); age < -2*time.Second || age > 5*time.Minute {
			t.Errorf("age %s", age)
		}
		for name, want := range map[string]kernelclient.Kind{
			s.w.dir + "/run/kernel-stale.json": kernelclient.Gone, s.w.dir + "/run/kernel-broken.json": kernelclient.Invalid,
			s.w.dir + "/no.json": kernelclient.NotFound, "no-such-id": kernelclient.NotFound,
		} {
			if _, err := s.joiner.Existing(t.Context(), name, kernelclient.StartSpec{}); !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, name := range []string{"stale", "broken"} {
			if err := os.Remove(s.w.dir + "/run/kernel-" + name + ".json"); err != nil {
				t.Error(err)
			}
		}
	}
}
