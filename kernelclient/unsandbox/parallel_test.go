package unsandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// TestParallel: cells run at once, up to the limit, and their results come in order.
func TestParallel(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Running: 1000, Concurrency: 3}, func(o *Options) { o.Settings.Parallel = 3 })
	k := hosttest.Start(t, h, "python")
	for i := range 5 {
		k.SubmitAs(event.ExecID(fmt.Sprint("e", i)), fmt.Sprint("echo out", i))
	}
	s.Await(func(log []unsandboxtest.Request) bool { return requests(log, "POST", "/execute/async") == 3 })
	k.SubmitAs("e2", "echo twice") // the same request once more is none
	s.Hurry()
	for i := range 5 {
		end, events := k.Ended(event.ExecID(fmt.Sprint("e", i)))
		if end.Reason != event.Done || hosttest.Words(events) != fmt.Sprintf("stdout:out%d\n", i) {
			t.Errorf("%d: %+v %q", i, end, hosttest.Words(events))
		}
	}
	if n := requests(s.Transcript(), "POST", "/execute/async"); n != 5 {
		t.Errorf("%d submissions", n)
	}
}

// TestParallelFailure: what a failure cancels is cancelled at the service, too.
func TestParallelFailure(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Running: 1000}, func(o *Options) { o.Settings.Parallel = 3 })
	k := hosttest.Start(t, h, "python")
	group := func(r *kernelclient.Request) { r.Group = "g" }
	first := k.Submit("exit 1", group)
	second, third := k.Submit("echo never", group), k.Submit("echo other")
	s.Await(func(log []unsandboxtest.Request) bool { return requests(log, "POST", "/execute/async") == 3 })
	s.Hurry("exit 1", "echo other")
	ends := map[event.ExecID]event.Reason{}
	k.Wait("three ends", func(e event.Event) bool {
		if end, ok := e.Body.(event.Ended); ok {
			ends[e.Exec] = end.Reason
		}
		return len(ends) == 3
	})
	if ends[first] != event.Failed || ends[second] != event.Cancelled || ends[third] != event.Done {
		t.Errorf("%v", ends)
	}
	s.Await(func(log []unsandboxtest.Request) bool { return requests(log, "DELETE", "/jobs/") == 1 })
}

// requests counts the requests of a method whose path begins so.
func requests(log []unsandboxtest.Request, method, path string) (n int) {
	for _, r := range log {
		if r.Method == method && strings.HasPrefix(r.Path, path) {
			n++
		}
	}
	return n
}
