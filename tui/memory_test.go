package tui_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// heap is how many bytes are in use, garbage not counted.
func heap() int {
	runtime.GC()
	runtime.GC() // for what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// 200,000 lines, printed while they show, are in memory once, with a small index. The log
// of this test's kernel keeps them too. Nothing of them is lost.
func TestMemoryOfAFlood(t *testing.T) {
	const lines = 200_000
	synctest.Test(t, func(t *testing.T) {
		size := 0
		a := open(t, setup{file: file("flood"), script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			line := strings.Repeat("x", 60)
			for i := 0; i < lines; {
				var b strings.Builder
				for end := i + 5000; i < end; i++ {
					fmt.Fprintln(&b, i, line)
				}
				size += b.Len()
				f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: b.String()})
			}
			return kernelclient.Outcome{Reason: event.Done}
		}})
		before := heap()
		a.Type("ctrl+e")
		a.WaitFor("199999 x")
		a.WaitIdle()
		more := heap() - before
		if most := 2*size + size*3/4; more > most {
			t.Errorf("%d MB more than before for %d MB of output, the budget is %d", more>>20, size>>20, most>>20)
		}
		a.Type("s")
		if n := strings.Count(a.saved(), " xxx"); n != lines {
			t.Errorf("%d of %d lines were saved", n, lines)
		}
	})
}
