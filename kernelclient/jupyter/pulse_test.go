package jupyter

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// beating is a fakeKernel with a heartbeat.
type beating struct {
	*fakeKernel
	stopped atomic.Bool
}

func (k *beating) Beat(ctx context.Context) error {
	if !k.stopped.Load() {
		return nil
	}
	<-ctx.Done()
	return &kernelclient.Error{Kind: kernelclient.NoAnswer, What: "no beat"}
}

// A kernel that stops during a run is said not to respond, and taken back when it goes on.
func TestNotResponding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &beating{fakeKernel: newFakeKernel()}
		var run Message
		k.onExecute = func(f *fakeKernel, m Message) { run = m; f.status(m, "busy"); f.input(m) }
		k.onControl = func(f *fakeKernel, _ Message) { f.reply(run, "ok"); f.status(run, "idle") } // the story's own
		d := NewDriver(launchBeating{k}, DriverOptions{}).(*driver)
		s := newSink()
		if _, err := d.Open(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		out := behind(d, "a")
		time.Sleep(10 * time.Second)
		if strings.Contains(s.story(), "not responding") {
			t.Error("a kernel that computes is said not to respond:\n" + s.story())
		}
		k.stopped.Store(true)
		time.Sleep(10 * time.Second)
		if n := strings.Count(s.story(), ":State not responding"); n != 1 {
			t.Errorf("said %d times:\n%s", n, s.story())
		}
		k.stopped.Store(false)
		time.Sleep(10 * time.Second)
		k.stopped.Store(true)
		time.Sleep(10 * time.Second)
		k.in.Push(Message{Channel: Control}, 1)
		if got := <-out; got.Reason != event.Done {
			t.Errorf("it ended %+v", got)
		}
		story := strings.TrimSpace(s.story())
		if strings.Count(story, ":State not responding ") != 2 || !strings.HasSuffix(story, ":State busy \n:State idle") {
			t.Error(story)
		}
		if err := d.Close(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

type launchBeating struct{ k *beating }

func (l launchBeating) Retries() int                                { return 0 }
func (l launchBeating) Launch(context.Context, int) (Kernel, error) { return l.k, nil }
