package unsandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// host returns a host of a fake server whose time is the machine's, in which polls come quickly.
func host(t testing.TB, opt unsandboxtest.Options, with func(*Options)) (*Host, *unsandboxtest.Server) {
	t.Helper()
	s := serve(t, opt)
	o := Options{Env: s.Env(t.TempDir()), JobLog: t.TempDir() + "/jobs.jsonl", Version: "test"}
	if with != nil {
		with(&o)
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.client.wait = quick
	t.Cleanup(func() { _ = h.Close() })
	return h, s
}

// quick sleeps a hundredth of what it is told to.
func quick(c context.Context, d time.Duration) error { return pause.For(c, d/100) }

func TestHostRuns(t *testing.T) {
	h, _ := host(t, unsandboxtest.Options{}, nil)
	k := hosttest.Start(t, h, "python")
	end, events := k.Do("print(42)\nwarn careful")
	if end.Reason != event.Done || end.Count != 1 || hosttest.Words(events) != "stdout:42\n|stderr:careful\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	end, events = k.Do("echo part\nexit 3")
	if end.Reason != event.Failed || hosttest.Words(events) != "stdout:part\n|error:ExitCode:3" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	id := k.Submit("echo $LANGUAGE", func(r *kernelclient.Request) { r.Language = "shell" })
	if end, events = k.Ended(id); end.Reason != event.Done || hosttest.Words(events) != "stdout:bash\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	id = k.Submit("x", func(r *kernelclient.Request) { r.Language = "brainfuck" })
	if end, events = k.Ended(id); end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), `no language "brainfuck"`) {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if c := k.Capabilities(); c.State || c.Stream || c.Stdin || !c.Languages || !c.Interrupt {
		t.Errorf("%+v", c)
	}
	if info := k.Info(); info.Host != "unsandbox:" || info.Kernel.Name != "python" {
		t.Errorf("%+v", info)
	}
}

// TestTimeLimit: the service ends the job, whose ttl is the request's limit.
func TestTimeLimit(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{}, nil)
	k := hosttest.Start(t, h, "python")
	id := k.Submit("echo part\nsleep 100", func(r *kernelclient.Request) { r.Timeout = 700 * time.Millisecond })
	end, events := k.Ended(id)
	if end.Reason != event.TimedOut || !strings.Contains(end.Detail, "--timeout") || !strings.HasPrefix(hosttest.Words(events), "stdout:part\n") {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if body := s.Transcript()[1].Body; !strings.Contains(body, `"ttl":1`) {
		t.Error(body)
	}
	err := k.Context.Submit(t.Context(), kernelclient.Request{ID: "long", Code: "x", Timeout: 901 * time.Second})
	if !errors.Is(err, kernelclient.Invalid) || !strings.Contains(err.Error(), "900") {
		t.Errorf("%v", err)
	}
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct{ scenario, detail, output string }{
		{"cancel=200", "remote: cancelled", "part\n"},
		{"cancel=204", "remote: cancelled", "part\n"},
	} {
		h, s := host(t, unsandboxtest.Options{}, nil)
		set(t, s, c.scenario)
		k := hosttest.Start(t, h, "python")
		id := k.Submit("echo part\nsleep 1000")
		k.Wait("the start", func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
		if err := k.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		end, events := k.Ended(id)
		if end.Reason != event.Interrupted || !strings.Contains(end.Detail, c.detail) || !strings.HasPrefix(hosttest.Words(events), "stdout:"+c.output) {
			t.Errorf("%s: %+v %q", c.scenario, end, hosttest.Words(events))
		}
	}
}

// TestInterruptTooLate: a job that was quicker ends as it ended.
func TestInterruptTooLate(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Running: 1000}, nil)
	set(t, s, "cancel=finished-first")
	k := hosttest.Start(t, h, "python")
	id := k.Submit("echo whole")
	k.Wait("the start", func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || hosttest.Words(events) != "stdout:whole\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
}

// TestInterruptBlocking: without a job's id nobody can say what goes on there.
func TestInterruptBlocking(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{}, func(o *Options) { o.Settings.Submit = SubmitSync })
	set(t, s, "submit=slow")
	k := hosttest.Start(t, h, "python")
	id := k.Submit("echo x")
	k.Wait("its turn", func(e event.Event) bool { _, ok := e.Body.(event.Accepted); return ok })
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted || !strings.Contains(end.Detail, "may go on") {
		t.Errorf("%+v", end)
	}
}

func TestUnreachableService(t *testing.T) {
	for scenario, words := range map[string]string{"submit=401": "from env", "submit=500text": "500", "submit=429rate": "429"} {
		h, s := host(t, unsandboxtest.Options{}, nil)
		k := hosttest.Start(t, h, "python")
		set(t, s, scenario)
		if end, _ := k.Do("print(1)"); end.Reason != event.Lost || !strings.Contains(end.Detail, words) {
			t.Errorf("%s: %+v", scenario, end)
		}
		set(t, s, "")
		if end, _ := k.Do("print(1)"); end.Reason != event.Done { // the context lives on
			t.Errorf("%s: %+v", scenario, end)
		}
	}
}

func TestRestartAndStop(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{}, nil)
	k := hosttest.Start(t, h, "python")
	id := k.Submit("sleep 1000")
	k.Wait("the start", func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Restarted {
		t.Errorf("%+v", end)
	}
	if end, _ := k.Do("print(1)"); end.Reason != event.Done || end.Count != 1 {
		t.Errorf("%+v", end)
	}
	id = k.Submit("sleep 1000")
	k.Wait("the start", func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := k.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Died {
		t.Errorf("%+v", end)
	}
	n := 0
	for _, call := range calls(s) {
		if strings.HasPrefix(call, "DELETE /jobs/") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d jobs were cancelled", n)
	}
}

func TestReplay(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Run: true, Python: testPython(t)}, func(o *Options) { o.Settings.Replay = true })
	k := hosttest.Start(t, h, "python")
	for _, c := range []struct{ code, want string }{
		{"x = 20\nprint('first')", "stdout:first\n"},
		{"import sys\nx += 1; print('second', file=sys.stderr)", "gap:replayed 1 earlier cells, whose output is left out; lines in tracebacks count from the first of them|stderr:second\n"},
		{"print(x * 2)", "gap:replayed 2 earlier cells, whose output is left out; lines in tracebacks count from the first of them|stdout:42\n"},
	} {
		if end, events := k.Do(c.code); end.Reason != event.Done || hosttest.Words(events) != c.want {
			t.Errorf("%q: %+v %q", c.code, end, hosttest.Words(events))
		}
	}
	if end, events := k.Do("1/0"); end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), "error:ZeroDivisionError:division by zero") {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if end, events := k.Do("print(x)"); end.Reason != event.Done || !strings.HasSuffix(hosttest.Words(events), "stdout:21\n") { // what failed is not replayed
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if strings.Contains(s.TranscriptJSON(), "UNSANDBOX_SECRET_KEY") {
		t.Error("the environment was sent")
	}
}

func TestCarriedFilesAndEnvironment(t *testing.T) {
	h, _ := host(t, unsandboxtest.Options{Run: true, Python: testPython(t)}, func(o *Options) { o.Settings.Carry = []string{"*.csv"} })
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python", Env: []string{"WHO=Ann"}})
	_, events := k.Do("import os\nopen('/tmp/artifacts/a.csv', 'w').write('1,2')\nopen('/tmp/artifacts/b.bin', 'wb').write(b'xy')\nprint(os.environ['WHO'])")
	if got := hosttest.Words(events); got != "stdout:Ann\n|display:1,2|display:b.bin, 2 bytes" {
		t.Errorf("%q", got)
	}
	_, events = k.Do("import os\nprint(open('/tmp/input/a.csv').read(), os.path.exists('/tmp/input/b.bin'))")
	if got := hosttest.Words(events); got != "gap:carried along to /tmp/input: a.csv|stdout:1,2 False\n" {
		t.Errorf("%q", got)
	}
}

func TestArtifacts(t *testing.T) {
	for scenario, want := range map[string]string{
		"artifact=data": "display:hello", "artifact=content_base64": "display:hello", "artifact=content": "display:hello",
		"artifact=error": "display:an artifact: too big", "artifact=badbase64": "display:a.txt: its content is no base64",
		"artifact=traversalname": "display:hello",
	} {
		h, s := host(t, unsandboxtest.Options{}, func(o *Options) { o.Settings.Artifacts = true })
		set(t, s, scenario)
		k := hosttest.Start(t, h, "python")
		if _, events := k.Do("artifact:a.txt=hello"); hosttest.Words(events) != want {
			t.Errorf("%s: %q", scenario, hosttest.Words(events))
		}
	}
	for name, want := range map[string]string{"../../\x1b[31m.a.txt": "31m.a.txt", "a/b/c.png": "c.png", ".hidden": "hidden", "..": "", "x/": "", `c:\d\e.txt`: "e.txt"} {
		if got := bareName(name); strings.TrimPrefix(got, "[") != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestJobLog: what a crash leaves can be fetched.
func TestJobLog(t *testing.T) {
	h, _ := host(t, unsandboxtest.Options{}, nil)
	k := hosttest.Start(t, h, "python")
	k.Submit("print(1)", func(r *kernelclient.Request) { r.ID, r.Cell = "e1", "c1" })
	k.Ended("e1")
	notes := ReadJobLog(h.opt.JobLog)
	if len(notes) != 1 || notes[0].State != Completed || notes[0].Cell != "c1" || notes[0].Exec != "e1" || !notes[0].Over() {
		t.Errorf("%+v", notes)
	}
}

// TestResume: another process waits for the job that one which ended had submitted.
func TestResume(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Running: 3}, nil)
	log := jobLog{h.opt.JobLog}
	j, err := h.client.Submit(t.Context(), python("print(7)"), Submission{})
	if err != nil {
		t.Fatal(err)
	}
	log.write(Note{Job: j.ID, State: "pending", Context: "ctx", Exec: "e1"})
	history := []event.Event{
		{Seq: 1, Exec: "e1", Body: event.Queued{Code: "print(7)"}},
		{Seq: 2, Exec: "e1", Body: event.Accepted{}},
		{Seq: 3, Exec: "e2", Body: event.Queued{Code: "print(8)"}},
	}
	c, err := h.Adopt(t.Context(), kernelclient.Adoption{
		Info: kernelclient.ContextInfo{ID: "ctx", Kernel: stateless("python")}, Log: kernelclient.LogOptions{History: slices.Values(history)},
	})
	k := hosttest.Joined(t, c, err)
	if end, events := k.Ended("e1"); end.Reason != event.Done || hosttest.Words(events) != "stdout:7\n" { // and nothing went by unseen
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if end, events := k.Ended("e2"); end.Reason != event.Done || !strings.HasSuffix(hosttest.Words(events), "stdout:8\n") {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	posts := slices.DeleteFunc(calls(s), func(c string) bool { return !strings.HasPrefix(c, "POST") })
	if len(posts) != 2 {
		t.Errorf("%q: it ran twice", posts)
	}
}

// TestSilenceIsUsual: nothing comes from a job before it ends, so no clock of ours counts.
func TestSilenceIsUsual(t *testing.T) {
	h, _ := host(t, unsandboxtest.Options{Running: 10}, nil)
	k := hosttest.Start(t, h, "python")
	id := k.Submit("print(1)", func(r *kernelclient.Request) { r.Silence = time.Nanosecond })
	if end, _ := k.Ended(id); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
}
