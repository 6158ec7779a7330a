package local

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// crashing is a process that hosts a kernel and will be killed.
type crashing struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	info    hosted
	history []event.Event
}

func (w *world) crashing(t *testing.T, how string) *crashing {
	t.Helper()
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &crashing{t: t, cmd: exec.Command(me)}
	c.cmd.Env = w.env.with(hostsIn+"="+w.dir, "JPY_PARENT_PID=1", hostsHow+"="+how)
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // mostly it was killed long ago
		_ = c.cmd.Wait()
	})
	return c
}

func (c *crashing) run(code string) {
	c.t.Helper()
	b, err := json.Marshal(code)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

// until reads what happens until an event that f accepts was seen and the kernel is known.
func (c *crashing) until(f func(event.Event) bool) {
	c.t.Helper()
	for seen := false; !seen || c.info.PID == 0; {
		if !c.out.Scan() {
			c.t.Fatal("the host ended")
		}
		e, err := event.ParseJSON(c.out.Bytes())
		if err != nil {
			if err := json.Unmarshal(c.out.Bytes(), &c.info); err != nil {
				c.t.Fatal(err)
			}
			continue
		}
		c.history = append(c.history, e)
		seen = seen || f(e)
	}
}

// kill is the host's end; what it had said by then is the history.
func (c *crashing) kill() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	_ = c.cmd.Wait() // it was killed
}

// adoption is how another process finds the kernel.
func (c *crashing) adoption(dir string) kernelclient.Adoption {
	return kernelclient.Adoption{
		Info: kernelclient.ContextInfo{
			ID: kernelclient.ContextID(c.info.ID), Kernel: kernelclient.Kernel{Name: c.info.Kernel}, Dir: c.info.Dir,
			ConnFile: c.info.ConnFile, PID: c.info.PID, PIDStart: c.info.PIDStart,
		},
		Start: kernelclient.StartSpec{Dir: dir},
		Log:   kernelclient.LogOptions{History: slices.Values(c.history)},
	}
}

func adopt(t *testing.T, h *Host, a kernelclient.Adoption) *hosttest.Client {
	t.Helper()
	k, err := h.Adopt(t.Context(), a)
	return hosttest.Joined(t, k, err)
}

// A kernel goes on when its host is killed, with what it runs; the next host takes it over
// as if it had started it, down to the answer to what was asked before.
func TestAdopt(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	c := w.crashing(t, "")
	c.run("import os, time; first = 1; print('go', flush=True)\nwhile not os.path.exists('on'): time.sleep(0.01)\nprint('after'); print(input('who? ')); first + 1")
	c.until(isText("run0", "go"))
	c.kill()
	// A kernel of another host starts and looks for leftovers meanwhile.
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})
	stop(t, k.Context, true)

	h := w.host(t, func(o *Options) { o.Outlive = true })
	k = adopt(t, h, c.adoption(w.dir+"/wd"))
	hosttest.Eventually(t, "its kernel, busy as before", func() bool { return k.Info().State.State == event.Busy })
	k.SubmitAs("next", "first, os.getppid() != "+strconv.Itoa(c.cmd.Process.Pid))
	write(t, w.dir+"/wd/on", "", 0o644)
	ask, _ := k.Wait("its question", func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok && e.Exec == "run0" })
	if err := k.Answer(t.Context(), ask.Body.(event.InputRequest).ID, "me"); err != nil {
		t.Fatal(err)
	}
	_, before := k.Wait("its end", func(e event.Event) bool {
		end, ok := e.Body.(event.Ended)
		return ok && e.Exec == "run0" && end.Reason == event.Done && end.Count == 1
	})
	if got := hosttest.Words(before); !strings.HasSuffix(got, "me\n|result:2") {
		t.Errorf("got %q", got)
	}
	if end, events := k.Ended("next"); end.Reason != event.Done || hosttest.Words(events) != "result:(1, True)" {
		t.Errorf("the next run: %+v %q", end, hosttest.Words(events))
	}
	id := k.Submit("print('on', flush=True)\nwhile True: time.sleep(0.05)")
	k.Wait("its output", isText(id, "on"))
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	old := k.Info().PID
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := k.Do("import os; os.getpid() == " + strconv.Itoa(old)); hosttest.Words(events) != "result:False" {
		t.Errorf("after the restart: %q", hosttest.Words(events))
	}
	stop(t, k.Context, false)
}

// What ended while nobody listened is lost, and said to be. A kernel that died is dead.
func TestAdoptTooLate(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	c := w.crashing(t, "")
	c.run("import os, time; print('go', flush=True)\nwhile not os.path.exists('on'): time.sleep(0.01)\nopen('off', 'w').close()")
	c.until(isText("run0", "go"))
	c.kill()
	write(t, w.dir+"/wd/on", "", 0o644)
	hosttest.Eventually(t, "its end", func() bool { _, err := os.Stat(w.dir + "/wd/off"); return err == nil })
	h := w.host(t, func(o *Options) { o.Outlive = true })
	k := adopt(t, h, c.adoption(w.dir+"/wd"))
	end, events := k.Ended("run0")
	if end.Reason != event.Lost && end.Reason != event.Done { // Done: its very last message was still to come
		t.Errorf("ended %+v", end)
	}
	if !strings.Contains(hosttest.Words(events), "was not seen") {
		t.Errorf("nothing says what is missing: %q", hosttest.Words(events))
	}
	if end, _ := k.Do("1"); end.Reason != event.Done {
		t.Errorf("ended %+v", end)
	}
	// The host ends in peace: the kernel stays, until somebody kills it.
	if err := errors.Join(k.Close(), h.Close()); err != nil {
		t.Fatal(err)
	}
	if pids := w.processes(t); len(pids) != 1 || pids[0] != c.info.PID {
		t.Fatalf("processes %v", pids)
	}
	kill9(t, c.info.PID)
	hosttest.Eventually(t, "its end", func() bool { _, there := processStart(c.info.PID); return !there })
	k = adopt(t, h, c.adoption(w.dir+"/wd"))
	if end, _ := k.Ended("run0"); end.Reason != event.Died || !strings.Contains(end.Detail, "how was not seen") {
		t.Errorf("ended %+v", end)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Do("1"); end.Reason != event.Done {
		t.Errorf("after the restart: %+v", end)
	}
}

// A question that nobody can answer any more is said to be one, and an interrupt ends it.
func TestAdoptWhileItAsks(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	c := w.crashing(t, "")
	c.run("input('who? ')")
	c.until(func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok })
	c.kill()
	h := w.host(t, func(o *Options) { o.Outlive = true })
	k := adopt(t, h, c.adoption(w.dir+"/wd"))
	k.Wait("what is said of the question", func(e event.Event) bool {
		gap, ok := e.Body.(event.Gap)
		return ok && e.Exec == "run0" && strings.Contains(gap.Detail, "its question cannot be answered any more: interrupt it")
	})
	hosttest.Eventually(t, "its kernel, busy as before", func() bool { return k.Info().State.State == event.Busy })
	var last time.Time
	hosttest.Eventually(t, "its end", func() bool {
		// ipykernel now and then misses an interrupt while it polls for the answer; people press again.
		if time.Since(last) > 3*time.Second {
			last = time.Now()
			if err := k.Interrupt(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return k.Info().Running == 0
	})
	if end, _ := k.Ended("run0"); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	if end, events := k.Do("1 + 1"); end.Reason != event.Done || hosttest.Words(events) != "result:2" {
		t.Errorf("the next run: %+v %q", end, hosttest.Words(events))
	}
}
