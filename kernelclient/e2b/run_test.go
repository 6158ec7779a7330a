package e2b_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// What a capture ends as. All that are not named here end well.
var failing = map[string]event.Reason{
	"bash_error": event.Failed, "bash_stderr_exit": event.Failed, "error_name": event.Failed, "error_value_multiline": event.Failed,
	"system_exit": event.Failed, "after_restart": event.Failed, "js_error": event.Failed, "python_env_quote_injection": event.Failed, "python_env_traceback_shift": event.Failed,
	"kernel_died": event.Died, "poison_message": event.Lost, "restart_while_running": event.Lost, "delete_while_running": event.Lost,
	"jupyter_lost_while_running": event.Lost, "after_disconnect_immediate_hang": event.Lost, "after_poison_hang": event.Lost,
}

func TestCapturesAsEvents(t *testing.T) {
	files, _ := filepath.Glob("wire/testdata/*.ndjson")
	s := server(t)
	h := host(t, s)
	k := start(t, h)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ndjson")
		want := event.Done
		if r, ok := failing[name]; ok {
			want = r
		}
		whole, events := k.Do("capture " + name)
		if whole.Reason != want {
			t.Errorf("%s ended %+v: %s", name, whole, hosttest.Words(events))
		}
		if want == event.Died {
			if err := k.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		cut, again := k.Do("bytes " + name)
		if cut.Reason != whole.Reason || hosttest.Words(again) != hosttest.Words(events) {
			t.Errorf("%s byte by byte: %+v %s", name, cut, hosttest.Words(again))
		}
		if want == event.Died {
			if err := k.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatCapturesSay(t *testing.T) {
	k := start(t, host(t, server(t)))
	for name, want := range map[string]string{
		"print":                "stdout:hello\n",
		"order_mixed":          "stdout:0\n1\n2\n|stderr:e\n|display:d|result:r",
		"unicode_stdout":       "",
		"keepalive":            "",
		"bash_error":           "",
		"semicolon_suppressed": "",
		"error_name":           "",
	} {
		end, events := k.Do("capture " + name)
		if got := hosttest.Words(events); want != "" && got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if end.Count == 0 {
			t.Errorf("%s has no count: %+v", name, end)
		}
	}
	_, events := k.Do("capture print")
	for _, e := range events {
		if _, ok := e.Body.(event.Stream); ok && !e.Time.Equal(time.Date(2026, 11, 30, 11, 23, 1, 76978000, time.UTC)) {
			t.Errorf("the text was put out at %s", e.Time)
		}
	}
	_, events = k.Do("capture chart_line")
	for _, e := range events {
		if d, ok := e.Body.(event.Display); ok {
			chart, ok := wire.ParseChart(d.Data.Get("application/vnd.e2b.chart+json"))
			if !ok || chart.Type != wire.LineChart || d.Data.Get("image/png") == nil {
				t.Errorf("%v", chart)
			}
		}
	}
	end, _ := k.Do("capture jupyter_lost_while_running")
	if !strings.Contains(end.Detail, "closed before the execution was finished, because of WebSocketError: The connections was lost") {
		t.Errorf("%+v", end)
	}
}

// What is not known is kept, and what is no output makes none.
func TestUnknownLinesAndKeepalives(t *testing.T) {
	k := start(t, host(t, server(t)))
	lines := []string{
		`{"type": "keepalive"}`, `{"type": "number_of_executions", "execution_count": 1}`, `{"type": "keepalive"}`, ``,
		`{"type": "stdout", "text": "tick\n"}`, `{"type": "progress", "n": 3}`, `{"type": "stdout", "text": "tick\n", "timestamp": "?"}`,
		`{"type": "result", "text": "4", "is_main_result": true}`, `{"type": "keepalive"}`, `{"type": "end_of_execution"}`,
	}
	end, events := k.Do("raw " + strings.Join(lines, "\n"))
	if got := hosttest.Words(events); end.Reason != event.Done || end.Count != 1 || got != "stdout:tick\ntick\n|result:4" {
		t.Errorf("%+v %q", end, got)
	}
	if !slices.ContainsFunc(events, func(e event.Event) bool { u, ok := e.Body.(event.Unknown); return ok && u.Type == "progress" }) {
		t.Error("the unknown line is gone")
	}
}

// Every request routes and allows itself as the SDKs' do.
func TestHeadersOnEveryCall(t *testing.T) {
	s := server(t)
	s.Traffic = "traffic-5ec4e7"
	h := host(t, s)
	k := start(t, h, func(spec *kernelclient.StartSpec) { spec.Dir, spec.Env = "/tmp/x y", []string{"A=b=c"} })
	k.Do("say a")
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Do("say b")
	if _, err := h.Contexts(t.Context()); err != nil {
		t.Error(err)
	}
	id, made := h.Sandbox()
	if !made || id == "" {
		t.Errorf("%q %v", id, made)
	}
	calls := slices.Concat(s.Calls("POST", "/contexts"), s.Calls("GET", "/contexts"), s.Calls("POST", "/execute"), s.Calls("DELETE", "/contexts"))
	if len(calls) < 6 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		want := ""
		if c.Path == "/execute" {
			want = "access-" + id
		}
		if c.Header.Get("E2b-Sandbox-Id") != id || c.Header.Get("E2b-Sandbox-Port") != "49999" || c.Header.Get("E2B-Traffic-Access-Token") != s.Traffic ||
			c.Header.Get("X-Access-Token") != want || c.Header.Get("Content-Type") != "application/json" || c.Header.Get("Accept-Encoding") != "" {
			t.Errorf("%s %s: %v", c.Method, c.Path, c.Header)
		}
	}
	if got := s.Calls("POST", "/contexts")[0].Body; got != `{"cwd":"/tmp/x y","language":"python"}` {
		t.Error(got)
	}
	if got := s.Calls("POST", "/execute")[0].Body; !strings.Contains(got, `"env_vars":{"A":"b=c"}`) || strings.Contains(got, "language") {
		t.Error(got)
	}
}

func TestOneOfContextAndLanguage(t *testing.T) {
	s := server(t)
	c := e2b.NewClient(e2b.Options{URL: s.URL})
	defer c.Close()
	_, err := c.Execute(t.Context(), wire.Execution{Code: "1", ContextID: "a", Language: "python"})
	if !errors.Is(err, kernelclient.Invalid) || len(s.Calls("POST", "/execute")) != 0 {
		t.Errorf("%v after %d calls", err, len(s.Calls("POST", "/execute")))
	}
}

func TestEnvThatCannotBePassedOn(t *testing.T) {
	h := host(t, server(t))
	for _, c := range []struct{ kernel, kv string }{{"python", "K=a'b"}, {"bash", `K=a\b`}, {"r", `K=a"b`}, {"python", "K=a\nb"}} {
		if _, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: c.kernel, Env: []string{c.kv}}); !errors.Is(err, kernelclient.Invalid) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestInterruptClosesTheStream(t *testing.T) {
	s := server(t)
	k := start(t, host(t, s))
	id := k.Submit("wait")
	on(k, id)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted || end.Count != 1 {
		t.Errorf("%+v", end)
	}
	if end, events := k.Do("say next"); end.Reason != event.Done || hosttest.Words(events) != "stdout:next" {
		t.Errorf("%+v %s", end, hosttest.Words(events))
	}
	select {
	case code := <-s.Left():
		if code != "wait" {
			t.Errorf("the client of %q went away", code)
		}
	case <-time.After(time.Minute):
		t.Error("the server saw nobody go away")
	}
}

// After a run was ended from here, the kernel throws code away and nobody says so. The
// user's code is handed over only once a piece that does nothing has come through.
func TestNothingIsThrownAwayAfterAnInterrupt(t *testing.T) {
	s := server(t)
	thrown, usual := 0, s.Run
	s.Run = func(x wire.Execution) e2btest.Script {
		if x.Code != "" || thrown == 2 {
			return usual(x)
		}
		thrown++
		if thrown == 2 {
			return func(st *e2btest.Stream) {
				st.Send(wire.Error{Name: wire.ExecutionAborted, Value: wire.AbortedValue}, wire.End{})
			}
		}
		return func(st *e2btest.Stream) { st.Send(wire.Keepalive{}); <-st.Gone() }
	}
	k := start(t, host(t, s))
	id := k.Submit("wait")
	on(k, id)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Ended(id)
	if end, events := k.Do("say once"); end.Reason != event.Done || hosttest.Words(events) != "stdout:once" {
		t.Errorf("%+v %s", end, hosttest.Words(events))
	}
	k.Do("say twice")
	var codes []string
	for _, c := range s.Calls("POST", "/execute") {
		code, _, _ := strings.Cut(strings.TrimPrefix(c.Body, `{"code":"`), `"`)
		codes = append(codes, code)
	}
	if want := []string{"wait", "", "", "", "say once", "say twice"}; !slices.Equal(codes, want) {
		t.Errorf("%q", codes)
	}
}

func TestKernelThatNeverRests(t *testing.T) {
	s := server(t)
	usual := s.Run
	s.Run = func(x wire.Execution) e2btest.Script {
		if x.Code != "" {
			return usual(x)
		}
		return func(st *e2btest.Stream) { st.Send(wire.Keepalive{}); <-st.Gone() }
	}
	k := start(t, host(t, s))
	id := k.Submit("wait")
	on(k, id)
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Ended(id)
	end, _ := k.Do("say never")
	if end.Reason != event.Lost || !strings.Contains(end.Detail, "restart it") {
		t.Errorf("%+v", end)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Do("say again"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
}

func TestRunTakesTooLong(t *testing.T) {
	k := start(t, host(t, server(t)))
	id := k.Submit("wait", func(r *kernelclient.Request) { r.Timeout = 50 * time.Millisecond })
	if end, _ := k.Ended(id); end.Reason != event.TimedOut || !strings.Contains(end.Detail, "--timeout") {
		t.Errorf("%+v", end)
	}
}

func TestRestartWhileItRuns(t *testing.T) {
	s := server(t)
	k := start(t, host(t, s))
	id := k.Submit("wait")
	on(k, id)
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Restarted {
		t.Errorf("%+v", end)
	}
	if end, _ := k.Do("say a"); end.Reason != event.Done || end.Count != 1 {
		t.Errorf("%+v", end)
	}
	if n := len(s.Calls("POST", "/contexts/")); n != 1 {
		t.Errorf("%d restarts", n)
	}
}

// The interpreter's own restart forgets the folder, so a context with one is made anew.
func TestRestartKeepsTheFolder(t *testing.T) {
	s := server(t)
	h := host(t, s)
	k := start(t, h, func(spec *kernelclient.StartSpec) { spec.Dir = "/tmp" })
	state(k, event.Idle)
	before := k.Info().Remote
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Do("say a"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
	id, _ := h.Sandbox()
	last := s.Contexts(id)[len(s.Contexts(id))-1]
	if k.Info().Remote == before || last.Cwd != "/tmp" || len(s.Contexts(id)) != 3 {
		t.Errorf("%s, then %s among %v", before, k.Info().Remote, s.Contexts(id))
	}
}

func TestCellOfAnotherLanguage(t *testing.T) {
	s := server(t)
	h := host(t, s)
	k := start(t, h)
	bash := func(r *kernelclient.Request) { r.Language = "bash" }
	for range 2 {
		if end, events := k.Ended(k.Submit("say b", bash)); end.Reason != event.Done || hosttest.Words(events) != "stdout:b" {
			t.Errorf("%+v", end)
		}
	}
	if end, events := k.Ended(k.Submit("1", func(r *kernelclient.Request) { r.Language = "cobol" })); end.Reason != event.Failed || !strings.Contains(hosttest.Words(events), "'cobol' kernel is not available") {
		t.Errorf("%+v %s", end, hosttest.Words(events))
	}
	if end, _ := k.Do("say p"); end.Reason != event.Done || end.Count != 1 {
		t.Errorf("%+v", end)
	}
	id, _ := h.Sandbox()
	if n := len(s.Contexts(id)); n != 4 {
		t.Errorf("%d contexts", n)
	}
}

func TestUnknownLanguage(t *testing.T) {
	s := server(t)
	h := host(t, s)
	_, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "cobol"})
	if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "cobol") {
		t.Errorf("%v", err)
	}
	if left := s.Boxes(); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// Two contexts run side by side.
func TestTwoContextsAtOnce(t *testing.T) {
	h := host(t, server(t))
	a, b := start(t, h), start(t, h)
	x := a.Submit("wait")
	on(a, x)
	if end, _ := b.Do("say b"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
	list, err := h.Contexts(t.Context())
	if err != nil || len(list) != 4 {
		t.Fatalf("%v %v", list, err)
	}
	own := map[kernelclient.ContextID]bool{}
	for _, i := range list {
		own[i.ID] = !i.Foreign
	}
	if !own[a.Info().ID] || !own[b.Info().ID] {
		t.Errorf("%v", list)
	}
	joined, err := h.Attach(context.Background(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := hosttest.Joined(t, joined, nil).Do("say c"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
}
