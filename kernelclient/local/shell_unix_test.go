//go:build unix

package local

import (
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// The shell is listed with the shell that PATH shows, and only where there is one.
func TestShellListed(t *testing.T) {
	e, home := bare(t)
	bin := filepath.Join(home, "bin")
	e = e.with("PATH=" + bin)
	if s, err := pick(search(e, home), kernelclient.BuiltinShell); err == nil {
		t.Errorf("without a shell: %+v", s)
	}
	for _, name := range []string{"sh", "bash"} { // bash comes later and is taken
		path := filepath.Join(bin, name)
		write(t, path, "", 0o755)
		s, err := pick(search(e, home), kernelclient.BuiltinShell)
		if err != nil || s.shell != path || s.kernel() != (kernelclient.Kernel{
			Name: kernelclient.BuiltinShell, DisplayName: "Shell (built in)", Language: "bash", Found: "built in",
		}) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
}

// Through a host: a failure stops its group, a job's words after its cell are late, exit is
// a planned end.
func TestShellHost(t *testing.T) {
	host := New(Options{Dir: t.TempDir(), LogDir: t.TempDir()})
	k := hosttest.Start(t, host, kernelclient.BuiltinShell)
	group := func(r *kernelclient.Request) { r.Group = "g" }
	bad, never := k.Submit("echo a; (exit 3)", group), k.Submit("echo never", group)
	if end, events := k.Ended(bad); end.Reason != event.Failed || hosttest.Words(events) != "stdout:a\n|error:ExitStatus:3" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if end, _ := k.Ended(never); end.Reason != event.Cancelled {
		t.Errorf("%+v", end)
	}
	job := k.Submit("(while kill -0 $$ && [ ! -e go ]; do sleep 0.01; done; echo from the job) &")
	if end, _ := k.Ended(job); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
	write(t, filepath.Join(k.Info().Dir, "go"), "", 0o600)
	hit, _ := k.Wait("the job's words", func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && s.Text == "from the job\n"
	})
	if !hit.Late || hit.Exec != job {
		t.Errorf("%+v", hit)
	}
	if end, _ := k.Do("exit 4"); end.Reason != event.Failed {
		t.Errorf("%+v", end)
	}
	if s := k.Info().State; s.State != event.Dead || s.Detail != "the kernel ended by its code (exit)" {
		t.Errorf("%+v", s)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Do("echo again"); end.Reason != event.Done || hosttest.Words(events) != "stdout:again\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
}
