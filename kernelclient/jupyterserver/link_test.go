package jupyterserver

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

// quick are times for tests: nothing waits long, nothing is told before it is due.
func quick() times {
	return times{
		ping: 20 * time.Millisecond, silent: 300 * time.Millisecond, tell: 50 * time.Millisecond, attempt: 10 * time.Second,
		first: 10 * time.Millisecond, last: 50 * time.Millisecond, giveUp: time.Minute,
	}
}

// behind is a fake server's host behind a relay.
func behind(t *testing.T, f *fake) (*Host, *relay.Relay) {
	t.Helper()
	r := relay.New(t, f.Listener.Addr().String())
	h := host(t, "http://"+r.Addr())
	h.client.times = quick()
	t.Cleanup(func() { _ = h.Close() })
	return h, r
}

func started(t *testing.T, h *Host) *hosttest.Client {
	t.Helper()
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python3", StartupTimeout: time.Minute})
	k.Wait("the kernel", state(event.Idle))
	return k
}

func text(want string) func(event.Event) bool {
	return func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && strings.Contains(s.Text, want)
	}
}

func state(want event.KernelState) func(event.Event) bool {
	return func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == want
	}
}

func TestBothForms(t *testing.T) {
	for _, protocol := range []string{"", "v1.kernel.websocket.jupyter.org"} {
		f := newFake(t, false)
		f.protocol = protocol
		h, _ := behind(t, f)
		k := started(t, h)
		if end, events := k.Do("say hello\nsay you"); end.Reason != event.Done || hosttest.Words(events) != "stdout:hello\nyou\n" {
			t.Errorf("%q: %+v %q", protocol, end, hosttest.Words(events))
		}
	}
}

func TestResetLosesNothing(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	k := started(t, h)
	id := k.Submit("say one\nhold\nsay two\nhold\nsay three")
	k.Wait("one", text("one"))
	r.Refuse(true)
	r.Cut()
	k.Wait("the loss", state(event.Reconnecting))
	f.release <- struct{}{} // what it says now, nobody hears
	r.Refuse(false)
	_, before := k.Wait("two", text("two"))
	f.release <- struct{}{}
	end, events := k.Ended(id)
	if got := hosttest.Words(before) + hosttest.Words(events); end.Reason != event.Done || strings.Contains(got, "gap") || !strings.Contains(got, "three") {
		t.Errorf("%+v %q", end, got)
	}
	if _, events := k.Do("say next"); hosttest.Words(events) != "stdout:next\n" {
		t.Errorf("the next run gave %q", hosttest.Words(events))
	}
}

func TestWhatIsLostIsMarked(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	k := started(t, h)
	server := f.only(t)
	server.forget = true
	id := k.Submit("say one\nhold\nsay two\nhold\nsay three")
	k.Wait("one", text("one"))
	r.Refuse(true)
	r.Cut()
	k.Wait("the loss", state(event.Reconnecting))
	f.release <- struct{}{}
	await(t, func() bool { return f.unheard() > 0 }) // it says "two" to nobody
	r.Refuse(false)
	k.Wait("the kernel again", state(event.Busy))
	await(t, func() bool { return f.heard() })
	f.release <- struct{}{}
	end, events := k.Ended(id)
	if got := hosttest.Words(events); end.Reason != event.Done || !strings.HasPrefix(got, "gap:") || !strings.HasSuffix(got, "stdout:three\n") {
		t.Errorf("%+v %q", end, got)
	}
}

func TestStallThatPassesLosesNothing(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	k := started(t, h)
	id := k.Submit("say one\nhold\nsay two")
	k.Wait("one", text("one"))
	r.Stall()
	f.release <- struct{}{}
	k.Wait("the silence", state(event.Reconnecting))
	r.Resume()
	end, events := k.Ended(id)
	if got := hosttest.Words(events); end.Reason != event.Done || got != "stdout:two\n" {
		t.Errorf("%+v %q", end, got)
	}
}

func TestQuietLinkIsKept(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	k := started(t, h)
	id := k.Submit("hold\nsay done")
	k.Wait("the run", state(event.Busy))
	links := r.Carried()
	time.AfterFunc(time.Second, func() { f.release <- struct{}{} }) // three times as long as silence may be
	end, events := k.Ended(id)
	if hosttest.Words(events) != "stdout:done\n" || end.Reason != event.Done || r.Carried() != links {
		t.Errorf("%+v %q, %d further connections", end, hosttest.Words(events), r.Carried()-links)
	}
}

func TestKernelGone(t *testing.T) {
	f := newFake(t, false)
	h, r := behind(t, f)
	k := started(t, h)
	id := k.Submit("say one\nhold")
	k.Wait("one", text("one"))
	gone := f.only(t).id
	f.mu.Lock()
	f.requests = nil
	f.end(gone)
	f.mu.Unlock()
	r.Cut()
	end, _ := k.Ended(id)
	if end.Reason != event.Died || !strings.Contains(end.Detail, "no such kernel") {
		t.Errorf("ended %+v", end)
	}
	if s := k.Info().State; s.State != event.Dead || !errors.Is(k.Info().Err, kernelclient.Killed) {
		t.Errorf("%+v, %v", s, k.Info().Err)
	}
	f.mu.Lock()
	if len(f.requests) > 3 {
		t.Errorf("it took %d requests: %v", len(f.requests), f.requests)
	}
	f.mu.Unlock()
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := k.Do("say new"); hosttest.Words(events) != "stdout:new\n" {
		t.Errorf("the new kernel gave %q", hosttest.Words(events))
	}
	if id := f.only(t).id; id == gone {
		t.Errorf("the kernel is %s again", id)
	}
}

func TestKernelDiesAndIsReplaced(t *testing.T) {
	f := newFake(t, false)
	h, _ := behind(t, f)
	k := started(t, h)
	if end, _ := k.Do("die"); end.Reason != event.Died || !strings.Contains(end.Detail, "it died") {
		t.Errorf("ended %+v", end)
	}
	before := f.only(t).id
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, events := k.Do("say again"); hosttest.Words(events) != "stdout:again\n" || f.only(t).id != before {
		t.Errorf("after the restart: %q", hosttest.Words(events))
	}
}

func TestStopEndsTheKernelAndAttachDoesNot(t *testing.T) {
	f := newFake(t, false)
	h, _ := behind(t, f)
	k := started(t, h)
	k.Do("say x")
	other := host(t, f.URL)
	defer other.Close()
	joined, err := other.Attach(t.Context(), kernelclient.ContextID(f.only(t).id))
	j := hosttest.Joined(t, joined, err)
	if _, events := j.Do("say y"); hosttest.Words(events) != "stdout:y\n" {
		t.Errorf("%q", hosttest.Words(events))
	}
	if err := j.Stop(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	f.only(t)
	if err := k.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.kernels) != 0 {
		t.Errorf("%d kernels are left", len(f.kernels))
	}
}

// unheard is how many messages a forgetful kernel has said to nobody.
func (f *fake) unheard() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.kernels {
		n += k.unheard
	}
	return n
}

// heard tells whether somebody listens to the kernel.
func (f *fake) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.kernels {
		return len(k.ws) > 0
	}
	return false
}

// await waits for something that no event tells of.
func await(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen")
		}
	}
}
