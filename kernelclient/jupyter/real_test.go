//go:build unix

package jupyter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// These stories share one ipykernel; the last ones kill and replace it.
func TestIPykernel(t *testing.T) {
	d, s := openReal(t)
	for _, story := range []struct {
		name string
		tell func(*testing.T, kernelclient.Driver, *sink)
	}{
		{"runs", storyRuns},
		{"many lines", storyManyLines},
		{"one long line", storyLongLine},
		{"many displays", storyDisplays},
		{"displays and updates", storyUpdates},
		{"interrupt", storyInterrupt},
		{"input", storyInput},
		{"interrupted input", storyInterruptedInput},
		{"late output", storyLate},
		{"comm", storyComm},
		{"payloads", storyPayloads},
		{"restart while running", storyRestart},
		{"killed", storyKilled},
		{"exit", storyExit},
	} {
		t.Run(story.name, func(t *testing.T) { story.tell(t, d, s) })
	}
}

func want(t *testing.T, out kernelclient.Outcome, reason event.Reason) {
	t.Helper()
	if out.Reason != reason {
		t.Errorf("it ended %+v, want %s", out, reason)
	}
}

func storyRuns(t *testing.T, d kernelclient.Driver, s *sink) {
	out := execute(t, d, "a", "import sys\nprint('out'); print('err', file=sys.stderr); 1+1")
	if out.Reason != event.Done || out.Count != 1 {
		t.Errorf("%+v", out)
	}
	want(t, execute(t, d, "b", "1/0"), event.Failed)
	// Right after an error ipykernel aborts what arrives; this must run all the same.
	if out := execute(t, d, "c", "print('after an error')"); out.Reason != event.Done || out.Count != 3 {
		t.Errorf("%+v", out)
	}
	if got := text(s.of("a"), "stdout") + text(s.of("a"), "stderr") + text(s.of("c"), "stdout"); got != "out\nerr\nafter an error\n" {
		t.Errorf("streams %q\n%s", got, s.story())
	}
	for _, line := range []string{"a:Started 1", "a:Result 1 2", "b:Error ZeroDivisionError", ":State busy", ":State idle"} {
		if !strings.Contains(s.story(), line+"\n") && !strings.Contains(s.story(), line+" \n") {
			t.Errorf("no %s in\n%s", line, s.story())
		}
	}
}

func storyManyLines(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "lines", "for i in range(200_000): print(i)"), event.Done)
	got := text(s.of("lines"), "stdout")
	if n := strings.Count(got, "\n"); n != 200_000 || len(got) != 1_288_890 {
		t.Errorf("%d lines, %d bytes", n, len(got))
	}
}

func storyLongLine(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "long", "print('x' * 50_000_000)"), event.Done)
	if got := len(text(s.of("long"), "stdout")); got != 50_000_001 {
		t.Errorf("%d bytes", got)
	}
}

// Fewer than the 1,000 that a kernel as it comes keeps for a reader whom a busy machine
// lets wait.
func storyDisplays(t *testing.T, d kernelclient.Driver, s *sink) {
	const n = 900
	want(t, execute(t, d, "displays", fmt.Sprintf("for i in range(%d): display({'text/plain': str(i)}, raw=True)", n)), event.Done)
	next := 0
	for _, body := range s.of("displays") {
		if display, ok := body.(event.Display); ok {
			if text, _ := display.Data.Plain(); text != fmt.Sprint(next) {
				t.Fatalf("%s came where %d is due", text, next)
			}
			next++
		}
	}
	if next != n {
		t.Errorf("%d displays", next)
	}
}

func storyUpdates(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "updates", `from IPython.display import clear_output
h = display("one", display_id="i"); h.update("two"); clear_output(wait=True); print("three")`), event.Done)
	var got []string
	for _, body := range s.of("updates") {
		switch b := body.(type) {
		case event.Display:
			got = append(got, "display "+b.ID+" "+string(b.Data.Get("text/plain")))
		case event.Update:
			got = append(got, "update "+b.ID+" "+string(b.Data.Get("text/plain")))
		case event.Clear:
			got = append(got, fmt.Sprint("clear ", b.Wait))
		case event.Stream:
			got = append(got, b.Text)
		}
	}
	if all := strings.Join(got, "|"); all != `display i "'one'"|update i "'two'"|clear true|three`+"\n" {
		t.Error(all)
	}
}

// inBackground runs code and returns where its outcome will come.
func inBackground(t *testing.T, d kernelclient.Driver, id event.ExecID, code string) <-chan kernelclient.Outcome {
	c := make(chan kernelclient.Outcome, 1)
	go func() { c <- execute(t, d, id, code) }()
	return c
}

func printed(exec event.ExecID, text string) func(sunk) bool {
	return func(e sunk) bool {
		s, ok := e.body.(event.Stream)
		return ok && e.exec == exec && strings.Contains(s.Text, text)
	}
}

func storyInterrupt(t *testing.T, d kernelclient.Driver, s *sink) {
	out := inBackground(t, d, "sleep", "import time\nprint('going', flush=True)\nwhile True: time.sleep(0.1)")
	s.wait(t, printed("sleep", "going"))
	began := time.Now()
	if err := d.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, <-out, event.Interrupted)
	t.Logf("ended %s after the interrupt", time.Since(began))
	want(t, execute(t, d, "after", "1"), event.Done)
}

func storyInput(t *testing.T, d kernelclient.Driver, s *sink) {
	out := inBackground(t, d, "input", "x = input('who? '); print('hi', x)")
	request := s.wait(t, asked).body.(event.InputRequest)
	if request.Prompt != "who? " || request.Password {
		t.Errorf("%+v", request)
	}
	if err := d.Answer(t.Context(), request.ID, "Ann \"é😀"); err != nil {
		t.Fatal(err)
	}
	want(t, <-out, event.Done)
	if got := text(s.of("input"), "stdout"); got != "hi Ann \"é😀\n" {
		t.Errorf("%q", got)
	}
	if err := d.Answer(t.Context(), request.ID, "again"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("a second answer: %v", err)
	}
}

func storyInterruptedInput(t *testing.T, d kernelclient.Driver, s *sink) {
	out := inBackground(t, d, "getpass", "import getpass; getpass.getpass('secret: ')")
	request := s.wait(t, func(e sunk) bool { return e.exec == "getpass" && asked(e) }).body.(event.InputRequest)
	if !request.Password {
		t.Error("it is no password")
	}
	if err := d.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, <-out, event.Interrupted)
	s.wait(t, func(e sunk) bool { return e.body == event.InputClosed{ID: request.ID} })
	if err := d.Answer(t.Context(), request.ID, "late"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("a late answer: %v", err)
	}
	// The late answer must not be taken for the next question's.
	out = inBackground(t, d, "next", "print(input('next? '))")
	request = s.wait(t, func(e sunk) bool { return e.exec == "next" && asked(e) }).body.(event.InputRequest)
	if err := d.Answer(t.Context(), request.ID, "right"); err != nil {
		t.Fatal(err)
	}
	want(t, <-out, event.Done)
	if got := text(s.of("next"), "stdout"); got != "right\n" {
		t.Errorf("%q", got)
	}
}

func storyLate(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "thread", `import threading
go = threading.Event()
threading.Thread(target=lambda: (go.wait(), print("from a thread", flush=True))).start()`), event.Done)
	want(t, execute(t, d, "release", "go.set()"), event.Done)
	e := s.wait(t, func(e sunk) bool { return printed(e.exec, "from a thread")(e) })
	if e.exec != "thread" && e.exec != "release" { // which of them is up to ipykernel's version
		t.Errorf("it came to %q", e.exec)
	}
}

func storyComm(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "comm", `from comm import create_comm
closed = threading.Event()
c = create_comm(target_name="nobody knows it"); c.on_close(lambda m: (closed.set(), print("closed", flush=True)))`), event.Done)
	s.wait(t, func(e sunk) bool { return printed(e.exec, "closed")(e) })
	want(t, execute(t, d, "comm2", "assert closed.is_set()"), event.Done)
}

func storyPayloads(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "page", "print?"), event.Done)
	if !strings.Contains(s.story(), "page:Payload page\n") {
		t.Error("no page")
	}
}

func storyRestart(t *testing.T, d kernelclient.Driver, s *sink) {
	out := inBackground(t, d, "old", "print('old', flush=True)\nwhile True:\n  try: time.sleep(600)\n  except KeyboardInterrupt: pass")
	s.wait(t, printed("old", "old"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	if _, err := d.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("restarted in %s", time.Since(began))
	want(t, <-out, event.Restarted)
	if out := execute(t, d, "new", "print('x' in dir())"); out.Reason != event.Done || out.Count != 1 {
		t.Errorf("%+v", out)
	}
	if strings.Contains(s.story(), "State dead") {
		t.Error("a restart is no death")
	}
}

func storyKilled(t *testing.T, d kernelclient.Driver, s *sink) {
	ended := inBackground(t, d, "kill", "import time\nprint('alive', flush=True)\ntime.sleep(600)")
	s.wait(t, printed("kill", "alive")) // flushing alone does not bring it out of the kernel's threads
	if err := syscall.Kill(d.(*driver).current().kernel.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	out := <-ended
	want(t, out, event.Died)
	if !strings.Contains(out.Detail, "SIGKILL") {
		t.Error(out.Detail)
	}
	if got := text(s.of("kill"), "stdout"); got != "alive\n" {
		t.Errorf("last words %q", got)
	}
	if !strings.Contains(s.story(), "State dead the kernel was killed by SIGKILL") {
		t.Error(s.story())
	}
	want(t, execute(t, d, "dead", "1"), event.Died)
	if _, err := d.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, execute(t, d, "again", "1"), event.Done)
}

func storyExit(t *testing.T, d kernelclient.Driver, s *sink) {
	want(t, execute(t, d, "exit", "exit()"), event.Done)
	e := s.wait(t, func(e sunk) bool {
		st, ok := e.body.(event.State)
		return ok && st.State == event.Dead && strings.Contains(st.Detail, "by its code")
	})
	t.Log(e.body)
}

func TestIPykernelThatNeverWas(t *testing.T) {
	hosttest.Python(t)
	d := NewDriver(&ipykernels{python: "/bin/false", dir: t.TempDir()}, DriverOptions{})
	defer d.Close(t.Context(), true)
	_, err := d.Open(t.Context(), newSink())
	var death *kernelclient.Death
	if !errors.As(err, &death) || death.Code != 1 || !errors.Is(err, kernelclient.Killed) {
		t.Errorf("%v", err)
	}
}

func TestKilledFromOutsideWhileIdle(t *testing.T) {
	d, s := openReal(t)
	pid := d.(*driver).current().kernel.PID()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(t, func(e sunk) bool { st, ok := e.body.(event.State); return ok && st.State == event.Dead })
}

func BenchmarkIPykernelOnePlusOne(b *testing.B) {
	d, _ := openReal(b)
	for b.Loop() {
		if out := execute(b, d, "x", "1+1"); out.Reason != event.Done {
			b.Fatal(out)
		}
	}
}

func BenchmarkIPykernelLines(b *testing.B) {
	d, _ := openReal(b)
	for b.Loop() {
		execute(b, d, "x", "for i in range(200_000): print(i)")
	}
}

func BenchmarkIPykernelLongLine(b *testing.B) {
	d, _ := openReal(b)
	for b.Loop() {
		execute(b, d, "x", "print('x' * 50_000_000)")
	}
}
