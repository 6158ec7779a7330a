package kernelclient_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// paper is a Recorder in memory.
type paper struct {
	mu       sync.Mutex
	events   []event.Event
	info     kernelclient.ContextInfo
	rewrites int
	err      error
	gate     chan struct{} // while it is open to nobody, Write waits; nil lets all through
}

func (p *paper) Write(events []event.Event) error {
	p.mu.Lock()
	gate := p.gate
	p.mu.Unlock()
	if gate != nil {
		<-gate
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.events = append(p.events, events...)
	}
	return p.err
}

func (p *paper) Describe(info kernelclient.ContextInfo) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = info
	return p.err
}

func (p *paper) Compact(kept iter.Seq2[event.Event, error]) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var events []event.Event
	for e, err := range kept {
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	if p.err == nil {
		p.events, p.rewrites = events, p.rewrites+1
	}
	return p.err
}

func (p *paper) read() (events []event.Event, info kernelclient.ContextInfo, rewrites int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events), p.info, p.rewrites
}

// hold makes Write wait until release is called.
func (p *paper) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = make(chan struct{})
	return func() { close(p.gate) }
}

func (p *paper) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// recorded is a log whose recorder is p. It stops at the end of the test's bubble.
func recorded(f kernelclient.Driver, p *paper, opt kernelclient.LogOptions) *kernelclient.Log {
	opt.Record = p
	return kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, f, opt)
}

func TestRecorderGetsEverythingSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		l := recorded(&hosttest.Fake{Script: says}, p, kernelclient.LogOptions{})
		do(t, l, "say one", "say two")
		time.Sleep(50 * time.Millisecond)
		events, info, _ := p.read()
		if got, want := story(events), story(kept(t, l)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if info.ID != "1" || info.State.State != event.Idle {
			t.Errorf("%+v", info)
		}
		if err := l.Stop(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if events, _, _ = p.read(); !strings.HasSuffix(story(events), "dead 1\n") {
			t.Error(story(events))
		}
	})
}

// What is recorded is rewritten only when most of it is not kept any more.
func TestRecorderIsCompacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		l := recorded(&hosttest.Fake{Script: says}, p, kernelclient.LogOptions{})
		do(t, l, "say one")
		time.Sleep(time.Second)
		saved(t, l, l.Info().Last)
		time.Sleep(time.Second)
		events, info, rewrites := p.read()
		if info.Saved.SHA256 != "ab" || rewrites != 0 || !strings.Contains(story(events), "one") {
			t.Errorf("%+v, %d rewrites\n%s", info.Saved, rewrites, story(events))
		}
		do(t, l, "say "+strings.Repeat("x", 200_000))
		do(t, l, "say two")
		saved(t, l, l.Info().Last)
		time.Sleep(time.Second)
		do(t, l, "say three")
		time.Sleep(time.Second)
		events, _, rewrites = p.read()
		if got, want := story(events), story(kept(t, l)); rewrites != 1 || got != want {
			t.Errorf("%d rewrites, got\n%.2000s\nwant\n%.2000s", rewrites, got, want)
		}
		_ = l.Stop(t.Context(), true)
	})
}

// A client may report something saved before it was written.
func TestSavedBeforeItWasRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		l := recorded(&hosttest.Fake{Script: says}, p, kernelclient.LogOptions{})
		time.Sleep(time.Second)
		release := p.hold()
		do(t, l, "say one")
		saved(t, l, l.Info().Last)
		release()
		do(t, l, "say two")
		time.Sleep(time.Second)
		events, _, _ := p.read()
		if got, want := story(events), story(kept(t, l)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		_ = l.Stop(t.Context(), true)
	})
}

func TestRecorderThatFailsIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		l := recorded(&hosttest.Fake{Script: says}, p, kernelclient.LogOptions{})
		time.Sleep(time.Second)
		p.fail(errors.New("the disk is full"))
		do(t, l, "say one")
		time.Sleep(time.Second)
		do(t, l, "say two")
		time.Sleep(time.Second)
		got := story(kept(t, l))
		if strings.Count(got, "Gap") != 1 || !strings.Contains(got, "two") {
			t.Error(got)
		}
		p.fail(nil) // it is tried again, and then nothing is missing
		time.Sleep(time.Minute)
		if events, _, _ := p.read(); story(events) != got {
			t.Errorf("got\n%s\nwant\n%s", story(events), got)
		}
		_ = l.Stop(t.Context(), true)
	})
}

// half records a log up to a moment, as a process that was killed then leaves it.
func half(t *testing.T, drive kernelclient.Driver, until func(event.Event) bool, requests ...kernelclient.Request) []event.Event {
	t.Helper()
	l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, drive, kernelclient.LogOptions{})
	defer l.Stop(context.Background(), true)
	submit(t, l, requests...)
	return read(t, l, until)
}

// resumer is a Fake whose kernel outlived its starter.
type resumer struct {
	hosttest.Fake
	resume func(ctx context.Context, r kernelclient.Request) kernelclient.Outcome
}

func (r *resumer) Resume(ctx context.Context, q kernelclient.Request) kernelclient.Outcome {
	return r.resume(ctx, q)
}

func TestTakeUpAnotherProcessesLog(t *testing.T) {
	started := func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok && e.Exec == "wait" }
	past := half(t, &hosttest.Fake{Script: says}, started,
		kernelclient.Request{ID: "say one", Code: "say one"}, kernelclient.Request{ID: "wait", Code: "wait", Group: "g"},
		kernelclient.Request{ID: "say two", Cell: "k", Code: "say two", Group: "g", GoOn: true})
	d := &resumer{resume: func(_ context.Context, r kernelclient.Request) kernelclient.Outcome {
		return kernelclient.Outcome{Reason: event.Done, Detail: r.Code + r.Group, Count: 2}
	}}
	d.Script, d.Hold = says, make(chan struct{})
	info := kernelclient.ContextInfo{ID: "1", Saved: kernelclient.SaveMark{Cursor: kernelclient.Cursor{Epoch: "old", Seq: 1000}}}
	l := kernelclient.OpenLog(info, d, kernelclient.LogOptions{History: slices.Values(past)})
	t.Cleanup(func() { l.Stop(context.Background(), true) })
	if i := l.Info(); i.Running != 1 || i.Waiting != 1 || i.State.Generation != 1 || i.Saved.Cursor.Epoch != i.Last.Epoch || i.Saved.Cursor.Seq > i.Last.Seq {
		t.Errorf("%+v", i)
	}
	close(d.Hold)
	got := story(read(t, l, ended("say two")))
	rest := got[strings.Index(got, "wait:Queued"):]
	if strings.Contains(got, "one\"") || !strings.Contains(rest, "wait:Gap\n") || !strings.Contains(rest, "wait:done\nsay two:Accepted\n") || strings.Count(got, "wait:Accepted") != 1 {
		t.Error(got)
	}
	if err := l.Submit(t.Context(), kernelclient.Request{ID: "say one", Code: "say again"}); err != nil {
		t.Fatal(err)
	}
	do(t, l, "say three")
	if got := story(kept(t, l)); strings.Contains(got, "again") {
		t.Error("an old id ran again:\n" + got)
	}
}

func TestTakeUpWithoutItsKernel(t *testing.T) {
	asks := func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.InputRequest{ID: "q"})
		<-f.Gone()
		return kernelclient.Outcome{Reason: event.Died}
	}
	past := half(t, &hosttest.Fake{Script: asks}, func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok },
		kernelclient.Request{ID: "1"}, kernelclient.Request{ID: "2"})
	gone := &kernelclient.Error{Kind: kernelclient.Killed, What: "the kernel ended with its host"}
	l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, &hosttest.Fake{Script: says}, kernelclient.LogOptions{History: slices.Values(past), Gone: gone})
	t.Cleanup(func() { l.Stop(context.Background(), true) })
	got := story(kept(t, l))
	if !strings.Contains(got, "1:InputClosed\n1:Gap\n1:died\ndead 1\n2:cancelled\n") || !errors.Is(l.Info().Err, kernelclient.Killed) {
		t.Error(got, l.Info().Err)
	}
	if err := l.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	do(t, l, "say three")
	if got := story(kept(t, l)); !strings.Contains(got, "restarting 2\n") || !strings.Contains(got, "three") {
		t.Error(got)
	}
}

// A driver that cannot resume says so, and what waited does not run behind an unknown end.
func TestTakeUpWhatCannotBeResumed(t *testing.T) {
	started := func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok }
	past := half(t, &hosttest.Fake{Script: says}, started, kernelclient.Request{ID: "wait", Code: "wait"}, kernelclient.Request{ID: "say x", Code: "say x"})
	l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, &hosttest.Fake{Script: says}, kernelclient.LogOptions{History: slices.Values(past)})
	t.Cleanup(func() { l.Stop(context.Background(), true) })
	if got := story(read(t, l, ended("say x"))); !strings.HasSuffix(got, "wait:lost\nsay x:cancelled\n") {
		t.Error(got)
	}
	do(t, l, "say next")
}

// What an earlier process left may be larger than memory.
func TestTakeUpMoreThanMemory(t *testing.T) {
	const events, size = 4096, 8 << 10
	past := func(yield func(event.Event) bool) {
		for n := range uint64(events) {
			e := event.Event{Seq: n + 1, Exec: "1", Body: event.Stream{Name: "stdout", Text: strings.Repeat(fmt.Sprintf("%07d\n", n), size/8)}}
			if n == 0 {
				e.Body = event.Queued{}
			}
			if !yield(e) {
				return
			}
		}
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, &hosttest.Fake{Script: says}, kernelclient.LogOptions{
		History: past, Memory: 1 << 20, Gone: errors.New("it is gone"),
	})
	t.Cleanup(func() { l.Stop(context.Background(), true) })
	if more := heap() - before; more > 8<<20 {
		t.Errorf("%d MB of a history of %d MB are in memory", more>>20, events*size>>20)
	}
	s := l.Follow(kernelclient.Cursor{})
	defer s.Close()
	line := 1
	for line < events {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			st, ok := e.Body.(event.Stream)
			for ; ok && st.Text != ""; line++ {
				if want := strings.Repeat(fmt.Sprintf("%07d\n", line), size/8); !strings.HasPrefix(st.Text, want) {
					t.Fatalf("piece %d is %.20q", line, st.Text)
				}
				st.Text = st.Text[size:]
			}
		}
	}
}
