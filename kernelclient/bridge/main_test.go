package bridge

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is one with short paths, as sockets demand.
func place(t testing.TB) Place {
	t.Helper()
	dir, err := os.MkdirTemp("", "nbt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	p := In(filepath.Join(dir, "state"), filepath.Join(dir, "run"))
	if err := os.Mkdir(p.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// fakes makes a host of one kernel, "fake", whose runs do what script says.
// The test's end stops its contexts, as a host process's own end does.
func fakes(t testing.TB, script hosttest.Script) func(Surroundings) (kernelclient.Host, error) {
	host := &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "fake", Language: "python"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} },
	}
	t.Cleanup(func() {
		infos, _ := host.Contexts(context.Background())
		for _, i := range infos {
			k, _ := host.Attach(context.Background(), i.ID)
			_ = k.Stop(context.Background(), true)
		}
	})
	return func(Surroundings) (kernelclient.Host, error) { return host, nil }
}

// run runs a host process, in this one, until the test or the returned func ends it.
func run(t testing.TB, p Place, opt Options) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error, 1)
	go func() { done <- Process{Place: p, Server: opt, Ready: w}.Run(ctx) }()
	if n, err := r.Read(make([]byte, 8)); n == 0 {
		t.Fatal(err, <-done)
	}
	ended := false
	end = func() {
		cancel()
		if !ended {
			ended = true
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(end)
	return end
}

// connect is a client of the place's host process.
func connect(t testing.TB, p Place) *Client {
	t.Helper()
	c, err := Connect(t.Context(), ClientOptions{Place: p, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// start starts the fake kernel.
func start(t testing.TB, c *Client) *hosttest.Client {
	t.Helper()
	return hosttest.Follow(t, c, kernelclient.StartSpec{Kernel: "fake", Dir: "/", StartupTimeout: time.Minute})
}

func until(t *testing.T, s kernelclient.Stream, what string, f func(event.Event) bool) (before []event.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		batch, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v; before it came %s", what, err, hosttest.Words(before))
		}
		for _, e := range batch {
			before = append(before, e)
			if f(e) {
				return before
			}
		}
	}
}
