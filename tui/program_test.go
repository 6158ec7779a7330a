package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/tui"
)

func TestOpenMoveRunSaveQuit(t *testing.T) {
	a := open(t, setup{file: file("print(1)", "md:# Title", "x = 2"), script: echo})
	a.shows("print(1)", "Title", "x = 2", "test.ipynb", "not started", "1/3")
	a.Type("j")
	a.shows("2/3")
	a.Type("g", "g")
	a.shows("1/3")
	a.Type("shift+enter")
	a.shows("[1]", "ran print(1)", "2/3", "● test.ipynb", "Python 3 (ipykernel) · idle")
	a.Type("G", "ctrl+r")
	a.shows("[2]", "ran x = 2", "4/4")
	a.Type("s")
	a.hides("●")
	a.shows("saved test.ipynb")
	if !strings.Contains(a.saved(), `"ran x = 2\n"`) {
		t.Errorf("the file lacks the output:\n%s", a.saved())
	}
	a.quits(t, 0, "q")
}

// quits types keys and checks the status and the terminal afterwards.
func (a *app) quits(t *testing.T, exit int, keys ...string) {
	t.Helper()
	a.Keys(keys...)
	if err := a.Wait(); err != nil || a.exit != exit {
		t.Errorf("exit %d, %v", a.exit, err)
	}
	if _, _, shown := a.Cursor(); a.AltScreen() || !shown {
		t.Errorf("the terminal was not restored: alternate screen %v, cursor %v", a.AltScreen(), shown)
	}
}

func TestRunForms(t *testing.T) {
	for _, c := range []struct{ keys, shows, position string }{
		{"ctrl+j", "ran a", "1/2"},
		{"ctrl+e", "ran a", "1/2"},
		{"ctrl+enter", "ran a", "1/2"},
		{"shift+enter", "ran a", "2/2"},
		{"ctrl+r", "ran a", "2/2"},
		{"alt+enter", "ran a", "2/3"},
		{"R", "ran b", "1/2"},
		{"j <", "ran a", "2/2"},
		{"j >", "ran b", "2/2"},
	} {
		t.Run(c.keys, func(t *testing.T) {
			a := open(t, setup{file: file("a", "b"), script: echo})
			a.Type(strings.Fields(c.keys)...)
			a.shows(c.shows, c.position)
			if c.keys == "j <" {
				a.hides("ran b")
			}
			if c.keys == "j >" {
				a.hides("ran a")
			}
		})
	}
}

func TestCells(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "three")})
	order := func(want ...string) {
		t.Helper()
		screen := a.Text()
		for _, w := range want {
			_, rest, found := strings.Cut(screen, w)
			if !found {
				t.Fatalf("no %q in order %q:\n%s", w, want, a.Text())
			}
			screen = rest
		}
	}
	a.Type("x", "v")
	order("two", "one", "three", "2/3")
	a.Type("d", "d")
	order("two", "three", "2/2")
	a.Type("z")
	order("two", "one", "three", "2/3")
	a.Type("alt+up")
	order("one", "two", "three", "1/3")
	a.Type("alt+down", "alt+down")
	order("two", "three", "one", "3/3")
	a.Type("c", "V")
	order("three", "one", "one", "3/4")
	a.Type("z", "Z")
	order("three", "one", "one")
	a.Type("g", "g", "2")
	order("two", "three")
	a.Type("y", "r")
	order("raw", "## two")
	a.Type("a")
	order("[ ]", "## two", "1/5")
	a.Type("b", "m")
	order("[ ]", "empty markdown cell", "## two", "2/6")
	for range 20 {
		a.Type("d", "d")
	}
	a.shows("no cells")
	a.Type("k", "j", "c", "x", "e", "m", "delete", "R", "shift+enter", "o")
	a.Type("b")
	a.shows("1/1")
}

func TestQuestionsAtQuitting(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("d", "d", "q")
	a.shows("unsaved changes", "s save", "d discard", "Esc back")
	a.Type("x")
	a.shows("unsaved changes")
	a.Type("esc")
	a.hides("unsaved changes")
	a.Type("ctrl+q")
	a.quits(t, 0, "d")
	if !strings.Contains(a.saved(), "one") {
		t.Error("discarded changes were saved")
	}

	a = open(t, setup{file: file("one")})
	a.Type("d", "d", "q")
	a.quits(t, 0, "s")
	if strings.Contains(a.saved(), "one") {
		t.Error("the changes were not saved")
	}
}

// block is a kernel that runs until it is interrupted.
func block(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	select {
	case <-f.Interrupted():
		f.Sink().Emit(r.ID, event.Error{Name: "KeyboardInterrupt"})
		return kernelclient.Outcome{Reason: event.Interrupted}
	case <-f.Gone():
		if r.Code == "restarted" {
			return kernelclient.Outcome{Reason: event.Restarted}
		}
		return kernelclient.Outcome{Reason: event.Died, Detail: "the kernel was killed by SIGKILL (out of memory?)"}
	}
}

func TestQuitWhileACellRuns(t *testing.T) {
	a := open(t, setup{file: file("one"), script: block})
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.Keys("q")
	a.WaitFor("a cell is running")
	a.Keys("esc")
	a.WaitScreen("no question", func(s string) bool { return !strings.Contains(s, "a cell is running") })
	a.Keys("q")
	a.WaitFor("a cell is running")
	a.Keys("x")
	a.WaitFor("unsaved changes")
	a.quits(t, 0, "d")
}

func TestInterrupt(t *testing.T) {
	a := open(t, setup{file: file("one", "two"), script: block})
	a.Type("ctrl+c")
	a.shows("nothing runs")
	a.Keys("R")
	a.WaitScreen("one running and one queued cell", func(s string) bool {
		return strings.Contains(s, "[*]") && strings.Contains(s, "[·]") && strings.Contains(s, "queued")
	})
	a.Keys("ctrl+c")
	a.WaitFor("stopped")
	a.WaitIdle()
	a.shows("not run", "KeyboardInterrupt", "idle")
	a.hides("[*]", "[·]")
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.Keys("i", "i")
	a.WaitScreen("the end", func(s string) bool { return !strings.Contains(s, "[*]") })
	a.signals <- os.Interrupt // of the process group, not a key
	a.WaitFor("nothing runs")
}

func TestDeathAndRestart(t *testing.T) {
	a := open(t, setup{file: file("one", "restarted"), script: block})
	a.Type("0", "0")
	a.shows("no kernel runs yet")
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.kernel.Die("the kernel was killed by SIGKILL (out of memory?)")
	a.WaitFor("died")
	a.WaitIdle()
	a.shows("SIGKILL", "dead", "✗")
	a.Type("esc")
	a.Type("0", "0")
	a.shows("idle")
	a.Type("j")
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.Keys("0", "0")
	a.WaitScreen("a fresh kernel", func(s string) bool { return strings.Contains(s, "idle") && !strings.Contains(s, "[*]") })
}

func TestRestartAndRunAll(t *testing.T) {
	a := open(t, setup{file: file("one", "two"), script: echo})
	a.Type("0", "R")
	a.shows("ran one", "ran two")
	a.Type("d", "d", "0", "R")
	a.shows("[1]", "ran two", "1/1")
}

// ask is a kernel that asks for a line; "secret" asks for a password.
func ask(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	f.Sink().Emit(r.ID, event.InputRequest{ID: "q" + event.InputID(r.ID), Prompt: "who? ", Password: r.Code == "secret"})
	select {
	case name := <-f.Answers():
		if r.Code == "secret" {
			name = strings.Repeat("*", len(name))
		}
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "hi " + name + "\n"})
		return kernelclient.Outcome{Reason: event.Done}
	case <-f.Interrupted():
		return kernelclient.Outcome{Reason: event.Interrupted}
	case <-ctx.Done():
		return kernelclient.Outcome{Reason: event.Died}
	}
}

func TestPrompt(t *testing.T) {
	a := open(t, setup{file: file("name"), script: ask})
	a.Keys("ctrl+j")
	a.WaitFor("who?")
	a.WaitIdle()
	a.shows("waits for input", "Enter answers")
	a.Type("Amn", "backspace", "backspace", "tab", "nn")
	a.shows("who? Ann")
	if x, y, shown := a.Cursor(); !shown || string([]rune(strings.Split(a.Text(), "\n")[y])[x-3:x]) != "Ann" {
		t.Errorf("the cursor is at %d,%d, shown: %v", x, y, shown)
	}
	a.Type("esc")
	a.shows("Enter goes back", "(Enter answers)")
	a.Type("enter", "enter")
	a.WaitFor("hi Ann")
	a.WaitIdle()
	a.hides("waits for input")
	a.order("who? Ann", "hi Ann") // the answer stays as long as the outputs are shown
	a.Type("s")
	if strings.Contains(a.saved(), "who?") {
		t.Error("the question was saved")
	}
	if _, _, shown := a.Cursor(); shown {
		t.Error("the cursor is still shown")
	}
	a.Keys("ctrl+j")
	a.WaitFor("who?")
	a.Keys("ctrl+c")
	a.WaitFor("stopped")
	a.WaitIdle()
	a.hides("who?")
}

// Questions, answers and what is printed stand in the order in which they came.
func TestAnswersStandBetweenOutputs(t *testing.T) {
	twice := func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "first\n"})
		ask(ctx, f, r)
		return ask(ctx, f, r)
	}
	a := open(t, setup{file: file("name"), script: twice})
	a.Keys("ctrl+j")
	for _, name := range []string{"Ann", "Bob"} {
		a.WaitFor("Enter answers")
		a.WaitIdle()
		a.Type(name, "enter")
		a.WaitFor("hi " + name)
	}
	a.WaitIdle()
	a.order("first", "who? Ann", "hi Ann", "who? Bob", "hi Bob")
	a.Type("delete")
	a.hides("who?", "hi")
}

func TestAfterAnAnswerRunAndNextGoesOn(t *testing.T) {
	a := open(t, setup{file: file("name", "two"), script: ask})
	a.Keys("shift+enter")
	a.WaitFor("who?")
	a.WaitIdle()
	a.shows("1/2")
	a.Type("Ann")
	a.Type("enter")
	a.WaitFor("hi Ann")
	a.WaitIdle()
	a.shows("2/2")
}

func TestPasswordIsNotShownNorKept(t *testing.T) {
	a := open(t, setup{file: file("secret"), script: ask})
	a.Keys("ctrl+j")
	a.WaitFor("who?")
	a.Type("hunter2")
	a.Type("enter")
	a.WaitFor("hi *******")
	a.Type("s")
	if strings.Contains(string(a.Bytes()), "hunter2") || strings.Contains(a.saved(), "hunter2") {
		t.Error("the password was shown or saved")
	}
}

func TestSignalsKeepUnsavedChanges(t *testing.T) {
	for sig, exit := range map[os.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		a := open(t, setup{file: file("one"), script: echo})
		a.Type("b")
		a.signals <- sig
		a.quits(t, exit)
		copies := a.copies()
		if len(copies) != 1 || !strings.Contains(a.stderr.String(), copies[0]) {
			t.Errorf("%v: copies %q, said %q", sig, copies, a.stderr)
			continue
		}
		if info, err := os.Stat(copies[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

func TestTerminalGoneKeepsUnsavedChanges(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("b")
	a.HangUp(syscall.EIO)
	if err := a.Wait(); err != nil || a.exit != 129 {
		t.Errorf("exit %d, %v", a.exit, err)
	}
	if copies := a.copies(); len(copies) != 1 {
		t.Errorf("copies %q", copies)
	}
}

// brokenHost panics: an error of ours.
type brokenHost struct{ hosttest.Host }

func (*brokenHost) Kernels(context.Context) ([]kernelclient.Kernel, error) { panic("on purpose") }

func TestOwnPanicRestoresTheTerminalAndKeepsChanges(t *testing.T) {
	a := open(t, setup{file: file("one"), host: &brokenHost{}})
	a.Type("b")
	a.Keys("ctrl+j")
	if err := a.Wait(); err == nil || a.exit != 1 {
		t.Errorf("exit %d, %v", a.exit, err)
	}
	if _, _, shown := a.Cursor(); a.AltScreen() || !shown {
		t.Error("the terminal was not restored")
	}
	if copies := a.copies(); len(copies) != 1 {
		t.Errorf("copies %q", copies)
	}
}

func TestNothingUnsavedLeavesNoCopy(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.signals <- syscall.SIGTERM
	a.quits(t, 143)
	if copies := a.copies(); len(copies) > 0 || a.stderr.Len() > 0 {
		t.Errorf("copies %q, said %q", copies, a.stderr)
	}
}

func TestFileChangedOnDisk(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("b")
	if err := os.WriteFile(a.path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Type("s")
	a.shows("another program changed", "no notebook now", "m mine")
	a.Type("esc")
	if a.saved() != "theirs" {
		t.Error("their file was overwritten")
	}
	a.shows("●")
	a.Type("s", "m")
	a.hides("●")
	if !strings.Contains(a.saved(), "one") {
		t.Error("mine was not written")
	}
}

func TestErrorsStayUntilDismissed(t *testing.T) {
	a := open(t, setup{file: file("one")})
	if err := os.Remove(filepath.Dir(a.path) + "/test.ipynb"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Dir(a.path)); err != nil {
		t.Fatal(err)
	}
	a.Type("b", "s", "w", "j", "k")
	a.shows("not saved: cannot save", "Esc", "●")
	a.Type("esc")
	a.hides("not saved")
}

func TestMessagesStack(t *testing.T) {
	a := open(t, setup{file: file("one"), host: &hosttest.Host{}, notices: []string{"first", "second \x1b]0;x\x07"}})
	a.shows("! (1/2) second", "Esc")
	a.Type("ctrl+j")
	a.shows("no kernel", "✗ (1/3)")
	a.Type("ctrl+j")
	a.shows("✗ (1/3)")
	a.Type("esc", "esc")
	a.shows("! first  Esc")
	a.Type("esc")
	a.hides("first")
}

func TestKernelThatIsNotInstalled(t *testing.T) {
	other := &hosttest.Host{List: []kernelclient.Kernel{{Name: "ir", Language: "R"}}}
	text := strings.Replace(file("one"), `"metadata": {}`, `"metadata": {"kernelspec": {"name": "no-such-kernel-xyz"}}`, 2)
	a := open(t, setup{file: text, host: other})
	a.Type("ctrl+j")
	a.shows("no-such-kernel-xyz", "ir", "[ ]")
	a.Type("esc", "b")
	a.shows("2/2")
}

func TestLinuxConsoleF1(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("\x1b[[A")
	a.shows("Everywhere")
}

func TestExternalEditor(t *testing.T) {
	script := filepath.Join(t.TempDir(), "edit")
	body := "#!/bin/sh\ncase $1 in *.py) ;; *) exit 3 ;; esac\ngrep -q '^old$' \"$1\" || exit 4\nprintf 'new 1\\nnew 2\\n' > \"$1\"\n"
	if err := os.WriteFile(script, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"e"} {
		a := open(t, setup{file: file("old", "x"), env: []string{"VISUAL=" + script, "EDITOR=false"}, osPipe: true})
		a.Type(key)
		a.WaitFor("new 2")
		a.Type("s", "j", key)
		if !strings.Contains(a.saved(), `"new 1\n",`) || !strings.Contains(a.saved(), `"new 2"`) {
			t.Errorf("saved:\n%s", a.saved())
		}
		a.shows("the editor failed", "exit status 4")
		a.Type("esc", "z")
		a.shows("old")
		a.quits(t, 0, "q", "d")
	}
}

func TestTerminalsThatCannot(t *testing.T) {
	for _, term := range []string{"", "dumb"} {
		exit, err := tui.Run(t.Context(), tui.Options{Session: newSession(t), Env: []string{"TERM=" + term}})
		if exit != 2 || err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "TERM") {
			t.Errorf("TERM=%q: %d, %v", term, exit, err)
		}
	}
}

func TestRunAllFollowsTheSelectedCell(t *testing.T) {
	a := open(t, setup{file: file("long", "x"), script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: strings.Repeat("line\n", 30) + "the end of " + r.Code + "\n"})
		return kernelclient.Outcome{Reason: event.Done}
	}})
	a.Type("R")
	a.shows("the end of long")
	a.Type("g", "g")
	a.hides("the end of long")
	a.Type("R")
	a.WaitIdle()
	a.Type("]")
	a.shows("the end of long")
}
