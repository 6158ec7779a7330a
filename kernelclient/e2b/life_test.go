package e2b_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// stop stops a context with no time left for it.
func stop(t *testing.T, k *hosttest.Client) {
	t.Helper()
	if err := k.Stop(context.Background(), true); err != nil {
		t.Error(err)
	}
}

func TestSandboxOfOurOwn(t *testing.T) {
	s := server(t)
	h := host(t, s, func(o *e2b.Options) {
		o.Metadata, o.EnvVars, o.Lifetime = map[string]string{"who": "me"}, map[string]string{"K": "V"}, 7*time.Minute
	})
	if list, err := h.Kernels(t.Context()); err != nil || len(list) < 6 || len(s.Boxes()) != 0 {
		t.Errorf("%v %v, %d sandboxes", list, err, len(s.Boxes()))
	}
	if list, err := h.Contexts(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	k := start(t, h)
	k.Do("say a")
	boxes := s.Boxes()
	if len(boxes) != 1 || boxes[0].Metadata["who"] != "me" || boxes[0].EnvVars["K"] != "V" || boxes[0].Lifetime != 7*time.Minute {
		t.Fatalf("%+v", boxes)
	}
	if left := time.Until(k.Info().Expires); left < 6*time.Minute || left > 7*time.Minute {
		t.Errorf("%s are left", left)
	}
	second := start(t, h)
	second.Do("say b")
	stop(t, k)
	if len(s.Boxes()) != 1 {
		t.Error("it was killed under another context")
	}
	stop(t, second)
	if left := s.Boxes(); len(left) != 0 {
		t.Errorf("%+v is left", left)
	}
	if n := len(s.Calls("POST", "/v2/sandboxes")); n != 1 {
		t.Errorf("%d were made", n)
	}
}

func TestSandboxIsKilledOnEveryWayOut(t *testing.T) {
	for name, leave := range map[string]func(*hosttest.Client, *e2b.Host){
		"stop":              func(k *hosttest.Client, _ *e2b.Host) { _ = k.Stop(context.Background(), false) },
		"stop at once":      func(k *hosttest.Client, _ *e2b.Host) { _ = k.Stop(context.Background(), true) },
		"close":             func(k *hosttest.Client, h *e2b.Host) { _ = k.Close(); _ = h.Close() },
		"close of the host": func(_ *hosttest.Client, h *e2b.Host) { _ = h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			h := host(t, s)
			k := start(t, h)
			id := k.Submit("wait")
			on(k, id)
			leave(k, h)
			if left := s.Boxes(); len(left) != 0 {
				t.Errorf("%+v is left", left)
			}
		})
	}
}

func TestKeptSandbox(t *testing.T) {
	s := server(t)
	var told []string
	h := host(t, s, func(o *e2b.Options) { o.Keep, o.Warn = true, func(line string) { told = append(told, line) } })
	k := start(t, h)
	k.Do("say a")
	stop(t, k)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	boxes := s.Boxes()
	if len(boxes) != 1 || len(s.Contexts(boxes[0].ID)) != 2 {
		t.Fatalf("%+v", boxes)
	}
	if len(told) != 1 || !strings.Contains(told[0], "the sandbox "+boxes[0].ID+" is kept until") {
		t.Errorf("told: %q", told)
	}
}

func TestSandboxThatCannotBeKilled(t *testing.T) {
	s := server(t)
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete {
			answer(http.StatusInternalServerError, "application/json", `{"message":"not today"}`)(w)
		}
		return r.Method == http.MethodDelete
	}
	var told []string
	h := host(t, s, func(o *e2b.Options) { o.Warn = func(line string) { told = append(told, line) } })
	c, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "cobol"})
	if c != nil || err == nil {
		t.Errorf("%v %v", c, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "not today; `nbterm e2b kill "+s.Boxes()[0].ID) {
		t.Errorf("told: %q", told)
	}
}

// A sandbox whose making was not answered is found again, and killed.
func TestSandboxWhoseAnswerGotLost(t *testing.T) {
	s := server(t)
	others := s.Add()
	s.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || r.Header.Get("X-Again") != "" {
			return false
		}
		calls := s.Calls("POST", "/v2/sandboxes")
		again, err := http.NewRequestWithContext(r.Context(), http.MethodPost, s.URL+"/v2/sandboxes", strings.NewReader(calls[len(calls)-1].Body))
		if err != nil {
			t.Error(err)
			return false
		}
		again.Header = r.Header.Clone()
		again.Header.Set("X-Again", "1")
		if resp, err := http.DefaultClient.Do(again); err != nil || resp.Body.Close() != nil {
			t.Error(err)
		}
		if n := len(s.Boxes()); n != 2 {
			t.Errorf("%d sandboxes", n)
		}
		panic(http.ErrAbortHandler)
	}
	h := host(t, s)
	if _, err := h.Jupyter(t.Context()); !errors.Is(err, kernelclient.Disconnect) {
		t.Errorf("%v", err)
	}
	if left := s.Boxes(); len(left) != 1 || left[0].ID != others.ID {
		t.Errorf("%+v is left", left)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestSandboxOfSomebodyElse(t *testing.T) {
	s := server(t)
	box := s.Add()
	h := host(t, s, func(o *e2b.Options) { o.Sandbox = box.ID })
	list, err := h.Contexts(t.Context())
	if err != nil || len(list) != 2 || !list[0].Foreign || list[0].Host != "e2b:"+box.ID {
		t.Fatalf("%+v %v", list, err)
	}
	joined, err := h.Attach(t.Context(), list[0].ID)
	k := hosttest.Joined(t, joined, err)
	k.Do("say a")
	stop(t, k)
	mine := start(t, h)
	mine.Do("say b")
	if n := len(s.Contexts(box.ID)); n != 3 {
		t.Errorf("%d contexts", n)
	}
	stop(t, mine)
	if n := len(s.Contexts(box.ID)); n != 2 {
		t.Errorf("%d contexts at the end", n)
	}
	if err := h.Remove(t.Context(), list[1].ID); err != nil || len(s.Contexts(box.ID)) != 1 {
		t.Errorf("%v, %d contexts", err, len(s.Contexts(box.ID)))
	}
	if _, err := h.Attach(t.Context(), "nope"); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("%v", err)
	}
	if err := h.Close(); err != nil || len(s.Boxes()) != 1 {
		t.Errorf("%v, %d sandboxes", err, len(s.Boxes()))
	}
}

func TestSandboxThatIsNoMore(t *testing.T) {
	s := server(t)
	h := host(t, s, func(o *e2b.Options) { o.Sandbox = "inone" })
	if _, err := h.Contexts(t.Context()); !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "inone") {
		t.Errorf("%v", err)
	}
	if len(s.Boxes()) != 0 {
		t.Error("another was made for it")
	}
}

func TestSandboxIsKilledMeanwhile(t *testing.T) {
	for name, f := range map[string]func(*hosttest.Client, func()) event.Ended{
		"while code runs": func(k *hosttest.Client, kill func()) event.Ended {
			id := k.Submit("wait")
			on(k, id)
			kill()
			end, _ := k.Ended(id)
			return end
		},
		"before": func(k *hosttest.Client, kill func()) event.Ended {
			kill()
			end, _ := k.Do("say a")
			return end
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			h := host(t, s)
			k := start(t, h)
			k.Do("say x")
			id, _ := h.Sandbox()
			end := f(k, func() { s.Kill(id) })
			if end.Reason != event.Died || !strings.Contains(end.Detail, "the sandbox "+id+" was killed") {
				t.Errorf("%+v", end)
			}
			if st := k.Info().State; st.State != event.Dead || !strings.Contains(st.Detail, id) {
				t.Errorf("%+v", st)
			}
			if k.Capabilities().Restart {
				t.Error("it says that a restart is of use")
			}
			if _, err := h.Attach(t.Context(), "x"); !errors.Is(err, kernelclient.Killed) {
				t.Errorf("a context call: %v", err)
			}
			if err := k.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if st := state(k, event.Dead); !strings.Contains(st.Detail, "a new sandbox begins empty") || len(s.Boxes()) != 0 {
				t.Errorf("after a restart: %+v, %d sandboxes", st, len(s.Boxes()))
			}
		})
	}
}

func TestSandboxExpires(t *testing.T) {
	s := server(t)
	h := host(t, s, func(o *e2b.Options) { o.Lifetime = time.Second })
	k := start(t, h)
	state(k, event.Idle)
	id, _ := h.Sandbox()
	<-time.After(time.Until(k.Info().Expires))
	s.Kill(id)
	end, _ := k.Do("say a")
	if end.Reason != event.Died || !strings.Contains(end.Detail, "expired: its time was over at") {
		t.Errorf("%+v", end)
	}
	if len(s.Boxes()) != 0 {
		t.Error("another took its place")
	}
}

// A paused sandbox has all it had: it is woken, for as long as its user said.
func TestPausedSandboxIsWoken(t *testing.T) {
	s := server(t)
	box := s.Add()
	h := host(t, s, func(o *e2b.Options) { o.Sandbox, o.Lifetime = box.ID, 9*time.Minute })
	k := start(t, h)
	k.Do("say a")
	s.Pause(box.ID)
	id := k.Submit("say b")
	if st := state(k, event.Reconnecting); !strings.Contains(st.Detail, "paused") {
		t.Errorf("%+v", st)
	}
	if end, events := k.Ended(id); end.Reason != event.Done || !strings.Contains(hosttest.Words(events), "b") || end.Count != 2 {
		t.Errorf("%+v", end)
	}
	if b := s.Boxes()[0]; b.Lifetime != 9*time.Minute || b.State != "running" {
		t.Errorf("%+v", b)
	}
	if left := time.Until(k.Info().Expires); left < 8*time.Minute {
		t.Errorf("%s are left", left)
	}
	s.Pause(box.ID)
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Do("say c"); end.Reason != event.Done || end.Count != 1 {
		t.Errorf("after a restart: %+v", end)
	}
}

// Whoever does not say how long a sandbox is to live does not change that.
func TestSandboxOfUnsaidLifetime(t *testing.T) {
	s := server(t)
	box := s.Add()
	h := host(t, s, func(o *e2b.Options) { o.Sandbox = box.ID })
	k := start(t, h)
	k.Do("say a")
	if calls := s.Calls("POST", "/v2/sandboxes/"); len(calls) != 1 || calls[0].Body != "{}" {
		t.Errorf("%+v", calls)
	}
	if left := time.Until(k.Info().Expires); left < 4*time.Minute || left > 5*time.Minute {
		t.Errorf("%s are left", left)
	}
}

// While its code runs, a sandbox of our own does not run out of time.
func TestOwnSandboxLivesOn(t *testing.T) {
	s := server(t)
	h := host(t, s, func(o *e2b.Options) { o.Lifetime = 2 * time.Second })
	h.Hasten(10*time.Millisecond, 20*time.Millisecond, time.Minute)
	k := start(t, h)
	state(k, event.Idle)
	before := k.Info().Expires
	id := k.Submit("wait")
	on(k, id)
	state(k, event.Busy) // told once more, as the end was put off
	if !k.Info().Expires.After(before) || len(s.Calls("POST", "/sandboxes/")) == 0 {
		t.Errorf("%s, then %s", before, k.Info().Expires)
	}
}

func TestContextTakenUpByAnotherProcess(t *testing.T) {
	s := server(t)
	first := host(t, s, func(o *e2b.Options) { o.Outlive = true })
	k := start(t, first)
	k.Do("say a")
	info := k.Info()
	if info.Host != "e2b:" {
		t.Errorf("host %q", info.Host)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := host(t, s)
	c, err := second.Adopt(t.Context(), kernelclient.Adoption{Info: info})
	again := hosttest.Joined(t, c, err)
	if end, _ := again.Do("say b"); end.Reason != event.Done || end.Count != 2 {
		t.Errorf("%+v", end)
	}
	stop(t, again)
	if left := s.Boxes(); len(left) != 0 {
		t.Errorf("%+v is left", left)
	}
	third := host(t, s)
	c, err = third.Adopt(t.Context(), kernelclient.Adoption{Info: info})
	dead := hosttest.Joined(t, c, err)
	if st := state(dead, event.Dead); !strings.Contains(st.Detail, "there is no sandbox") {
		t.Errorf("%+v", st)
	}
}

func TestNoKey(t *testing.T) {
	s := e2btest.New(t)
	h := host(t, s, func(o *e2b.Options) { o.Env = []string{"E2B_API_URL=" + s.URL} })
	k := start(t, h)
	if st := state(k, event.Dead); !strings.Contains(st.Detail, "E2B_API_KEY") {
		t.Errorf("%+v", st)
	}
}
