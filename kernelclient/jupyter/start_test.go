package jupyter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

func TestReadyNeedsIOPub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		n := 0
		k.onInfo = func(k *fakeKernel, m Message) {
			if n++; n == 4 { // only now has the subscription arrived
				k.info(m)
				return
			}
			k.say(Shell, m, "kernel_info_reply", `{"language_info":{"name":"fake"}}`)
		}
		d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }}, DriverOptions{})
		began := time.Now()
		ready, err := d.Open(t.Context(), newSink())
		if err != nil || ready.Language.Get("name").Str() != "fake" || ready.PID != 4711 || !ready.Capabilities.Stdin {
			t.Errorf("%+v %v", ready, err)
		}
		if waited := time.Since(began); waited != 3*helloAgain {
			t.Errorf("it took %s", waited)
		}
		d.Close(context.Background(), true)
	})
}

func TestStartIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		retries, launches int
		ok                bool
	}{"often enough": {2, 3, true}, "in vain": {1, 2, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				launches, s := 0, newSink()
				d := NewDriver(&fakeLauncher{retries: c.retries, next: func(retry int) (*fakeKernel, error) {
					if retry != launches {
						t.Errorf("launch %d has retry %d", launches, retry)
					}
					k := newFakeKernel()
					if launches++; launches < 3 {
						k.onInfo = func(k *fakeKernel, m Message) { go k.die() }
					}
					return k, nil
				}}, DriverOptions{})
				_, err := d.Open(t.Context(), s)
				if (err == nil) != c.ok || err != nil && !errors.Is(err, kernelclient.Killed) || launches != c.launches {
					t.Errorf("%d launches, %v", launches, err)
				}
				expect(t, s, "") // a failed start is Open's error and no event
				d.Close(context.Background(), true)
			})
		})
	}
}

func TestStartThatIsNeverReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		k.onInfo = func(*fakeKernel, Message) {}
		d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }}, DriverOptions{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := d.Open(ctx, newSink())
		var timeout *kernelclient.TimeoutError
		if !errors.As(err, &timeout) || timeout.Limit != time.Minute || timeout.Clock != kernelclient.Starting {
			t.Errorf("%v", err)
		}
		select {
		case <-k.died:
		default:
			t.Error("the kernel was left behind")
		}
		d.Close(context.Background(), true)
	})
}

func TestCloseWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		k.onInfo = func(*fakeKernel, Message) {}
		d := NewDriver(&fakeLauncher{retries: 5, next: func(int) (*fakeKernel, error) { return k, nil }}, DriverOptions{})
		opened := make(chan error, 1)
		go func() { _, err := d.Open(context.Background(), newSink()); opened <- err }()
		synctest.Wait()
		if err := d.Close(context.Background(), true); err != nil {
			t.Error(err)
		}
		if err := <-opened; !errors.Is(err, kernelclient.Gone) {
			t.Errorf("Open: %v", err)
		}
		if _, err := d.Restart(context.Background()); !errors.Is(err, kernelclient.Gone) {
			t.Errorf("Restart: %v", err)
		}
	})
}

func TestMissingProgram(t *testing.T) {
	missing := errors.New("no such program")
	d := NewDriver(&fakeLauncher{retries: 3, next: func(retry int) (*fakeKernel, error) {
		if retry > 0 {
			t.Error("it was tried again")
		}
		return nil, missing
	}}, DriverOptions{})
	if _, err := d.Open(t.Context(), newSink()); !errors.Is(err, missing) {
		t.Error(err)
	}
	d.Close(t.Context(), true)
}

// What a kernel is prepared with runs before anybody's code, in silence, for each generation.
func TestPrepare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran []string
		status := "ok"
		l := &fakeLauncher{next: func(int) (*fakeKernel, error) {
			k := newFakeKernel()
			k.onExecute = func(k *fakeKernel, m Message) {
				ran = append(ran, m.Content.Get("code").Str())
				if !m.Content.Get("silent").True() {
					t.Error("it is not silent")
				}
				k.reply(m, status)
			}
			return k, nil
		}}
		s := newSink()
		d := NewDriver(l, DriverOptions{Prepare: func(language string) (string, error) { return "set up " + language, nil }})
		if _, err := d.Open(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		status = "error"
		if _, err := d.Restart(t.Context()); err == nil || !strings.Contains(err.Error(), "could not be set up: E: v") {
			t.Errorf("a start that fails: %v", err)
		}
		if got := strings.Join(ran, ", "); got != "set up fake, set up fake" {
			t.Errorf("it ran %q", got)
		}
		if err := d.Close(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}
