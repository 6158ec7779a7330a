package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// wide is a notebook whose lines fill a wide screen and all differ.
func wide() string {
	var cells []string
	for i := range 60 {
		var b strings.Builder
		for j := range 5 {
			fmt.Fprintf(&b, "value_%d_%d = compute(%d, name=%q)  # %s\n", i, j, i*j, fmt.Sprint("n", i), strings.Repeat(fmt.Sprint(j, "-comment "), 10))
		}
		cells = append(cells, b.String())
	}
	return file(cells...)
}

// written is how many bytes f makes the program write.
func (a *app) written(f func()) int {
	before, _ := a.Count()
	f()
	after, _ := a.Count()
	return after - before
}

func TestBytesPerKey(t *testing.T) {
	a := open(t, setup{file: wide(), width: 200, height: 50})
	for range 10 {
		a.Type("]")
	}
	for key, budget := range map[string]int{"]": 1000, "[": 1000, "g": 200, "ctrl+c": 300, "esc": 300} {
		if n := a.written(func() { a.Type(key) }); n > budget || n == 0 && len(key) == 1 {
			t.Errorf("%s: %d bytes, the budget is %d", key, n, budget)
		}
	}
	a.Type("g", "g")
	if n := a.written(func() { a.Type("j") }); n > 1000 {
		t.Errorf("j at rest: %d bytes", n)
	}
}

func TestBytesOfOneOutputLineAtTheTail(t *testing.T) {
	next := make(chan struct{})
	a := open(t, setup{file: file("x"), width: 200, height: 50, script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		for i := range 35 {
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintf("line %d %s\n", i, strings.Repeat(fmt.Sprint(i), 80))})
		}
		<-next
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "the last line\n"})
		<-next
		return kernelclient.Outcome{Reason: event.Done}
	}})
	a.Keys("ctrl+j")
	a.WaitFor("line 34")
	n := a.written(func() {
		next <- struct{}{}
		a.WaitFor("the last line")
	})
	next <- struct{}{}
	if n > 1000 {
		t.Errorf("%d bytes", n)
	}
}

// Nothing is written and nothing of ours wakes up, with a kernel that is idle too. That
// the renderer looks for a new frame sixty times a second is Bubble Tea's.
func TestIdleDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: wide(), script: echo})
		a.Type("ctrl+j")
		time.Sleep(10 * time.Second) // hints end, the recovery copy is written
		before := a.probe.Updates()
		if n := a.written(func() { time.Sleep(time.Minute) }); n != 0 {
			t.Errorf("%d bytes in an idle minute", n)
		}
		if n := a.probe.Updates() - before; n != 0 || before == 0 {
			t.Errorf("%d messages in an idle minute, %d before", n, before)
		}
	})
}

func TestFloodMakesFewFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("flood"), script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			for i := range 3000 {
				f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintln("line", i)})
				time.Sleep(time.Millisecond)
			}
			return kernelclient.Outcome{Reason: event.Done}
		}})
		_, before := a.Count()
		start := time.Now()
		a.Keys("ctrl+j")
		a.WaitFor("line 2999")
		a.WaitIdle()
		_, after := a.Count()
		if frames, limit := after-before, int(time.Since(start).Seconds()*31)+1; frames > limit || frames < 30 {
			t.Errorf("%d frames in %v, the limit is %d", frames, time.Since(start), limit)
		}
	})
}

// A short cell's result does not wait for the pace of a flood.
func TestResultComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		a := open(t, setup{file: file("one"), script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			time.Sleep(5 * time.Millisecond)
			n++
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintln("result", n)})
			return kernelclient.Outcome{Reason: event.Done}
		}})
		a.Type("ctrl+e")
		a.WaitFor("idle")
		for i := range 3 {
			time.Sleep(time.Second)
			start := time.Now()
			a.Keys("ctrl+e")
			a.WaitFor(fmt.Sprintln("result", i+2))
			if took := time.Since(start); took > 25*time.Millisecond {
				t.Errorf("on the screen %v after the key", took)
			}
		}
	})
}

func TestClockOfARunningCell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one"), script: block})
		a.Keys("ctrl+j")
		a.WaitFor("[*]")
		for _, s := range []string{"\n 1s", "\n 2s", "\n 3s"} {
			a.WaitFor(s)
		}
		a.shows("busy 3s")
		_, before := a.Count()
		time.Sleep(10 * time.Second)
		if _, after := a.Count(); after-before > 11 {
			t.Errorf("%d frames in ten seconds of waiting", after-before)
		}
		a.Keys("ctrl+c")
		a.WaitFor("stopped")
		a.WaitIdle()
		_, before = a.Count()
		time.Sleep(time.Minute)
		if _, after := a.Count(); after != before {
			t.Error("the clock goes on")
		}
	})
}

func TestLadderOffersRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one"), script: func(_ context.Context, f *hosttest.Fake, _ kernelclient.Request) kernelclient.Outcome {
			<-f.Gone()
			return kernelclient.Outcome{Reason: event.Restarted}
		}})
		a.Keys("ctrl+j")
		a.WaitFor("[*]")
		start := time.Now()
		a.Keys("ctrl+c")
		a.WaitFor("interrupting")
		a.Keys("ctrl+c", "ctrl+c")
		a.WaitFor("00 restarts it")
		if waited := time.Since(start); waited < 5*time.Second || waited > 6*time.Second {
			t.Errorf("offered after %v", waited)
		}
		a.Keys("0", "0")
		a.WaitScreen("a fresh kernel", func(s string) bool {
			return strings.Contains(s, "idle") && !strings.Contains(s, "[*]") && !strings.Contains(s, "00 restarts")
		})
	})
}

func TestResizesAreDebounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: wide()})
		_, before := a.Count()
		for w := range 30 {
			a.Resize(81+w, 24)
			if err := a.probe.Resize(t.Context(), 81+w, 24); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		a.WaitIdle()
		if _, after := a.Count(); after-before > 3 {
			t.Errorf("%d writes for thirty sizes in a row", after-before)
		}
		a.shows("1/60")
	})
}

// The tree beside the notebook writes nothing while nothing happens, and little for a key.
func TestBytesOfTheTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := memfs.New()
		for i := range 300 {
			name := fmt.Sprintf("/work/file-%03d-%s.txt", i, strings.Repeat(fmt.Sprint(i), 5))
			if _, err := files.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("x"), Size: 1}}, fswatch.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		a := open(t, setup{file: wide(), width: 200, height: 50, files: files, root: "/work", tree: true})
		a.shows("file-000")
		if n := a.written(func() { a.Type("j") }); n > 1000 || n == 0 {
			t.Errorf("j: %d bytes", n)
		}
		time.Sleep(10 * time.Second) // hints end
		before := a.probe.Updates()
		if n := a.written(func() { time.Sleep(time.Minute) }); n != 0 {
			t.Errorf("%d bytes in an idle minute", n)
		}
		if n := a.probe.Updates() - before; n != 0 {
			t.Errorf("%d messages in an idle minute", n)
		}
	})
}
