package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// counter is a kernel that prints which of its runs this is; run 2 fails.
func counter() hosttest.Script {
	n := 0
	return func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		n++
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintf("value %d\n", n)})
		if n == 2 {
			f.Sink().Emit(r.ID, event.Error{Name: "Oops", Value: "two"})
			return kernelclient.Outcome{Reason: event.Failed}
		}
		return kernelclient.Outcome{Reason: event.Done}
	}
}

func TestEarlierOutputs(t *testing.T) {
	a := open(t, setup{file: file("one", "md:# text"), script: counter()})
	a.Type("H")
	a.shows("did not run twice")
	for range 3 {
		a.Type("ctrl+j")
	}
	a.shows("value 3")
	a.Type("H")
	a.shows("── run 2 of 3, ", "value 2", "Oops: two", "H goes further, Esc back ──")
	a.hides("value 3")
	a.Type("H")
	a.shows("── run 1 of 3, ", "value 1")
	a.hides("Oops")
	a.Type("H")
	a.shows("value 1", "there are no older outputs: this is the first run")
	a.hides("H goes further")
	a.Type("Y")
	a.shows("copied 1 line of output")
	if !strings.Contains(string(a.Bytes()), "dmFsdWUgMQ==") { // "value 1"
		t.Error("what is shown was not copied")
	}
	a.Type("ctrl+s")
	if got := a.saved(); !strings.Contains(got, "value 3") || strings.Contains(got, "value 1") {
		t.Errorf("saved: %s", got)
	}
	a.Type("j", "esc") // from another cell too
	a.shows("value 3")
	a.hides("run 1 of 3")
	a.Type("H")
	a.shows("only code has")
	a.Type("k", "H", "H", "ctrl+j")
	a.shows("value 4")
	a.hides("value 1", "── run")
}

// What the file had is there after the first run, and find looks in the newest.
func TestEarlierOutputsOfTheFile(t *testing.T) {
	a := open(t, setup{file: outputs(t, display("text/plain", "as it was"), display("text/plain", "more")), script: echo})
	a.Type("ctrl+j")
	a.shows("ran x")
	a.hides("as it was")
	a.Type("H")
	a.shows("── from before its first run", "as it was", "more")
	a.Type("o")
	a.shows("from before its first run", "2 lines of output")
	a.Type("o", "/", "r", "a", "n", "enter")
	a.shows("ran x")
	a.hides("as it was")
	a.resize(30, 10)
	a.Type("H")
	a.shows("from before its fi")
}
