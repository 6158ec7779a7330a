//go:build unix

package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// shells are those on this machine that the kernel must run on; bash is one of them.
func shells(t testing.TB) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"bash", "dash"} {
		if p, err := exec.LookPath(name); err == nil {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		t.Skip("no shell here")
	}
	return found
}

// eachShell runs a test on every shell.
func eachShell(t *testing.T, test func(t *testing.T, shell string)) {
	for _, shell := range shells(t) {
		t.Run(filepath.Base(shell), func(t *testing.T) { test(t, shell) })
	}
}

// openShell starts a shell kernel that the test ends.
func openShell(t testing.TB, shell string) *kernel {
	t.Helper()
	k := &kernel{Driver: NewShellDriver(ShellOptions{Shell: shell, Dir: t.TempDir()}), sink: newSink()}
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

// cellsOfShell are cells and what they give, in order, on one shell; only bash has all.
var cellsOfShell = []struct {
	name, code, want string
	bash             bool
}{
	{"echo", "echo one; echo two", "out:one\ntwo\n", false},
	{"silence", "true", "", false},
	{"empty", "", "", false},
	{"comment", "# nothing", "", false},
	{"variable", "x=41", "", false},
	{"state", "echo $((x + 1))", "out:42\n", false},
	{"function", "f() { echo \"f $1\"; }", "", false},
	{"function kept", "f 1", "out:f 1\n", false},
	{"folder", "mkdir d && cd d", "", false},
	{"folder kept", "basename \"$PWD\"; cd ..", "out:d\n", false},
	{"exported", "export Y=7", "", false},
	{"exported kept", "sh -c 'echo $Y'", "out:7\n", false},
	{"alias", "alias hi='echo hi'", "", false},
	{"alias kept", "hi", "out:hi\n", false},
	{"array", "a=(1 2 3); declare -A m=([k]=v); echo ${#a[@]} ${m[k]}", "out:3 v\n", true},
	{"array kept", "echo ${a[2]}", "out:3\n", true},
	{"stderr", "echo oops >&2", "err:oops\n", false},
	{"status", "echo before; (exit 3)", "out:before\n|error:ExitStatus:3", false},
	{"last status counts", "false; echo ok", "out:ok\n", false},
	{"false", "false", "error:ExitStatus:1", false},
	{"not found", "no_such_program_xyz", "err:…", false},
	{"return", "echo a; return 4; echo b", "out:a\n|error:ExitStatus:4", false},
	{"break", "break; echo on", "…", false},
	{"stdin is empty", "cat; echo end", "out:end\n", false},
	{"read at the end", "read z || echo none", "out:none\n", false},
	{"read from a pipe", "printf 'p q\\n' | { read a b; echo \"$b\"; }", "out:q\n", false},
	{"read from a file", "printf 'l1\\nl2\\n' >file; while IFS= read -r l; do echo \"<$l>\"; done <file", "out:<l1>\n<l2>\n", false},
	{"here-document", "cat <<E\na $x\nE", "out:a 41\n", false},
	{"here-document with tabs", "cat <<-E\n\ta\n\tE", "out:a\n", false},
	{"here-document in a substitution", "v=$(cat <<E\nin\nE\n)\necho $v", "out:in\n", false},
	{"open quote", "echo ok\necho 'never ends", "…", false},
	{"open here-document", "cat <<NEVER\ntext", "…", true},
	{"open brace", "if true; then", "…", false},
	{"stray word", "echo ok; done", "err:…", false},
	{"alive", "echo alive", "out:alive\n", false},
	{"no such variable", "echo ${no_such?is not set}; echo on", "err:…", false},
	{"alive again", "echo alive", "out:alive\n", false},
	{"background", "sleep 1000 & echo started", "out:started\n", false},
	{"background keeps the pipe", "(sleep 1000; echo x) & true", "", false},
	{"wait for a job", "(exit 5) & wait $!", "error:ExitStatus:5", false},
	{"wait for all", "kill -9 $(jobs -p); wait; echo waited", "out:waited\n", true},
	{"xtrace", "set -x; echo t", "…", false},
	{"xtrace kept", "set +x", "err:…", false},
	{"nounset", "set -u; echo \"${undefined-none}\"; set +u", "out:none\n", false},
	{"utf-8", "printf 'é😀\\n'; printf '\\303'; printf '\\251\\n'", "out:é😀\né\n", false},
	{"not utf-8", "printf '\\377\\n'", "out:\uFFFD\n", false},
	{"no newline", "printf x", "out:x", false},
	{"descriptors of scripts", "exec 3>three; echo t >&3; exec 3>&-; cat three", "out:t\n", false},
	{"pipe status", "set -o pipefail; false | true", "error:ExitStatus:1", true},
	{"pipe status off", "set +o pipefail; false | true", "", true},
	{"redirected", "echo hidden >/dev/null; echo seen", "out:seen\n", false},
	{"exclamation", "echo 'wow!!' \"a!b\"", "out:wow!! a!b\n", true},
	{"history", "history; echo \"${HISTFILE-none}\"", "out:none\n", true},
	{"not a job number", "true &", "", false},
	{"local variables", "declare g=1; typeset h=2", "", true},
	{"are not", "echo $g$h", "out:12\n", true},
	{"quotes in the cell", "echo \"it's\" 'a\"b' \\\\", "out:it's a\"b \\\n", true},
	{"nested", "sh -c 'exit 9'", "error:ExitStatus:9", false},
	{"killed child", "sh -c 'kill -9 $$'; echo $?", "out:137\n", true},
}

// cell runs code that nobody answers to its end.
func (k *kernel) cell(t testing.TB, code string) (kernelclient.Outcome, []event.Body) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	k.n++
	id := event.ExecID(fmt.Sprint("run", k.n))
	out := k.Run(ctx, kernelclient.Request{ID: id, Code: code})
	return out, k.of(id)
}

// TestShellSilent runs a cell that is neither counted nor told of, but for what it prints.
func TestShellSilent(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		before, _ := k.cell(t, "true")
		out := k.Run(t.Context(), kernelclient.Request{ID: "silent", Code: "x=5; echo printed; (exit 3)", Silent: true})
		bodies := k.of("silent")
		if out.Reason != event.Failed || out.Count != 0 || len(bodies) != 1 || bodies[0] != (event.Stream{Name: "stdout", Text: "printed\n"}) {
			t.Errorf("%+v %v", out, bodies)
		}
		after, bodies := k.cell(t, "echo $x")
		if after.Count != before.Count+1 || len(bodies) != 2 || bodies[1] != (event.Stream{Name: "stdout", Text: "5\n"}) {
			t.Errorf("%+v %v", after, bodies)
		}
	})
}

func TestShellCells(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		n := 0
		for _, s := range cellsOfShell {
			if s.bash && filepath.Base(shell) != "bash" {
				continue
			}
			n++
			out, events := k.cell(t, s.code)
			got := words(events)
			start, open := strings.CutSuffix(s.want, "…")
			if got != s.want && (!open || !strings.HasPrefix(got, start)) {
				t.Errorf("%s: %s\ngot  %q %+v\nwant %q", s.name, s.code, got, out, s.want)
			}
			if out.Count != n || (out.Reason == event.Failed) != strings.Contains(got, "error:") || out.Reason != event.Failed && out.Reason != event.Done {
				t.Errorf("%s: ended %+v, the count is %d", s.name, out, n)
			}
		}
	})
}

// What cannot be run is an error, and never waits for the rest.
func TestShellUnfinished(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		for _, code := range []string{"echo 'never", "echo \"never", "echo $(", "cat <<NEVER\ntext", "if true; then", "f() {", "echo ok; done", "${x?gone}", "no_such_program_xyz"} {
			if code[0] == 'c' && filepath.Base(shell) != "bash" {
				continue // as text up to the end, which POSIX allows
			}
			out, events := k.run(t, code)
			if got := words(events); out.Reason != event.Failed || !strings.Contains(got, "|error:ExitStatus") && !strings.HasPrefix(got, "error:SyntaxError:") {
				t.Errorf("%s: %+v %q", code, out, got)
			} else if strings.Contains(got, "nbterm-shell") {
				t.Errorf("%s: names the folder of cells: %q", code, got)
			}
			if out, events := k.run(t, "echo alive"); out.Reason != event.Done || words(events) != "out:alive\n" {
				t.Errorf("after %s: %+v %q", code, out, words(events))
			}
		}
	})
}

func TestShellInterrupt(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		if out, _ := k.run(t, "kept=1; sleep 1000 &"); out.Reason != event.Done {
			t.Fatalf("%+v", out)
		}
		for _, code := range []string{
			"echo on; sleep 60\necho more",
			"echo on; while :; do :; done; echo more",
			"f() { sleep 60; }; echo on; while true; do f; done; echo more",
			"(echo on; exec sleep 60) | cat; echo more",
			"echo on; x=$(sleep 60); echo more",
			"echo on; (sleep 60; echo more); echo more",
			"echo on; wait; echo more",
		} {
			id, ended := k.begin(t, code)
			k.wait(t, printed(id, "on"))
			if err := k.Interrupt(t.Context()); err != nil {
				t.Fatal(err)
			}
			out := <-ended
			if got := words(k.of(id)); out.Reason != event.Interrupted || !strings.HasPrefix(got, "out:on\n|error:ExitStatus:") || strings.Contains(got, "more") {
				t.Errorf("%s: %+v %q", code, out, got)
			}
		}
		if out, events := k.run(t, "kill -0 $! && echo $kept"); out.Reason != event.Done || words(events) != "out:1\n" {
			t.Errorf("state and the background job: %+v %q", out, words(events))
		}
	})
}

// asked waits for a run's question.
func (k *kernel) asked(t *testing.T, exec event.ExecID) event.InputRequest {
	t.Helper()
	return k.wait(t, func(e event.Event) bool {
		_, ok := e.Body.(event.InputRequest)
		return ok && e.Exec == exec
	}).Body.(event.InputRequest)
}

func TestShellRead(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		for _, c := range []struct {
			code, prompt, answer, want string
			password                   bool
		}{
			{"read x; echo \"hi $x\"", "", "Ann", "out:hi Ann\n", false},
			{"read -p 'who? ' x; echo \"$x\"", "who? ", "  Ann 'B'  ", "out:Ann 'B'\n", false},
			{"IFS= read -r x; echo \"<$x>\"", "", `  a\b $HOME  `, "out:<  a\\b $HOME  >\n", false},
			{"IFS=, read a b; echo \"$b\"", "", "1,2", "out:2\n", false},
			{"if read x; then echo more; else echo end; fi", "", "\x04", "out:end\n", false},
		} {
			if (strings.Contains(c.code, "-p") || strings.Contains(c.answer, "\\b")) && filepath.Base(shell) != "bash" {
				continue
			}
			id, ended := k.begin(t, c.code)
			q := k.asked(t, id)
			if q.Prompt != c.prompt || q.Password != c.password {
				t.Errorf("%s: asked %+v", c.code, q)
			}
			if err := k.Answer(t.Context(), q.ID, c.answer); err != nil {
				t.Fatal(err)
			}
			if err := k.Answer(t.Context(), q.ID, "again"); !errors.Is(err, kernelclient.ErrAnswered) {
				t.Errorf("second answer: %v", err)
			}
			out := <-ended
			if got := words(k.of(id)); out.Reason != event.Done || got != c.want {
				t.Errorf("%s: %+v %q", c.code, out, got)
			}
		}
		id, ended := k.begin(t, "read x; echo more")
		k.asked(t, id)
		if err := k.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Interrupted || strings.Contains(words(k.of(id)), "more") {
			t.Errorf("interrupted: %+v %q", out, words(k.of(id)))
		}
		id, ended = k.begin(t, "read x; echo $x; ls /dev/fd/0 >/dev/null; read y </dev/null || echo none")
		if err := k.Answer(t.Context(), k.asked(t, id).ID, "next"); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Done || words(k.of(id)) != "out:next\nnone\n" {
			t.Errorf("the next: %+v %q", out, words(k.of(id)))
		}
	})
}

func TestShellPassword(t *testing.T) {
	k := openShell(t, shells(t)[0])
	id, ended := k.begin(t, "read -rsp 'secret: ' x; echo ${#x}")
	q := k.asked(t, id)
	if !q.Password || q.Prompt != "secret: " {
		t.Errorf("asked %+v", q)
	}
	if err := k.Answer(t.Context(), q.ID, "abc"); err != nil {
		t.Fatal(err)
	}
	if out := <-ended; out.Reason != event.Done || words(k.of(id)) != "out:3\n" {
		t.Errorf("%+v %q", out, words(k.of(id)))
	}
}

// Output is there before its cell ends, and what a job in the background writes comes after.
func TestShellLive(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		gate := filepath.Join(t.TempDir(), "go")
		id, ended := k.begin(t, fmt.Sprintf("echo early; while [ ! -e '%s' ]; do sleep 0.01; done; (while [ -e '%[1]s' ]; do sleep 0.01; done; echo late) &", gate))
		k.wait(t, printed(id, "early"))
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Done {
			t.Errorf("%+v", out)
		}
		if err := os.Remove(gate); err != nil {
			t.Fatal(err)
		}
		k.wait(t, printed(id, "late"))
	})
}

// textOf is all that was printed.
func textOf(events []event.Body) string {
	var b strings.Builder
	for _, e := range events {
		if s, ok := e.(event.Stream); ok {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestShellFlood(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		out, events := k.run(t, "i=0; while [ $i -lt 200000 ]; do echo $i xxxxxxxxxxxxxxxxxxxxxxxxxxxx; i=$((i+1)); done")
		n := 0
		for line := range strings.Lines(textOf(events)) {
			if line != fmt.Sprint(n, " xxxxxxxxxxxxxxxxxxxxxxxxxxxx\n") {
				t.Fatalf("line %d is %q", n, line)
			}
			n++
		}
		if out.Reason != event.Done || n != 200_000 {
			t.Errorf("%+v, %d lines", out, n)
		}
		out, events = k.run(t, "head -c 20000000 /dev/zero | tr '\\0' x")
		if got := len(textOf(events)); out.Reason != event.Done || got != 20_000_000 {
			t.Errorf("%+v, %d bytes", out, got)
		}
	})
}

func dead(detail string) func(event.Event) bool {
	return func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Dead && strings.Contains(s.Detail, detail)
	}
}

// exit ends the shell as planned, with its status as the cell's; a signal is a death.
func TestShellEnds(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		for _, c := range []struct {
			code   string
			reason event.Reason
			words  string
			detail string
		}{
			{"echo bye; exit", event.Done, "out:bye\n", shellExited},
			{"exit 3", event.Failed, "error:ExitStatus:3", shellExited},
			{"set -e\nfalse\necho never", event.Failed, "error:ExitStatus:1", shellExited},
			{"trap 'echo trapped' EXIT; exit 0", event.Done, "out:trapped\n", shellExited},
			{"exec sh -c 'echo instead; exit 4'", event.Failed, "out:instead\n|error:ExitStatus:4", shellExited},
			{"echo alive; kill -9 $$", event.Died, "out:alive\n", "SIGKILL"},
		} {
			k := openShell(t, shell)
			out, events := k.run(t, c.code)
			if out.Reason != c.reason || words(events) != c.words {
				t.Errorf("%s: %+v %q", c.code, out, words(events))
			}
			k.wait(t, dead(c.detail))
			if out, _ := k.run(t, "echo more"); out.Reason != event.Died {
				t.Errorf("a cell after %s: %+v", c.code, out)
			}
			if _, err := k.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if out, events := k.run(t, "echo again"); out.Reason != event.Done || words(events[:]) != "out:again\n" || out.Count != 1 {
				t.Errorf("after the restart: %+v %q", out, words(events))
			}
		}
	})
}

func TestShellRestart(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		first := k.pid
		id, ended := k.begin(t, "kept=1; sleep 1000 & trap '' HUP; echo on; sleep 60")
		k.wait(t, printed(id, "on"))
		ready, err := k.Restart(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Restarted {
			t.Errorf("the run ended %+v", out)
		}
		if ready.PID == first {
			t.Error("it is the same shell")
		}
		waitFor(t, "the end of the old group", func() bool { return !groupAlive(first) })
		if out, events := k.run(t, "echo \"${kept-gone}\""); out.Reason != event.Done || words(events) != "out:gone\n" {
			t.Errorf("%+v %q", out, words(events))
		}
	})
}

// groupAlive tells whether a process of the group is left that is not only to be reaped.
func groupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }

func TestShellStop(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	eachShell(t, func(t *testing.T, shell string) {
		for _, force := range []bool{false, true} {
			k := openShell(t, shell)
			id, ended := k.begin(t, "sleep 1000 & echo on; sleep 1000")
			k.wait(t, printed(id, "on"))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			if force {
				cancel()
			}
			if err := k.Close(ctx, true); err != nil {
				t.Error(err)
			}
			cancel()
			if out := <-ended; out.Reason != event.Lost {
				t.Errorf("the run ended %+v", out)
			}
			waitFor(t, "the end of the group", func() bool { return !groupAlive(k.pid) })
			left, err := filepath.Glob(filepath.Join(os.TempDir(), "nbterm-shell-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		}
	})
}

// A shell whose nbterm is gone ends with its children, also in the middle of a cell.
func TestShellOrphan(t *testing.T) {
	unheard := make(chan os.Signal, 1)
	signal.Notify(unheard, syscall.SIGHUP) // children get the default, whatever the tests were started with
	testShellOrphan(t)
	signal.Stop(unheard)
	signal.Ignore(syscall.SIGHUP) // as by nohup: bash takes the hang-up all the same, dash and children do not
	defer signal.Reset(syscall.SIGHUP)
	testShellOrphan(t)
}

func testShellOrphan(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		id, ended := k.begin(t, "echo on; sleep 1000")
		k.wait(t, printed(id, "on"))
		sh := k.Driver.(*shellDriver).current()
		if err := sh.life.Close(); err != nil {
			t.Fatal(err)
		}
		if out := <-ended; out.Reason != event.Died || !strings.Contains(out.Detail, "was killed by SIG") {
			t.Errorf("%+v", out)
		}
	})
}

func TestShellMissing(t *testing.T) {
	d := NewShellDriver(ShellOptions{Shell: "/no/such/shell", Dir: t.TempDir()})
	if _, err := d.Open(t.Context(), newSink()); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("got %v", err)
	}
	d = NewShellDriver(ShellOptions{Shell: shells(t)[0], Dir: "/no/such/folder"})
	if _, err := d.Open(t.Context(), newSink()); !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "working folder") {
		t.Errorf("got %v", err)
	}
	script := filepath.Join(t.TempDir(), "bash")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho broken >&2; exit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d = NewShellDriver(ShellOptions{Shell: script, Dir: t.TempDir()})
	var death *kernelclient.Death
	if _, err := d.Open(t.Context(), newSink()); !errors.As(err, &death) || death.Code != 7 || death.Last != "broken" {
		t.Errorf("got %v", err)
	}
}
