//go:build unix

package bridge

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// machines are what outlives a host process in these tests: fake kernels, and the logs that
// each process made of them.
type machines struct {
	mu   sync.Mutex
	logs []*kernelclient.Log
}

// host is one process's view of the machine.
type host struct {
	m *machines
	Surroundings
}

func newMachines(t *testing.T) *machines {
	m := &machines{}
	t.Cleanup(func() {
		for _, l := range m.logs {
			_ = l.Stop(context.Background(), true)
		}
	})
	return m
}

func (m *machines) open(info kernelclient.ContextInfo, opt kernelclient.LogOptions) kernelclient.Context {
	l := kernelclient.OpenLog(info, &resumer{&hosttest.Fake{Script: say}}, opt)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs = append(m.logs, l)
	return l
}

// resumer is a kernel that ends what it ran for an earlier process.
type resumer struct{ *hosttest.Fake }

func (r *resumer) Resume(context.Context, kernelclient.Request) kernelclient.Outcome {
	return kernelclient.Outcome{Reason: event.Done}
}

func (m *machines) options() Options {
	return Options{
		Host: func(a Surroundings) (kernelclient.Host, error) { return host{m, a}, nil },
		Adopt: func(_ context.Context, l Left) (kernelclient.Context, kernelclient.Host, error) {
			return m.open(l.Info, l.Log), host{m, Surroundings{}}, nil
		},
	}
}

func (h host) Kernels(context.Context) ([]kernelclient.Kernel, error) { return nil, nil }

func (h host) Contexts(context.Context) ([]kernelclient.ContextInfo, error) { return nil, nil }

func (h host) Start(_ context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(newName()), Kernel: kernelclient.Kernel{Name: "fake"}, Dir: spec.Dir, Path: spec.Session, Name: spec.Name,
	}
	opt, err := h.Log(info, spec)
	if err != nil {
		return nil, err
	}
	return h.m.open(info, opt), nil
}

func (h host) Attach(context.Context, kernelclient.ContextID) (kernelclient.Context, error) {
	return nil, errors.ErrUnsupported
}

func (h host) Close() error { return nil }

// What a host process had, the next one has: outputs, the queue and the name. Who followed
// begins anew and sees each thing once.
func TestTakenUp(t *testing.T) {
	p, m := place(t), newMachines(t)
	kill := run(t, p, m.options())
	c := connect(t, p)
	k, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/", Session: "/n.ipynb", Name: "work"})
	if err != nil {
		t.Fatal(err)
	}
	s := k.Follow(kernelclient.Cursor{})
	for _, code := range []string{"one", "wait", "two"} {
		if err := k.Submit(t.Context(), kernelclient.Request{ID: event.ExecID(code), Cell: "cell-" + event.CellKey(code), Code: code}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, s, "the second run", func(e event.Event) bool { b, ok := e.Body.(event.Stream); return ok && b.Text == "waiting" })
	journaled(t, p, "waiting")
	journaled(t, p, "cell-two") // either may be written first
	kill()
	run(t, p, m.options())
	var before []event.Event
	for {
		batch, err := s.Next(t.Context())
		if errors.Is(err, kernelclient.ErrCompacted) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, batch...)
	}
	if got := hosttest.Words(before); got != "" {
		t.Errorf("it went on with %q", got)
	}
	again := until(t, k.Follow(kernelclient.Cursor{}), "the third run's end", ended("two"))
	got := hosttest.Words(slices.DeleteFunc(again, func(e event.Event) bool { _, gap := e.Body.(event.Gap); return gap }))
	if got != "stdout:onewaitingtwo" {
		t.Errorf("the next one has %q", got)
	}
	joined, err := connect(t, p).Named("work", "", "").Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"})
	if err != nil || joined.Info().ID != k.Info().ID {
		t.Errorf("%v %v", joined.Info().ID, err)
	}
	if err := c.StopAll(t.Context()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(p.Contexts()); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A host process that is told to end writes down what its kernels had put out by then.
func TestEndsWithEverythingOnDisk(t *testing.T) {
	p, m := place(t), newMachines(t)
	end := run(t, p, m.options())
	c := connect(t, p)
	k, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Submit(t.Context(), kernelclient.Request{ID: "run", Code: "wait"}); err != nil {
		t.Fatal(err)
	}
	until(t, k.Follow(kernelclient.Cursor{}), "output", func(e event.Event) bool { b, ok := e.Body.(event.Stream); return ok && b.Text == "waiting" })
	end()
	if !onDisk(p, "waiting") {
		t.Error("the output is not in the journal")
	}
}

// journaled waits until a text is on disk.
func journaled(t *testing.T, p Place, text string) {
	t.Helper()
	hosttest.Eventually(t, "the journal", func() bool { return onDisk(p, text) })
}

// onDisk tells whether a journal has a text.
func onDisk(p Place, text string) bool {
	entries, _ := os.ReadDir(p.Contexts())
	for _, entry := range entries {
		files, _ := os.ReadDir(p.Contexts() + "/" + entry.Name())
		for _, f := range files {
			data, _ := os.ReadFile(p.Contexts() + "/" + entry.Name() + "/" + f.Name())
			if strings.Contains(string(data), text) {
				return true
			}
		}
	}
	return false
}

// A disk that refuses costs the journal, which is said, and no run.
func TestNoRoomForJournal(t *testing.T) {
	p, m := place(t), newMachines(t)
	opt := m.options()
	opt.Contexts = p.Runtime + "/file/contexts"
	if err := os.WriteFile(p.Runtime+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, p, opt)
	k := start(t, connect(t, p))
	id := k.Submit("hello")
	gap, end := false, false
	k.Wait("the end and what is said of the journal", func(e event.Event) bool {
		_, ok := e.Body.(event.Gap)
		gap = gap || ok
		end = end || ended(id)(e)
		return gap && end
	})
}
