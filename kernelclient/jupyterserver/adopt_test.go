package jupyterserver

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// left runs code until it has printed a word, and leaves the context as a process does
// that is killed. It returns what that process had written down.
func left(t *testing.T, h *Host, code, word string) kernelclient.Adoption {
	t.Helper()
	k, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3", StartupTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Submit(t.Context(), kernelclient.Request{ID: "1", Code: code}); err != nil {
		t.Fatal(err)
	}
	s := k.Follow(kernelclient.Cursor{})
	defer s.Close()
	var history []event.Event
	for seen := false; !seen; {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			history = append(history, e)
			seen = seen || text(word)(e)
		}
	}
	info := k.Info()
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	return kernelclient.Adoption{Info: info, Start: kernelclient.StartSpec{Kernel: "python3"}, Log: kernelclient.LogOptions{History: slices.Values(history), Epoch: info.Last.Epoch}}
}

func TestAdopt(t *testing.T) {
	f := newFake(t, false)
	h, _ := behind(t, f)
	a := left(t, h, "say one\nhold\nsay two", "one")
	await(t, func() bool { return !f.heard() })
	f.release <- struct{}{}
	other, _ := behind(t, f)
	c, err := other.Adopt(t.Context(), a)
	k := hosttest.Joined(t, c, err)
	end, events := k.Ended("1")
	if got := hosttest.Words(events); end.Reason != event.Done || !strings.HasSuffix(got, "stdout:two\n") {
		t.Errorf("%+v %q", end, got)
	}
	if _, events := k.Do("say next"); hosttest.Words(events) != "stdout:next\n" {
		t.Errorf("the next run gave %q", hosttest.Words(events))
	}
	if k.Info().ID != a.Info.ID || k.Info().Remote != a.Info.Remote {
		t.Errorf("%+v was %+v", k.Info(), a.Info)
	}
}

func TestAdoptWhatIsGone(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	a := left(t, h, "say one\nhold", "one")
	f.mu.Lock()
	f.end(a.Info.Remote)
	f.mu.Unlock()
	c, err := h.Adopt(t.Context(), a)
	k := hosttest.Joined(t, c, err)
	if s := k.Info().State; s.State != event.Dead || !strings.Contains(s.Detail, "no such kernel any more") {
		t.Errorf("%+v", s)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := k.Do("say new"); hosttest.Words(events) != "stdout:new\n" {
		t.Errorf("%q", hosttest.Words(events))
	}
	r.Refuse(true)
	r.Cut()
	defer r.Refuse(false)
	if _, err := h.Adopt(t.Context(), a); !errors.Is(err, kernelclient.Disconnect) {
		t.Errorf("a server that is away: %v", err)
	}
}

// A link that is only slow is nothing to tell of.
func TestSlowLink(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	h.client.times = usualTimes()
	r.Delay(300 * time.Millisecond)
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python3", StartupTimeout: time.Minute})
	id := k.Submit("say x")
	var states []event.KernelState
	hit, _ := k.Wait("its end", func(e event.Event) bool {
		if s, ok := e.Body.(event.State); ok {
			states = append(states, s.State)
		}
		_, over := e.Body.(event.Ended)
		return over && e.Exec == id
	})
	if end := hit.Body.(event.Ended); end.Reason != event.Done {
		t.Errorf("ended %+v", end)
	}
	for _, s := range states {
		if s == event.Reconnecting || s == event.Dead {
			t.Errorf("it was called %s: %v", s, states)
		}
	}
}
