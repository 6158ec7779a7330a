//go:build unix

package unsandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// TestSuite is the suite of all hosts, as far as jobs, and processes among kept files, can do it.
func TestSuite(t *testing.T) {
	python := testPython(t)
	for _, kernel := range []string{"python", KernelFiles} {
		t.Run(kernel, func(t *testing.T) {
			hosttest.Run(t, hosttest.Config{
				Host: func(t *testing.T) kernelclient.Host {
					h, _ := host(t, unsandboxtest.Options{Run: true, Python: python}, nil)
					return h
				},
				Kernel: kernel,
			})
		})
	}
}

// TestServiceGoes: a service that goes in the middle of a run is outlasted as long as it can
// be, and the job's id is told then.
func TestServiceGoes(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Running: 1 << 30}, nil)
	h.client.wait = func(c context.Context, d time.Duration) error { return pause.For(c, d/1000) }
	k := hosttest.Start(t, h, "python")
	id := k.Submit("echo x")
	s.Await(func(log []unsandboxtest.Request) bool { return requests(log, "GET", "/jobs/") > 1 })
	s.Close()
	end, _ := k.Ended(id)
	if end.Reason != event.Lost || !strings.Contains(end.Detail, "nbterm unsandbox job job_") {
		t.Errorf("%+v", end)
	}
}
