package jupyter

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// takenOver is a kernel that runs "a" of session s when its driver comes to it: control
// answers, shell once the run is over, which end brings about.
func takenOver(end func(k *fakeKernel, run Message)) (k *fakeKernel, finish func()) {
	k = newFakeKernel()
	run := Message{Header: Header{ID: "s_a", Type: "execute_request", Session: "s"}}
	var waiting []Message
	over := false
	k.onInfo = func(k *fakeKernel, m Message) {
		if m.Channel == Shell && !over {
			waiting = append(waiting, m)
			return
		}
		k.status(m, "busy")
		k.say(m.Channel, m, "kernel_info_reply", `{"status":"ok","language_info":{"name":"fake"}}`)
		k.status(m, "idle")
	}
	k.onControl = func(k *fakeKernel, _ Message) { // the story's own, in the kernel's goroutine
		over = true
		end(k, run)
		for _, m := range waiting {
			k.info(m)
		}
	}
	finish = func() { k.in.Push(Message{Channel: Control}, 1) }
	return k, finish
}

func TestResume(t *testing.T) {
	for name, c := range map[string]struct {
		seen  Resumed
		early bool // it ends before the driver comes
		end   func(k *fakeKernel, run Message)
		want  kernelclient.Outcome
		line  string // that the driver says
	}{
		"to its end": {
			end:  func(k *fakeKernel, run Message) { k.stream(run, "on"); k.reply(run, "ok"); k.status(run, "idle") },
			want: kernelclient.Outcome{Reason: event.Done}, line: `a:Stream stdout "on"`,
		},
		"reply lost": {
			seen: Resumed{Count: 3},
			end:  func(k *fakeKernel, run Message) { k.stream(run, "on"); k.status(run, "idle") },
			want: kernelclient.Outcome{Reason: event.Done, Count: 3}, line: `a:Stream stdout "on"`,
		},
		"reply lost of a failure": {
			end: func(k *fakeKernel, run Message) {
				k.say(IOPub, run, "error", `{"ename":"E","evalue":"v","traceback":[]}`)
				k.status(run, "idle")
			},
			want: kernelclient.Outcome{Reason: event.Failed}, line: "a:Error E",
		},
		"failed before, all else lost": {
			seen: Resumed{Count: 2, Failure: &event.Error{Name: "E"}},
			end:  func(*fakeKernel, Message) {},
			want: kernelclient.Outcome{Reason: event.Failed, Count: 2},
		},
		"all lost": {
			early: true, end: func(*fakeKernel, Message) {},
			want: kernelclient.Outcome{Reason: event.Lost, Detail: "it ended while nobody listened, so how it ended is not known"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, finish := takenOver(c.end)
				if c.early {
					finish()
				}
				c.seen.Exec = "a"
				d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }},
					DriverOptions{Session: "s", Adopt: true, Resumed: c.seen}).(*driver)
				s := newSink()
				ready, err := d.Open(t.Context(), s)
				if err != nil || ready.Busy == c.early {
					t.Fatal(ready, err)
				}
				if !c.early {
					finish()
				}
				synctest.Wait() // what came before Resume counts as well
				if got := d.Resume(t.Context(), kernelclient.Request{ID: "a"}); got != c.want {
					t.Errorf("it ended %+v", got)
				}
				if !strings.Contains(s.story(), c.line) {
					t.Errorf("no %s in\n%s", c.line, s.story())
				}
				if got := d.Run(t.Context(), kernelclient.Request{ID: "b", Code: "x"}); got.Reason != event.Done {
					t.Errorf("the next run ended %+v", got)
				}
				if err := d.Close(context.Background(), true); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A driver that is let go while its kernel is still silent leaves it alone.
func TestLetGoOfWhatIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		k.onInfo = func(*fakeKernel, Message) {}
		stopped := false
		k.onStop = func(context.Context) { stopped = true; k.die() }
		d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }}, DriverOptions{Adopt: true})
		opened := make(chan error)
		go func() { _, err := d.Open(context.Background(), newSink()); opened <- err }()
		synctest.Wait()
		if err := d.Close(context.Background(), false); err != nil {
			t.Error(err)
		}
		if <-opened == nil || stopped {
			t.Errorf("stopped %v", stopped)
		}
		k.die()
		k.wg.Wait()
	})
}

// A kernel that overlooks a question is asked again.
func TestResumeAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, finish := takenOver(func(*fakeKernel, Message) {})
		finish()
		answer, overlooked := k.onInfo, 0
		k.onInfo = func(k *fakeKernel, m Message) {
			if m.Channel == Shell && overlooked < 3 {
				overlooked++
				return
			}
			answer(k, m)
		}
		d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }},
			DriverOptions{Session: "s", Adopt: true, Resumed: Resumed{Exec: "a"}})
		if _, err := d.Open(t.Context(), newSink()); err != nil {
			t.Fatal(err)
		}
		if got := d.(*driver).Resume(t.Context(), kernelclient.Request{ID: "a"}); got.Reason != event.Lost {
			t.Errorf("it ended %+v", got)
		}
		if err := d.Close(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}
