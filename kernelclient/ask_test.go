package kernelclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// completer answers with the code itself, once gate is closed.
func completer(gate <-chan struct{}) func(context.Context, string, int) (kernelclient.Completion, error) {
	return func(ctx context.Context, code string, cursor int) (kernelclient.Completion, error) {
		select {
		case <-gate:
			return kernelclient.Completion{End: cursor, Matches: []kernelclient.Match{{Text: code}}}, nil
		case <-ctx.Done():
			return kernelclient.Completion{}, ctx.Err()
		}
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestAskLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, &hosttest.Fake{Completer: completer(closed())})
		synctest.Wait()
		if caps := l.Capabilities(); !caps.Complete || caps.Inspect {
			t.Errorf("%+v", caps)
		}
		c, err := l.Ask().Complete(t.Context(), "abc", 2)
		if err != nil || c.End != 2 || c.Matches[0].Text != "abc" {
			t.Errorf("%+v %v", c, err)
		}
		submit(t, l, kernelclient.Request{ID: "x"})
		got := story(read(t, l, ended("x")))
		if want := "starting 1\nidle 1\nx:Queued\nx:Accepted\nbusy 1\nx:Started\nidle 1\nx:done\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

func TestNobodyToAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, &hosttest.Fake{})
		synctest.Wait()
		if l.Ask() != nil {
			t.Error("it can be asked")
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

func TestAskABusyKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		l := open(t, &hosttest.Fake{
			Completer: completer(closed()),
			Script: func(context.Context, *hosttest.Fake, kernelclient.Request) kernelclient.Outcome {
				<-gate
				return kernelclient.Outcome{Reason: event.Done}
			},
		})
		submit(t, l, kernelclient.Request{ID: "x"})
		synctest.Wait()
		began := time.Now()
		ask := l.Ask()
		_, err1 := ask.Complete(t.Context(), "x", 1)
		_, err2 := ask.Inspect(t.Context(), "x", 1, 0)
		_, err3 := ask.IsComplete(t.Context(), "x")
		_, err4 := ask.History(t.Context(), kernelclient.HistoryQuery{})
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, kernelclient.ErrBusy) {
				t.Error(err)
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("it took %s to say so", time.Since(began))
		}
		close(gate)
		synctest.Wait()
		if _, err := ask.Complete(t.Context(), "x", 1); err != nil {
			t.Error("after the run:", err)
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

func TestAskAKernelThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, &hosttest.Fake{Completer: completer(nil)},
			kernelclient.LogOptions{AskTimeout: 3 * time.Second})
		synctest.Wait()
		began := time.Now()
		_, err := l.Ask().Complete(t.Context(), "x", 1)
		if waited := time.Since(began); !errors.Is(err, kernelclient.NoAnswer) || waited != 3*time.Second {
			t.Errorf("%v after %s", err, waited)
		}
		if err == nil || !strings.Contains(err.Error(), "did not answer the completion within 3s") {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the asker's own limit
		defer cancel()
		if _, err := l.Ask().Complete(ctx, "x", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

func TestAskAKernelThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hosttest.Fake{Completer: completer(nil)}
		l := open(t, f)
		synctest.Wait()
		ask := l.Ask()
		failed := make(chan error, 1)
		f.Die("killed")
		if _, err := ask.Complete(t.Context(), "x", 1); !errors.Is(err, kernelclient.Gone) || !strings.Contains(err.Error(), "restart it") {
			t.Error(err)
		}
		if err := l.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		go func() { _, err := ask.Complete(t.Context(), "x", 1); failed <- err }()
		synctest.Wait()
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
		if err := <-failed; !errors.Is(err, kernelclient.Gone) {
			t.Error("stopped meanwhile:", err)
		}
	})
}

func TestAskAKernelThatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hosttest.Fake{Completer: completer(closed()), Hold: make(chan struct{})}
		l := open(t, f)
		synctest.Wait()
		if l.Ask() != nil {
			t.Error("it can be asked already")
		}
		close(f.Hold)
		synctest.Wait()
		if _, err := l.Ask().Complete(t.Context(), "x", 1); err != nil {
			t.Error(err)
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

func TestAskForTheFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		f := &hosttest.Fake{
			Completer:     completer(closed()),
			WorkingFolder: func(context.Context) (string, error) { return "/far\xff", nil },
			Script: func(context.Context, *hosttest.Fake, kernelclient.Request) kernelclient.Outcome {
				<-gate
				return kernelclient.Outcome{Reason: event.Done}
			},
		}
		l := open(t, f)
		synctest.Wait()
		if dir, err := kernelclient.FolderOf(t.Context(), l.Ask()); err != nil || dir != "/far\xff" {
			t.Errorf("%q %v", dir, err)
		}
		submit(t, l, kernelclient.Request{ID: "x"})
		synctest.Wait()
		if dir, err := kernelclient.FolderOf(t.Context(), l.Ask()); !errors.Is(err, kernelclient.ErrBusy) {
			t.Errorf("while code runs: %q %v", dir, err)
		}
		close(gate)
		got := story(read(t, l, ended("x")))
		if want := "starting 1\nidle 1\nx:Queued\nx:Accepted\nbusy 1\nx:Started\nidle 1\nx:done\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if err := l.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}
