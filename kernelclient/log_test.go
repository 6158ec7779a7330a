package kernelclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook/mime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// read follows l from its beginning until done says so.
func read(t *testing.T, l kernelclient.Context, done func(event.Event) bool) []event.Event {
	t.Helper()
	s := l.Follow(kernelclient.Cursor{})
	defer s.Close()
	var all []event.Event
	for {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d events: %v", len(all), err)
		}
		for i, e := range batch {
			all = append(all, e)
			if done(e) {
				if i != len(batch)-1 {
					all = append(all, batch[i+1:]...)
				}
				return all
			}
		}
	}
}

func ended(id event.ExecID) func(event.Event) bool {
	return func(e event.Event) bool {
		_, end := e.Body.(event.Ended)
		return end && e.Exec == id
	}
}

// story writes events as short words, for comparison.
func story(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		late := ""
		if e.Late {
			late = "late "
		}
		switch body := e.Body.(type) {
		case event.Stream:
			fmt.Fprintf(&b, "%s:%s%s %q\n", e.Exec, late, body.Name, body.Text)
		case event.Ended:
			fmt.Fprintf(&b, "%s:%s\n", e.Exec, body.Reason)
		case event.State:
			fmt.Fprintf(&b, "%s %d\n", body.State, body.Generation)
		default:
			fmt.Fprintf(&b, "%s:%s%s\n", e.Exec, late, strings.TrimPrefix(fmt.Sprintf("%T", body), "event."))
		}
	}
	return b.String()
}

func open(t *testing.T, f *hosttest.Fake) *kernelclient.Log {
	l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, f, kernelclient.LogOptions{})
	t.Cleanup(func() { l.Stop(context.Background(), true) })
	return l
}

func submit(t *testing.T, l *kernelclient.Log, rs ...kernelclient.Request) {
	t.Helper()
	for _, r := range rs {
		if err := l.Submit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunTellsItsStory(t *testing.T) {
	f := &hosttest.Fake{Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "a"})
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "b"})
		f.Sink().Emit(r.ID, event.Stream{Name: "stderr", Text: "c"})
		return kernelclient.Outcome{Reason: event.Done}
	}, Hold: make(chan struct{})}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "x", Cell: "k"}, kernelclient.Request{ID: "x", Cell: "twice"})
	close(f.Hold)
	got := story(read(t, l, ended("x")))
	want := "starting 1\nx:Queued\nidle 1\nx:Accepted\nbusy 1\nx:Started\nx:stdout \"ab\"\nx:stderr \"c\"\nidle 1\nx:done\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	f.Sink().Emit("x", event.Stream{Name: "stdout", Text: "thread"})
	all := read(t, l, func(e event.Event) bool { return e.Late })
	if !strings.HasSuffix(story(all), "x:late stdout \"thread\"\n") {
		t.Errorf("late output: %s", story(all))
	}
	for i, e := range all[:3] {
		if e.Seq != uint64(i)+1 {
			t.Errorf("event %d has Seq %d", i, e.Seq)
		}
	}
}

func fail(_ context.Context, _ *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	if r.Code == "bad" {
		return kernelclient.Outcome{Reason: event.Failed}
	}
	return kernelclient.Outcome{Reason: event.Done}
}

func TestErrorCancelsTheRestOfItsGroup(t *testing.T) {
	f := &hosttest.Fake{Script: fail, Hold: make(chan struct{})}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1", Group: "all", Code: "bad"}, kernelclient.Request{ID: "2", Group: "all"}, kernelclient.Request{ID: "3"})
	close(f.Hold)
	got := story(read(t, l, ended("3")))
	if !strings.Contains(got, "1:error\n2:cancelled\n") || strings.Contains(got, "2:Accepted") || !strings.Contains(got, "3:done") {
		t.Error(got)
	}
}

func TestWhatIsHandedOverAfterTheFailureOfItsGroupDoesNotRun(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: fail})
	submit(t, l, kernelclient.Request{ID: "1", Group: "all", Code: "bad"})
	read(t, l, ended("1"))
	submit(t, l, kernelclient.Request{ID: "2", Group: "all"}, kernelclient.Request{ID: "3", Group: "other"})
	got := story(read(t, l, ended("3")))
	if !strings.Contains(got, "2:cancelled\n") || strings.Contains(got, "2:Accepted") || !strings.Contains(got, "3:done") {
		t.Error(got)
	}
}

func TestGoOnCancelsNothing(t *testing.T) {
	f := &hosttest.Fake{Script: fail, Hold: make(chan struct{})}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1", Group: "all", Code: "bad", GoOn: true}, kernelclient.Request{ID: "2", Group: "all"})
	close(f.Hold)
	if got := story(read(t, l, ended("2"))); !strings.Contains(got, "2:done") {
		t.Error(got)
	}
}

func untilInterrupted(ctx context.Context, f *hosttest.Fake, _ kernelclient.Request) kernelclient.Outcome {
	select {
	case <-f.Interrupted():
		return kernelclient.Outcome{Reason: event.Interrupted}
	case <-f.Gone():
		return kernelclient.Outcome{Reason: event.Restarted}
	case <-ctx.Done():
		return kernelclient.Outcome{Reason: event.Lost}
	}
}

func TestInterruptStopsTheGroup(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: untilInterrupted})
	submit(t, l, kernelclient.Request{ID: "1", Group: "all"}, kernelclient.Request{ID: "2", Group: "all"})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := l.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := story(read(t, l, ended("1")))
	if !strings.Contains(got, "2:cancelled\n") || !strings.Contains(got, "1:interrupted\n") {
		t.Error(got)
	}
}

// An interrupt that comes before the kernel has begun is held until it has.
func TestEarlyInterruptIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &slowStart{begin: make(chan struct{})}
		f.Script = untilInterrupted
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, f, kernelclient.LogOptions{})
		submit(t, l, kernelclient.Request{ID: "1"})
		read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Accepted); return ok })
		done := make(chan error, 1)
		go func() { done <- l.Interrupt(context.Background()) }()
		synctest.Wait()
		if f.interrupted.Load() {
			t.Error("it was not held")
		}
		close(f.begin)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := story(read(t, l, ended("1"))); !strings.Contains(got, "1:interrupted\n") {
			t.Error(got)
		}
		l.Stop(context.Background(), true)
	})
}

// slowStart is a Fake that begins to run when it is let to.
type slowStart struct {
	hosttest.Fake
	begin       chan struct{}
	interrupted atomic.Bool
}

func (f *slowStart) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	<-f.begin
	return f.Fake.Run(ctx, r)
}

func (f *slowStart) Interrupt(ctx context.Context) error {
	f.interrupted.Store(true)
	return f.Fake.Interrupt(ctx)
}

func TestDeathEndsEverything(t *testing.T) {
	f := &hosttest.Fake{Script: func(_ context.Context, f *hosttest.Fake, _ kernelclient.Request) kernelclient.Outcome {
		f.Die("killed by SIGKILL")
		return kernelclient.Outcome{Reason: event.Died, Detail: "killed by SIGKILL"}
	}, Hold: make(chan struct{})}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1"}, kernelclient.Request{ID: "2"})
	close(f.Hold)
	got := story(read(t, l, ended("1")))
	if !strings.Contains(got, "dead 1\n2:cancelled\n1:died\n") {
		t.Error(got)
	}
	if err := l.Submit(t.Context(), kernelclient.Request{ID: "3"}); !errors.Is(err, kernelclient.Gone) {
		t.Errorf("submit to the dead: %v", err)
	}
	f.Script = nil
	if err := l.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	submit(t, l, kernelclient.Request{ID: "4"})
	if got := story(read(t, l, ended("4"))); !strings.Contains(got, "restarting 2\nidle 2\n4:Accepted") && !strings.Contains(got, "idle 2\n") {
		t.Error(got)
	}
}

func TestRestartWhileRunning(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: untilInterrupted})
	submit(t, l, kernelclient.Request{ID: "1"}, kernelclient.Request{ID: "2"})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := l.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := story(read(t, l, func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Idle && s.Generation == 2
	}))
	if !strings.Contains(got, "2:restarted\n") {
		t.Error(got)
	}
	if got := story(read(t, l, ended("1"))); !strings.Contains(got, "1:restarted\n") {
		t.Error(got)
	}
}

// A run that ends late, as dead, after its kernel was replaced says nothing of the new one.
func TestLateDeathSparesTheNextKernel(t *testing.T) {
	slow := make(chan struct{})
	f := &hosttest.Fake{Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		if r.Code == "slow" {
			<-f.Gone()
			<-slow
			return kernelclient.Outcome{Reason: event.Died, Detail: "the old one"}
		}
		return kernelclient.Outcome{Reason: event.Done}
	}}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1", Code: "slow"})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := l.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	read(t, l, func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Idle && s.Generation == 2
	})
	close(slow)
	read(t, l, ended("1"))
	submit(t, l, kernelclient.Request{ID: "2"})
	if got := story(read(t, l, ended("2"))); strings.Contains(got, "dead 2") || !strings.Contains(got, "2:done") {
		t.Error(got)
	}
}

func TestOpenFails(t *testing.T) {
	f := &hosttest.Fake{OpenErr: &kernelclient.Death{Code: 1, Last: "boom"}, Hold: make(chan struct{})}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1"})
	close(f.Hold)
	got := story(read(t, l, ended("1")))
	if !strings.Contains(got, "dead 1\n1:cancelled\n") || !errors.Is(l.Info().Err, kernelclient.Killed) {
		t.Error(got, l.Info().Err)
	}
}

func TestStartupTimeoutNamesItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hosttest.Fake{Hold: make(chan struct{})}
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, f, kernelclient.LogOptions{StartupTimeout: time.Minute})
		submit(t, l, kernelclient.Request{ID: "1"})
		read(t, l, ended("1"))
		var timeout *kernelclient.TimeoutError
		if !errors.As(l.Info().Err, &timeout) || timeout.Setting != "--startup-timeout" {
			t.Errorf("got %v", l.Info().Err)
		}
		l.Stop(context.Background(), true)
	})
}

func TestTimeoutInterruptsThenGivesUp(t *testing.T) {
	for name, script := range map[string]hosttest.Script{
		"heeds": untilInterrupted,
		"ignores": func(ctx context.Context, _ *hosttest.Fake, _ kernelclient.Request) kernelclient.Outcome {
			<-ctx.Done()
			return kernelclient.Outcome{Reason: event.Lost}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := kernelclient.OpenLog(kernelclient.ContextInfo{}, &hosttest.Fake{Script: script}, kernelclient.LogOptions{})
				submit(t, l, kernelclient.Request{ID: "1", Timeout: 3 * time.Second})
				all := read(t, l, ended("1"))
				end := all[len(all)-1].Body.(event.Ended)
				if end.Reason != event.TimedOut || !strings.Contains(end.Detail, "--timeout") {
					t.Errorf("got %+v", end)
				}
				l.Stop(context.Background(), true)
			})
		})
	}
}

// Output winds the clock of silence up again, and so does waiting for the user.
func TestSilenceHasItsOwnClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began time.Time
		f := &hosttest.Fake{Script: func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			began = time.Now()
			for range 4 {
				time.Sleep(4 * time.Second)
				f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "beat"})
			}
			f.Sink().Emit(r.ID, event.InputRequest{ID: "q"})
			time.Sleep(time.Minute)
			f.Sink().Emit(r.ID, event.InputClosed{ID: "q"})
			return untilInterrupted(ctx, f, r)
		}}
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, f, kernelclient.LogOptions{})
		submit(t, l, kernelclient.Request{ID: "1", Silence: 5 * time.Second})
		all := read(t, l, ended("1"))
		end := all[len(all)-1].Body.(event.Ended)
		if end.Reason != event.TimedOut || !strings.Contains(end.Detail, "silence took longer than 5s") {
			t.Errorf("got %+v", end)
		}
		if took := time.Since(began); took < 81*time.Second || took > 83*time.Second {
			t.Errorf("after %v", took)
		}
		l.Stop(context.Background(), true)
	})
}

// What waits behind a cell that nothing can stop would never run.
func TestGivingUpCancelsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := func(ctx context.Context, _ *hosttest.Fake, _ kernelclient.Request) kernelclient.Outcome {
			<-ctx.Done()
			return kernelclient.Outcome{Reason: event.Lost}
		}
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, &hosttest.Fake{Script: deaf}, kernelclient.LogOptions{})
		submit(t, l, kernelclient.Request{ID: "1", Group: "all", GoOn: true, Timeout: time.Second}, kernelclient.Request{ID: "2", Group: "all", GoOn: true})
		got := story(read(t, l, ended("2")))
		if !strings.Contains(got, "1:timeout\n2:cancelled\n") {
			t.Error(got)
		}
		l.Stop(context.Background(), true)
	})
}

// The hand-over's context says nothing about the restart itself.
func TestRestartWithEndedContext(t *testing.T) {
	f := &hosttest.Fake{Hold: make(chan struct{})} // it is restarted while it still starts
	l := open(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	submit(t, l, kernelclient.Request{ID: "1"})
	if got := story(read(t, l, ended("1"))); !strings.Contains(got, "restarting 2\nidle 2\n1:Queued") && !strings.Contains(got, "idle 2\n1:Accepted") {
		t.Error(got)
	}
}

func TestAnswerOnce(t *testing.T) {
	f := &hosttest.Fake{Script: func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.InputRequest{ID: "q", Prompt: "who? "})
		select {
		case line := <-f.Answers():
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "hi " + line})
		case <-ctx.Done():
		}
		return kernelclient.Outcome{Reason: event.Done}
	}}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1", AllowStdin: true})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok })
	if err := l.Answer(t.Context(), "q", "Ann"); err != nil {
		t.Fatal(err)
	}
	if err := l.Answer(t.Context(), "q", "Bob"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("second answer: %v", err)
	}
	got := story(read(t, l, ended("1")))
	if !strings.Contains(got, "InputRequest\n1:InputClosed\n1:stdout \"hi Ann\"\n") || strings.Contains(got, "Bob") {
		t.Error(got)
	}
}

func TestStopEndsFollowersAndRuns(t *testing.T) {
	f := &hosttest.Fake{Script: untilInterrupted}
	l := kernelclient.OpenLog(kernelclient.ContextInfo{}, f, kernelclient.LogOptions{})
	submit(t, l, kernelclient.Request{ID: "1"}, kernelclient.Request{ID: "2"})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok })
	if err := l.Stop(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	s := l.Follow(kernelclient.Cursor{})
	defer s.Close()
	all, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := story(all); !strings.Contains(got, "2:cancelled\n") || !strings.Contains(got, "1:") {
		t.Error(got)
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) || !f.Closed() {
		t.Errorf("after the end: %v", err)
	}
}

// A slow follower of 25,000 displays and 150 MB of text gets everything, from disk where memory is too small.
func TestSlowFollowerLosesNothing(t *testing.T) {
	block := strings.Repeat("x", 99) + "\n"
	f := &hosttest.Fake{Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		for i := range 25_000 {
			f.Sink().Emit(r.ID, event.Display{Data: mime.Bundle{{Type: "text/plain", Value: fmt.Appendf(nil, `"%d %s"`, i, strings.Repeat("y", 2000))}}})
			for range 10 {
				f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: block})
			}
			f.Sink().Emit(r.ID, event.Stream{Name: "stderr", Text: strings.Repeat(block, 20)})
		}
		return kernelclient.Outcome{Reason: event.Done}
	}}
	l := open(t, f)
	submit(t, l, kernelclient.Request{ID: "1"})
	slow := l.Follow(kernelclient.Cursor{})
	defer slow.Close()
	read(t, l, ended("1")) // the other one is done before the slow one begins
	displays, out, errs := 0, 0, 0
	for end := false; !end; {
		batch, err := slow.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			switch b := e.Body.(type) {
			case event.Display:
				if text, _ := b.Data.Plain(); !strings.HasPrefix(text, fmt.Sprint(displays, " y")) || len(text) < 2000 {
					t.Fatalf("display %d is %.40q", displays, text)
				}
				displays++
			case event.Stream:
				if b.Name == "stdout" {
					out += strings.Count(b.Text, "\n")
				} else {
					errs += strings.Count(b.Text, "\n")
				}
			case event.Gap:
				t.Fatal(b.Detail)
			case event.Ended:
				end = true
			}
		}
	}
	if displays != 25_000 || out != 250_000 || errs != 500_000 {
		t.Errorf("%d displays, %d lines, %d lines of stderr", displays, out, errs)
	}
}
