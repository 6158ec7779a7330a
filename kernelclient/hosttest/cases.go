package hosttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

func streams(t *testing.T, k *Client) {
	k.expect("print('one')\nprint('two')", "stdout:one\ntwo\n")
	k.expect("import sys\nprint('a', flush=True); print('b', file=sys.stderr, flush=True); print('c', flush=True)", "stdout:a\n|stderr:b\n|stdout:c\n")
	// The first line is there before the run ends: the code waits for a file that we write then.
	gate := t.TempDir() + "/go"
	id := k.Submit(fmt.Sprintf("import os, time\nprint('early', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)", gate))
	k.until(id, "early")
	k.release(id, gate)
}

// release opens the gate that a run waits at and waits for its end.
func (c *Client) release(id event.ExecID, gate string) {
	c.t.Helper()
	if err := writeFile(gate); err != nil {
		c.t.Fatal(err)
	}
	if end, _ := c.Ended(id); end.Reason != event.Done {
		c.t.Errorf("ended %+v", end)
	}
}

func result(t *testing.T, k *Client, narrow bool) {
	k.expect("6*7", "result:42")
	k.expect("x = 1", "")
	k.expect("6*7;", "")
	end, events := k.Do("'word'")
	if got := Words(events); end.Count == 0 || got != "result:'word'" && (!narrow || got != "result:word") {
		t.Errorf("%+v %s", end, Words(events))
	}
	k.expect("class H:\n  def _repr_html_(self): return '<b>h</b>'\n  def __repr__(self): return 'plain'\nH()", "result:plain")
}

// silent runs code that the kernel neither counts nor answers, but keeps the state of.
func silent(t *testing.T, k *Client) {
	before, _ := k.Do("1")
	id := k.Submit("silently = 5\nsilently", func(r *kernelclient.Request) { r.Silent = true })
	end, events := k.Ended(id)
	if got := Words(events); end.Reason != event.Done || got != "" {
		t.Errorf("%+v %q", end, got)
	}
	after, events := k.Do("silently + 1")
	if after.Count != before.Count+1 || Words(events) != "result:6" {
		t.Errorf("the count went from %d to %d: %s", before.Count, after.Count, Words(events))
	}
}

func failure(t *testing.T, k *Client) {
	end, events := k.Do("print('before')\ndef f():\n    return 1/0\nf()")
	if end.Reason != event.Failed || Words(events) != "stdout:before\n|error:ZeroDivisionError:division by zero" {
		t.Errorf("%+v %q", end, Words(events))
	}
	for _, e := range events {
		if b, ok := e.Body.(event.Error); ok && !strings.Contains(strings.Join(b.Traceback, "\n"), "1/0") && !strings.Contains(stripSGR(strings.Join(b.Traceback, "\n")), "1/0") {
			t.Errorf("the traceback shows no source line: %q", b.Traceback)
		}
	}
	end, events = k.Do("def broken(:")
	if end.Reason != event.Failed || !strings.Contains(Words(events), "error:SyntaxError") {
		t.Errorf("%+v %q", end, Words(events))
	}
}

func stripSGR(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == 0x1b {
			for i < len(s) && s[i] != 'm' {
				i++
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func lasts(_ *testing.T, k *Client) {
	k.expect("kept = 41", "")
	k.expect("kept + 1", "result:42")
}

func displays(_ *testing.T, k *Client, imports string, updates bool) {
	k.expect(imports+"\ndisplay({'text/plain': 'shown'}, raw=True)\nprint('p')", "display:shown|stdout:p\n")
	if !updates {
		return
	}
	k.expect("display({'text/plain': 'v1'}, raw=True, display_id='d')\nupdate_display({'text/plain': 'v2'}, raw=True, display_id='d')", "display:v1|update:v2")
	_, events := k.Do("display({'text/plain': 'v1'}, raw=True, display_id='named')")
	for _, e := range events {
		if b, ok := e.Body.(event.Display); ok && b.ID != "named" {
			k.t.Errorf("display id %q", b.ID)
		}
	}
}

func queue(t *testing.T, k *Client) {
	group := func(r *kernelclient.Request) { r.Group = "g" }
	a, b := k.Submit("raise ValueError('stop')", group), k.Submit("print('never')", group)
	c := k.Submit("print('other group')")
	ends := map[event.ExecID]event.Reason{}
	_, before := k.Wait("the last end", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end.Reason
		}
		return len(ends) == 3
	})
	if ends[a] != event.Failed || ends[b] != event.Cancelled || ends[c] != event.Done {
		t.Errorf("ends: %v", ends)
	}
	if strings.Contains(Words(before), "never") {
		t.Error("it ran after the failure")
	}
}

func stdin(r *kernelclient.Request) { r.AllowStdin = true }

func input(t *testing.T, k *Client) {
	id := k.Submit("name = input('who? ')\nprint('hi', name)", stdin)
	q := k.question("who? ", false)
	if err := k.Answer(t.Context(), q, "Ann"); err != nil {
		t.Fatal(err)
	}
	if err := k.Answer(t.Context(), q, "Bob"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("second answer: %v", err)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || Words(events) != "stdout:hi Ann\n" {
		t.Errorf("%+v %q", end, Words(events))
	}
	id = k.Submit("import getpass\nn = len(getpass.getpass('secret: '))\nn", stdin)
	if err := k.Answer(t.Context(), k.question("secret: ", true), "abc"); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || Words(events) != "result:3" {
		t.Errorf("%+v %q", end, Words(events))
	}
}

// question waits for an input request and checks it.
func (c *Client) question(prompt string, password bool) event.InputID {
	c.t.Helper()
	hit, _ := c.Wait("a question", func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok })
	q := hit.Body.(event.InputRequest)
	if q.Prompt != prompt || q.Password != password {
		c.t.Errorf("asked %+v", q)
	}
	return q.ID
}

func inputRefused(t *testing.T, k *Client) {
	if end, events := k.Do("input('who? ')"); end.Reason != event.Failed || !strings.Contains(Words(events), "error:StdinNotImplementedError") {
		t.Errorf("%+v %q", end, Words(events))
	}
}

func interruptInput(t *testing.T, k *Client) {
	id := k.Submit("input('who? ')", stdin)
	k.question("who? ", false)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Interrupted || !strings.Contains(Words(events), "error:KeyboardInterrupt") {
		t.Errorf("%+v %q", end, Words(events))
	}
	id = k.Submit("print(input('next? '))", stdin)
	if err := k.Answer(t.Context(), k.question("next? ", false), "fresh"); err != nil {
		t.Fatal(err)
	}
	if _, events := k.Ended(id); Words(events) != "stdout:fresh\n" {
		t.Errorf("the next prompt got %q", Words(events))
	}
}

// The sleeps that these tests interrupt are short ones: CPython does not see a SIGINT that
// comes just before a sleep begins until that sleep is over.
func interrupt(t *testing.T, k *Client, narrow bool) {
	for _, code := range []string{"import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)", "print('on', flush=True)\nwhile True: pass"} {
		id := k.Submit(code)
		k.until(id, "on")
		began := time.Now()
		if err := k.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		end, events := k.Ended(id)
		if end.Reason != event.Interrupted || !narrow && !strings.Contains(Words(events), "error:KeyboardInterrupt") {
			t.Errorf("%+v %q", end, Words(events))
		}
		t.Logf("interrupted after %v", time.Since(began))
	}
	k.expect("kept + 1", "result:42")
}

func late(t *testing.T, k *Client) {
	gate := t.TempDir() + "/go"
	first := k.Submit(fmt.Sprintf(`import threading, os, time
def work():
    while not os.path.exists(%q): time.sleep(0.01)
    print('from the thread', flush=True)
th = threading.Thread(target=work); th.start()`, gate))
	if end, _ := k.Ended(first); end.Reason != event.Done {
		t.Fatalf("%+v", end)
	}
	if err := writeFile(gate); err != nil {
		t.Fatal(err)
	}
	hit, _ := k.Wait("the thread's output", func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && strings.Contains(s.Text, "from the thread")
	})
	if !hit.Late || hit.Exec != first {
		t.Errorf("late output came as %+v", hit)
	}
}

func followers(t *testing.T, k *Client) {
	k.expect("print('for both')", "stdout:for both\n")
	other := k.Follow(kernelclient.Cursor{})
	defer other.Close()
	var seen uint64
	for found := false; !found; {
		batch, err := other.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			if e.Seq <= seen {
				t.Fatalf("Seq %d after %d", e.Seq, seen)
			}
			seen = e.Seq
			s, ok := e.Body.(event.Stream)
			found = found || ok && s.Text == "for both\n"
		}
	}
}

// A lone surrogate may cost its own output (ipykernel cannot send it), never the kernel.
func surrogate(t *testing.T, k *Client) {
	id := k.Submit("print('half' + chr(0xd83d))")
	k.Ended(id)
	k.expect("print('alive')", "stdout:alive\n")
}

func lines(t *testing.T, k *Client) {
	_, events := k.Do("for i in range(200000): print(i, 'x'*60)")
	text := strings.TrimPrefix(Words(events), "stdout:")
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, fmt.Sprint(n, " x")) {
			t.Fatalf("line %d is %q", n, line)
		}
		n++
	}
	if n != 200_000 {
		t.Errorf("%d lines", n)
	}
}

func long(t *testing.T, k *Client) {
	_, events := k.Do("print('x' * 50_000_000)")
	if got := len(Words(events)); got != len("stdout:")+50_000_001 {
		t.Errorf("%d bytes", got)
	}
}

// manyDisplays reads only after the run has ended: a follower that slow must lose nothing.
func manyDisplays(t *testing.T, k *Client, imports string) {
	slow := k.Follow(kernelclient.Cursor{})
	defer slow.Close()
	id := k.Submit(imports + "\nfor i in range(25000): display({'text/plain': str(i)}, raw=True)")
	k.Ended(id)
	n := 0
	for done := false; !done; {
		batch, err := slow.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			if e.Exec != id {
				continue
			}
			switch b := e.Body.(type) {
			case event.Display:
				if plainOf(b.Data) != fmt.Sprint(n) {
					t.Fatalf("display %d is %q", n, plainOf(b.Data))
				}
				n++
			case event.Gap:
				t.Error(b.Detail)
			case event.Ended:
				done = true
			}
		}
	}
	if n != 25_000 {
		t.Errorf("%d displays", n)
	}
}

func restart(t *testing.T, k *Client) {
	k.expect("kept = 1", "")
	running, waiting := k.Submit("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)"), k.Submit("print('never')")
	k.until(running, "on")
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends := map[event.ExecID]event.Reason{}
	k.Wait("both ends and the new kernel", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end.Reason
		}
		return len(ends) == 2
	})
	if ends[running] != event.Restarted || ends[waiting] != event.Restarted {
		t.Errorf("ends: %v", ends)
	}
	end, events := k.Do("kept")
	if end.Reason != event.Failed || !strings.Contains(Words(events), "NameError") || end.Count != 1 {
		t.Errorf("state survived: %+v %q", end, Words(events))
	}
	if s := k.Info().State; s.State != event.Idle || s.Generation != 2 {
		t.Errorf("state %+v", s)
	}
}

func killed(t *testing.T, k *Client, unseen bool) {
	cause := "SIGKILL"
	if unseen {
		cause = "ended"
	}
	// It waits until its words were seen: a kernel may send them from another thread.
	gate := t.TempDir() + "/go"
	first := k.Submit(fmt.Sprintf("import os, signal, time\nprint('alive', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\nos.kill(os.getpid(), signal.SIGKILL)", gate))
	second := k.Submit("print('should not run')")
	k.until(first, "alive")
	if err := writeFile(gate); err != nil {
		t.Fatal(err)
	}
	ends := map[event.ExecID]event.Ended{}
	_, before := k.Wait("both ends", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end
		}
		return len(ends) == 2
	})
	if e := ends[first]; e.Reason != event.Died || !strings.Contains(e.Detail, cause) {
		t.Errorf("the run ended %+v", e)
	}
	if ends[second].Reason != event.Cancelled || Words(before) != "" {
		t.Errorf("the next: %+v, output %q", ends[second], Words(before))
	}
	if s := k.Info().State; s.State != event.Dead || !strings.Contains(s.Detail, cause) {
		t.Errorf("state %+v", s)
	}
	if err := k.Context.Submit(t.Context(), kernelclient.Request{ID: "dead"}); !errors.Is(err, kernelclient.Gone) {
		t.Errorf("submit to the dead: %v", err)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Wait("the new kernel", func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Idle && s.Generation > k.Info().State.Generation-1
	})
	k.expect("print('again')", "stdout:again\n")
}

func stopRunning(t *testing.T, k *Client) {
	id := k.Submit("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)")
	k.begun(id)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := k.Stop(ctx, true); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason == event.Done {
		t.Errorf("ended %+v", end)
	}
}

func interruptStart(t *testing.T, k *Client) {
	id := k.Submit("print('ran')")
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Cancelled && end.Reason != event.Done && end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	k.expect("print('alive')", "stdout:alive\n")
}

func writeFile(path string) error { return os.WriteFile(path, nil, 0o600) }

// begun waits until a run that prints "on" is under way. Where nothing comes before its end
// the word of the host is enough.
func (c *Client) begun(id event.ExecID) {
	c.t.Helper()
	if c.Capabilities().Stream {
		c.until(id, "on")
		return
	}
	c.Wait("the start of "+string(id), func(e event.Event) bool {
		_, ok := e.Body.(event.Started)
		return ok && e.Exec == id
	})
}

// freshInterrupt is interrupt for hosts on which nothing lasts and nothing is seen before the end.
func freshInterrupt(t *testing.T, k *Client) {
	id := k.Submit("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)")
	k.begun(id)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("%+v %q", end, Words(events))
	}
	k.expect("print('alive')", "stdout:alive\n")
}

// forgets: where state does not last, nothing of a cell is there for the next one.
func forgets(t *testing.T, k *Client) {
	k.expect("kept = 41", "")
	if end, events := k.Do("kept"); end.Reason != event.Failed || !strings.Contains(Words(events), "error:NameError") {
		t.Errorf("%+v %q", end, Words(events))
	}
}

func freshRestart(t *testing.T, k *Client) {
	running, waiting := k.Submit("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)"), k.Submit("print('never')")
	k.begun(running)
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends := map[event.ExecID]event.Reason{}
	k.Wait("both ends", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end.Reason
		}
		return len(ends) == 2
	})
	if ends[running] != event.Restarted || ends[waiting] != event.Restarted {
		t.Errorf("ends: %v", ends)
	}
	if end, _ := k.Do("print(1)"); end.Reason != event.Done || end.Count != 1 {
		t.Errorf("%+v", end)
	}
}

func cancel(t *testing.T, k *Client) {
	gate := t.TempDir() + "/go"
	first := k.Submit(fmt.Sprintf("import os, time\nprint('on', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)", gate))
	second := k.Submit("print('never')")
	k.begun(first)
	if err := k.Cancel(t.Context(), second); err != nil {
		t.Error(err)
	}
	if end, events := k.Ended(second); end.Reason != event.Cancelled || Words(events) != "" {
		t.Errorf("%+v %q", end, Words(events))
	}
	k.release(first, gate)
	if err := k.Cancel(t.Context(), second); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("once more: %v", err)
	}
}

func clock(t *testing.T, k *Client) {
	id := k.Submit("import time\nwhile True: time.sleep(0.1)", func(r *kernelclient.Request) { r.Timeout = 100 * time.Millisecond })
	if end, _ := k.Ended(id); end.Reason != event.TimedOut || !strings.Contains(end.Detail, "--timeout") {
		t.Errorf("%+v", end)
	}
	k.expect("print('alive')", "stdout:alive\n")
}

func unicode(_ *testing.T, k *Client) {
	k.expect(`print('é😀\u2028\u0085\x7f|')`, "stdout:é😀\u2028\u0085\x7f|\n") // spelled out, IPython takes them for line ends
	k.expect("éa = 'ü😀'; print(éa)", "stdout:ü😀\n")
}

func tenMegabytes(t *testing.T, k *Client) {
	_, events := k.Do("for i in range(100): print(str(i % 10) * 100_000)")
	if got := len(Words(events)); got != len("stdout:")+100*100_001 {
		t.Errorf("%d bytes", got)
	}
}

// twoContexts run at once and know nothing of each other.
func twoContexts(t *testing.T, a, b *Client) {
	a.expect("mine = 1", "")
	gate := t.TempDir() + "/go"
	id := a.Submit(fmt.Sprintf("import os, time\nprint('on', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)", gate))
	a.begun(id)
	if end, events := b.Do("mine"); end.Reason != event.Failed || !strings.Contains(Words(events), "NameError") {
		t.Errorf("%+v %q", end, Words(events))
	}
	a.release(id, gate)
}
