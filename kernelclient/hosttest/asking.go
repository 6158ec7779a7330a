package hosttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// WarmUp is Python code that makes ipykernel's first completion as quick as later ones: its
// parser takes seconds to load on a loaded machine, which the time limit of a question need
// not allow for.
const WarmUp = "try:\n    import jedi\n    jedi.Interpreter('impo', [{}]).complete()\nexcept ImportError:\n    pass"

func complete(t *testing.T, k *Client) {
	k.expect(WarmUp, "")
	k.expect("emoji = 1\nclass Thing:\n  def method(self): pass\n  field = 1\nthing = Thing()", "")
	for _, c := range []struct {
		code, before string // the code, and its part before the cursor
		start, end   int
		match, typ   string
	}{
		{"impo", "impo", 0, 4, "import", "keyword"},
		{"x = thing.me + 1", "x = thing.me", 10, 12, "method", "function"},
		{"😀 = 1; thing.fi", "😀 = 1; thing.fi", 16, 18, "field", "instance"}, // astral
		{"'é😀'; emo", "'é😀'; emo", 10, 13, "emoji", "instance"},
		{"a = 1\nThin.me\n'😀'", "a = 1\nThin", 6, 10, "Thing", "class"},
		{"no_such_name_anywhere_", "no_such_name_anywhere_", 0, 0, "", ""},
	} {
		got, err := k.Ask().Complete(t.Context(), c.code, len(c.before))
		if err != nil {
			t.Errorf("%q: %v", c.code, err)
			continue
		}
		i := slices.IndexFunc(got.Matches, func(m kernelclient.Match) bool {
			// A match may replace the whole dotted name.
			return c.before[:got.Start]+m.Text == c.before[:c.start]+c.match && got.End == c.end
		})
		if c.match == "" {
			if len(got.Matches) != 0 {
				t.Errorf("%q: %+v", c.code, got)
			}
		} else if i < 0 {
			t.Errorf("%q: %d-%d, no %s among %.300v", c.code, got.Start, got.End, c.match, got.Matches)
		} else if typ := got.Matches[i].Type; typ != c.typ {
			t.Errorf("%q: %s is a %q", c.code, c.match, typ)
		}
	}
}

func inspect(t *testing.T, k *Client) {
	for code, want := range map[string]string{
		"len(":            "Return the number of items in a container.",
		"'😀'; len":        "Return the number of items in a container.",
		"no_such_name_xy": "",
	} {
		got, err := k.Ask().Inspect(t.Context(), code, len(code), 0)
		text, _ := got.Data.Plain()
		if err != nil || got.Found != (want != "") || !strings.Contains(stripSGR(text), want) || !got.Found && len(got.Data) != 0 {
			t.Errorf("%q: %+v %q %v", code, got.Found, text, err)
		}
	}
}

func isComplete(t *testing.T, k *Client) {
	for code, want := range map[string]kernelclient.IsComplete{
		"print(1)":     {Status: kernelclient.CodeComplete},
		"for i in x:":  {Status: kernelclient.CodeIncomplete, Indent: "    "},
		"f(1,":         {Status: kernelclient.CodeIncomplete},
		"a = = 1":      {Status: kernelclient.CodeInvalid},
		"s = '😀'\ns":   {Status: kernelclient.CodeComplete},
		"def f(:\n  )": {Status: kernelclient.CodeInvalid},
	} {
		got, err := k.Ask().IsComplete(t.Context(), code)
		if code == "f(1," {
			got.Indent = "" // a matter of taste
		}
		if err != nil || got != want {
			t.Errorf("%q: %+v %v", code, got, err)
		}
	}
}

func history(t *testing.T, k *Client) {
	k.expect("'to be found in the history 😀';", "")
	got, err := k.Ask().History(t.Context(), kernelclient.HistoryQuery{N: 1})
	if err != nil || len(got) != 1 || got[0].Input != "'to be found in the history 😀';" || got[0].Line == 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// folder: a kernel tells where its code went, and nothing else comes of that.
func folder(t *testing.T, k *Client) {
	k.expect("import os, tempfile; began = os.getcwd(); os.chdir(tempfile.mkdtemp(prefix='é\\'\\\n'))", "")
	_, events := k.Do("print(os.getcwdb().hex(), end='')")
	got, err := kernelclient.FolderOf(t.Context(), k.Ask())
	if want := Words(events); err != nil || fmt.Sprintf("stdout:%x", got) != want {
		t.Errorf("%q %v, not %s", got, err, want)
	}
	k.expect("gone = os.getcwd(); os.rmdir(gone)", "")
	if got, err := kernelclient.FolderOf(t.Context(), k.Ask()); err == nil {
		t.Errorf("a folder that is gone: %q", got)
	}
	id := k.Submit("os.chdir(began)")
	k.Wait("the end", func(e event.Event) bool {
		if _, out := e.Body.(event.Started); e.Exec == "" && !isState(e) || out && e.Exec != id {
			t.Errorf("asking left %+v", e)
		}
		_, end := e.Body.(event.Ended)
		return end && e.Exec == id
	})
}

func isState(e event.Event) bool { _, ok := e.Body.(event.State); return ok }

// askBusy: asking never waits for the user's code and never looks like it.
func askBusy(t *testing.T, k *Client) {
	gate := t.TempDir() + "/go"
	id := k.Submit(fmt.Sprintf("import os, time\nprint('on', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)", gate))
	k.until(id, "on")
	began := time.Now()
	if _, err := k.Ask().Complete(t.Context(), "impo", 4); !errors.Is(err, kernelclient.ErrBusy) {
		t.Errorf("a busy kernel: %v", err)
	}
	if waited := time.Since(began); waited > 5*time.Second {
		t.Errorf("it took %s to say so", waited)
	}
	k.release(id, gate)
	if _, err := k.Ask().Complete(t.Context(), "impo", 4); err != nil {
		t.Errorf("after the run: %v", err)
	}
	id = k.Submit("6*7")
	var states []event.KernelState
	k.Wait("the end", func(e event.Event) bool {
		if s, ok := e.Body.(event.State); ok {
			states = append(states, s.State)
		}
		_, end := e.Body.(event.Ended)
		return end && e.Exec == id
	})
	if !slices.Equal(states, []event.KernelState{event.Busy, event.Idle}) {
		t.Errorf("states: %v", states)
	}
}

// exits: sys.exit is an error like others, exit() ends the kernel in good order, and only without keep_kernel.
func exits(t *testing.T, k *Client) {
	end, events := k.Do("import sys\nsys.exit(3)")
	if end.Reason != event.Failed || !strings.Contains(Words(events), "error:SystemExit:3") {
		t.Errorf("sys.exit: %+v %q", end, Words(events))
	}
	k.expect("quit(keep_kernel=True)", "")
	k.expect("kept = 1; print('alive')", "stdout:alive\n")
	gate := t.TempDir() + "/go" // until the next one is there, too
	exit, next := k.Submit(fmt.Sprintf("import os, time\nwhile not os.path.exists(%q): time.sleep(0.01)\nexit()", gate)), k.Submit("print('never')")
	if err := writeFile(gate); err != nil {
		t.Fatal(err)
	}
	ends := map[event.ExecID]event.Reason{}
	_, before := k.Wait("both ends", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end.Reason
		}
		return len(ends) == 2
	})
	if ends[exit] != event.Done || ends[next] != event.Cancelled || strings.Contains(Words(before), "never") {
		t.Errorf("exit() and the next: %v %q", ends, Words(before))
	}
	if s := k.Info().State; s.State != event.Dead || s.Detail != "the kernel ended by its code (exit)" {
		t.Errorf("state %+v", s)
	}
	if _, err := k.Ask().Complete(t.Context(), "impo", 4); !errors.Is(err, kernelclient.Gone) {
		t.Errorf("asking the dead: %v", err)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.expect("'kept' in globals()", "result:False")
}
