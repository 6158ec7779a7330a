package tui_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/tui"
)

// lasting is a host whose kernels go on without the program. A cell that is "wait" prints
// a line, waits for the gate and prints another one.
func lasting(t *testing.T, gate <-chan struct{}) *hosttest.Host {
	t.Helper()
	return lastingWith(t, func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		say := func(text string) { f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: text + "\n"}) }
		say("begin " + r.Code)
		if r.Code == "wait" {
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		say("end " + r.Code)
		return kernelclient.Outcome{Reason: event.Done}
	})
}

func lastingWith(t *testing.T, script hosttest.Script) *hosttest.Host {
	t.Helper()
	h := host(&hosttest.Fake{Script: script})
	h.Lasting = true
	t.Cleanup(func() {
		for _, c := range left(t, h) {
			if err := c.Stop(context.Background(), true); err != nil {
				t.Error(err)
			}
		}
	})
	return h
}

// left are the kernels that run.
func left(t *testing.T, h *hosttest.Host) (list []kernelclient.Context) {
	t.Helper()
	infos, err := h.Contexts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		c, err := h.Attach(context.Background(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// idle waits until the one kernel that runs has nothing to do.
func idle(t *testing.T, h *hosttest.Host) {
	t.Helper()
	c := left(t, h)[0]
	s := c.Follow(kernelclient.Cursor{})
	defer s.Close()
	for info := c.Info(); info.Running+info.Waiting > 0 || s.Cursor().Seq < info.Last.Seq; info = c.Info() {
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A kernel of another machine is found again by that machine's name.
func TestLeftOnAnotherMachine(t *testing.T) {
	a := open(t, setup{lasting: lasting(t, make(chan struct{})), file: file("wait"), kept: "ssh://gpu"})
	a.Keys("R")
	a.WaitFor("begin wait")
	a.signals <- syscall.SIGHUP
	a.quits(t, 129)
	if said := a.stderr.String(); !strings.Contains(said, "nbterm --host ssh://gpu test.ipynb comes back to it, nbterm stop 1 --host ssh://gpu ends it") {
		t.Errorf("it said %q", said)
	}
}

func TestARunOutlivesTheProgram(t *testing.T) {
	gate := make(chan struct{})
	h := lasting(t, gate)
	first := open(t, setup{lasting: h, file: file("wait", "next")})
	first.Keys("R")
	first.WaitFor("begin wait")
	first.signals <- syscall.SIGHUP
	first.quits(t, 129)
	if said := first.stderr.String(); !strings.Contains(said, "the kernel of test.ipynb goes on; nbterm test.ipynb comes back to it, nbterm stop 1 ends it") {
		t.Errorf("it said %q", said)
	}
	if n := len(first.copies()); n != 1 {
		t.Fatalf("%d copies of what it put out", n)
	}
	close(gate)
	idle(t, h)
	a := open(t, setup{lasting: h, again: first})
	a.shows("begin wait", "end wait", "begin next", "end next", "● test.ipynb", "joined the kernel that was left running")
	a.hides("restore") // the kernel's host has all that the copy has
	a.Type("s")
	a.hides("●")
	if n := len(a.copies()); n != 0 || !strings.Contains(a.saved(), "end next") {
		t.Errorf("%d copies, saved\n%s", n, a.saved())
	}
	a.Type("q")
	a.shows("the kernel can go on without nbterm", "k keep running", "x stop the kernel", "Esc back")
	a.Type("esc")
	a.hides("keep running")
	a.quits(t, 0, "q", "k")
	if n := len(left(t, h)); n != 1 {
		t.Errorf("%d kernels are left", n)
	}
	b := open(t, setup{lasting: h, again: first})
	b.shows("end wait", "end next", "joined the kernel")
	b.hides("●")
	b.quits(t, 0, "q", "x")
	if n := len(left(t, h)); n != 0 {
		t.Errorf("%d kernels are left", n)
	}
	if c := open(t, setup{lasting: h, again: first}); strings.Contains(c.Text(), "joined") {
		t.Error("a kernel that was stopped was joined")
	}
}

// The end of a running cell stays in sight after coming back to it.
func TestARunThatWasLeftIsFollowed(t *testing.T) {
	more := make(chan struct{})
	h := lastingWith(t, func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		for i := range 60 {
			if i%30 == 0 {
				select {
				case <-more:
				case <-ctx.Done():
					return kernelclient.Outcome{Reason: event.Interrupted}
				}
			}
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintf("line %d\n", i)})
		}
		return kernelclient.Outcome{Reason: event.Done}
	})
	first := open(t, setup{lasting: h, file: file("count", "other")})
	first.Keys("ctrl+j")
	more <- struct{}{}
	first.WaitFor("line 29")
	first.quits(t, 0, "q", "k", "d")
	a := open(t, setup{lasting: h, again: first, busy: true})
	a.WaitFor("line 29")
	more <- struct{}{}
	a.WaitFor("line 59")
	a.quits(t, 0, "q", "x", "d")
}

func TestQuittingSaysWhoElseUsesTheKernel(t *testing.T) {
	h := lasting(t, nil)
	a := open(t, setup{lasting: h, file: file("one")})
	a.Type("ctrl+j", "q")
	a.shows("the kernel can go on")
	a.hides("programs use")
	a.Type("esc")
	h.Clients = 2
	a.Type("q")
	a.shows("2 programs use this kernel; the kernel can go on without nbterm", "x stop the kernel")
	a.quits(t, 0, "x", "d")
}

func TestRestoreWithAKernelThatWasLeft(t *testing.T) {
	h := lasting(t, nil)
	first := open(t, setup{lasting: h, file: file("one")})
	first.Type("enter", "typed ", "esc", "ctrl+j")
	first.shows("end typed one")
	first.signals <- syscall.SIGTERM
	first.quits(t, 143)
	a := open(t, setup{lasting: h, again: first})
	a.shows("unsaved changes of test.ipynb", "r restore")
	a.Type("r")
	a.shows("typed one", "begin typed one", "end typed one")
	a.Type("s")
	a.quits(t, 0, "q", "x")
}

func TestASettingDecidesAboutTheKernel(t *testing.T) {
	h := lasting(t, nil)
	for _, c := range []struct {
		how  tui.OnQuit
		left int
	}{{tui.KeepOnQuit, 1}, {tui.StopOnQuit, 0}} {
		a := open(t, setup{lasting: h, file: file("one"), onQuit: c.how})
		a.Type("ctrl+j", "s")
		a.quits(t, 0, "q")
		if n := len(left(t, h)); n != c.left {
			t.Errorf("%s: %d kernels are left", c.how, n)
		}
		for _, k := range left(t, h) {
			_ = k.Stop(t.Context(), true)
		}
	}
}

// Quitting asks about the kernel first, then about the changes; going back forgets the answer.
func TestQuitWithAKernelAndChanges(t *testing.T) {
	h := lasting(t, nil)
	a := open(t, setup{lasting: h, file: file("one")})
	a.Type("ctrl+j", "q", "x")
	a.shows("has unsaved changes")
	a.Type("esc", "q")
	a.shows("k keep running")
	a.Type("k")
	a.shows("has unsaved changes")
	a.quits(t, 0, "d")
	if n := len(left(t, h)); n != 1 {
		t.Errorf("%d kernels are left", n)
	}
}

func TestAKernelThatAnotherProgramStopped(t *testing.T) {
	h := lasting(t, nil)
	a := open(t, setup{lasting: h, file: file("one")})
	a.Type("ctrl+j")
	a.shows("end one")
	if err := left(t, h)[0].Stop(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	a.WaitFor("the kernel was stopped by another program; 00 starts it again")
}

// A window that was opened before another one ran something joins the kernel of that one
// when it comes to the front.
func TestAWindowJoinsWhatAnotherOneStarts(t *testing.T) {
	gate := make(chan struct{})
	h := lasting(t, gate)
	first := open(t, setup{lasting: h, file: file("wait", "next")})
	second := open(t, setup{lasting: h, again: first})
	first.Keys("R")
	first.WaitFor("begin wait")
	close(gate)
	first.WaitFor("end next")
	second.WaitIdle() // its terminal says that it has the focus
	second.WaitIdle() // and it has shown what it found
	second.shows("end wait", "end next")
	if n := len(left(t, h)); n != 1 {
		t.Errorf("%d kernels run", n)
	}
}
