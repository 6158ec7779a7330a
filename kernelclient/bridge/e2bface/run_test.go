package e2bface

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// rig is a face on kernels in memory, which do what the code says: "sleep 11s", "stubborn
// 60s" (which no interrupt ends), "die", "lose"; anything else they print.
type rig struct {
	t    *testing.T
	face *Face
	log  *bytes.Buffer

	mu    sync.Mutex // guards all below
	codes []string   // what ran, in order; silent code in brackets
	specs []kernelclient.StartSpec
}

const rigToken = "e2b_5ec4e70123456789"

// newRig makes a face for a bubble of synctest; done ends it.
func newRig(t *testing.T, edit func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, log: &bytes.Buffer{}}
	host := &hosttest.Host{List: []kernelclient.Kernel{{Name: "r", Language: "r"}, {Name: "python3", Language: "python"}}}
	host.Drive = func(spec kernelclient.StartSpec) kernelclient.Driver {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.specs = append(r.specs, spec)
		return &hosttest.Fake{Script: r.script}
	}
	opt := Options{Host: host, Root: t.TempDir(), Sandboxes: t.TempDir(), Token: rigToken, Log: slog.New(slog.NewTextHandler(r.log, nil))}
	if edit != nil {
		edit(&opt)
	}
	face, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	r.face = face
	synctest.Wait()
	return r
}

func (r *rig) done() { r.face.Close(r.t.Context()) }

func (r *rig) script(_ context.Context, f *hosttest.Fake, q kernelclient.Request) kernelclient.Outcome {
	code := q.Code
	r.mu.Lock()
	if q.Silent {
		r.codes = append(r.codes, "["+code+"]")
		r.mu.Unlock()
		return kernelclient.Outcome{Reason: event.Done}
	}
	r.codes = append(r.codes, code)
	r.mu.Unlock()
	verb, arg, _ := strings.Cut(code, " ")
	pause, _ := time.ParseDuration(arg)
	switch verb {
	case "sleep":
		select {
		case <-time.After(pause):
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		case <-f.Gone():
			return kernelclient.Outcome{Reason: event.Restarted}
		}
	case "stubborn":
		time.Sleep(pause)
	case "die", "lose":
		f.Die("signal 9")
		if verb == "lose" {
			return kernelclient.Outcome{Reason: event.Lost}
		}
		return kernelclient.Outcome{Reason: event.Died}
	}
	f.Sink().Emit(q.ID, event.Stream{Name: "stdout", Text: code + "\n"})
	return kernelclient.Outcome{Reason: event.Done}
}

// ran is what ran, without the code that a Python begins with.
func (r *rig) ran() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.codes)
}

// call sends one request and waits for its answer.
func (r *rig) call(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	return r.callIn(r.t.Context(), method, path, body, headers...)
}

func (r *rig) callIn(ctx context.Context, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	q := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	q.Header.Set("Authorization", "Bearer "+rigToken)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.face.ServeHTTP(w, q)
	return w
}

// context makes a context of the language r, which has no code of ours to begin with.
func (r *rig) context() string {
	r.t.Helper()
	var made struct{ ID string }
	w := r.call("POST", "/contexts", `{"language": "r"}`)
	if json.Unmarshal(w.Body.Bytes(), &made) != nil || made.ID == "" {
		r.t.Fatal(w.Body)
	}
	return made.ID
}

func runBody(id, code string) string { return `{"context_id": "` + id + `", "code": "` + code + `"}` }

// run runs code and returns its lines in short.
func (r *rig) run(id, code string) string {
	r.t.Helper()
	return short(r.call("POST", "/execute", runBody(id, code)))
}

// begin runs code for a client that may leave, and returns its lines once it is over.
func (r *rig) begin(id, code string) (leave context.CancelFunc, lines func() string) {
	ctx, cancel := context.WithCancel(r.t.Context())
	var w *httptest.ResponseRecorder
	over := make(chan struct{})
	go func() { // who calls lines waits for it
		defer close(over)
		w = r.callIn(ctx, "POST", "/execute", runBody(id, code))
	}()
	synctest.Wait()
	return cancel, func() string { <-over; cancel(); return short(w) }
}

var (
	lineType = regexp.MustCompile(`^\{"type": "([a-z_]+)"`)
	lineText = regexp.MustCompile(`"(?:text|name)": "([^"]*)"`)
)

// short is a stream in short: "count out:hello\n end".
func short(w *httptest.ResponseRecorder) string {
	var words []string
	for line := range strings.Lines(w.Body.String()) {
		word := cmp.Or(map[string]string{
			"number_of_executions": "count", "end_of_execution": "end", "stdout": "out", "stderr": "err",
		}[lineType.FindStringSubmatch(line)[1]], lineType.FindStringSubmatch(line)[1])
		if text := lineText.FindStringSubmatch(line); text != nil {
			word += ":" + strings.TrimSuffix(text[1], `\n`)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, not %q", what, got, want)
	}
}

// TestKeepalive sees that a stream says that it is alive after each five seconds of silence.
func TestKeepalive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		id := r.context()
		want(t, "4 s", r.run(id, "sleep 4s"), "count out:sleep 4s end")
		want(t, "11 s", r.run(id, "sleep 11s"), "count keepalive keepalive out:sleep 11s end")
	})
}

// watched is an answer that a test may look at while it is written.
type watched struct {
	mu  sync.Mutex
	own *httptest.ResponseRecorder // guarded by mu until the answer is whole
}

func (w *watched) Header() http.Header { return w.own.Header() }

func (w *watched) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.own.WriteHeader(status)
}

func (w *watched) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own.Write(text)
}

// Flush implements http.Flusher.
func (w *watched) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.own.Flush()
}

// state tells whether the header is out, and how much of the body.
func (w *watched) state() (flushed bool, written int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own.Flushed, w.own.Body.Len()
}

// TestTurns has executions of one context run in the order they came, and say nothing but
// their header before: no keepalive either.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		id, other := r.context(), r.context()
		_, first := r.begin(id, "sleep 12s")
		w := &watched{own: httptest.NewRecorder()}
		q := httptest.NewRequestWithContext(t.Context(), "POST", "/execute", strings.NewReader(runBody(id, "second")))
		q.Header.Set("Authorization", "Bearer "+rigToken)
		second := make(chan struct{})
		go func() { // it is waited for
			defer close(second)
			r.face.ServeHTTP(w, q)
		}()
		synctest.Wait()
		_, third := r.begin(id, "third")
		time.Sleep(11 * time.Second)
		if flushed, written := w.state(); !flushed || written != 0 {
			t.Errorf("while it waits: %v, %d bytes", flushed, written)
		}
		want(t, "another context", r.run(other, "at once"), "count out:at once end")
		want(t, "first", first(), "count keepalive keepalive out:sleep 12s end")
		<-second
		want(t, "second", short(w.own), "count out:second end")
		want(t, "third", third(), "count out:third end")
		if got := r.ran(); !slices.Equal(got, []string{"sleep 12s", "at once", "second", "third"}) {
			t.Error(got)
		}
	})
}

// TestClientLeaves sees that its code was interrupted, its variables undone, and the next
// code wait for that. Who leaves while waiting changes nothing.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		id := r.context()
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() { // it is waited for
			defer close(gone)
			r.callIn(ctx, "POST", "/execute", `{"context_id": "`+id+`", "code": "sleep 1h", "env_vars": {"K": "v"}}`)
		}()
		synctest.Wait()
		leaveWaiting, waiting := r.begin(id, "never")
		leaveWaiting()
		want(t, "who left while waiting", waiting(), "")
		leave()
		<-gone
		want(t, "next", r.run(id, "next"), "count out:next end")
		got := r.ran()
		if len(got) != 4 || !strings.Contains(got[0], "Sys.setenv") || got[1] != "sleep 1h" || !strings.Contains(got[2], "Sys.unsetenv") || got[3] != "next" {
			t.Errorf("%q", got)
		}
	})
}

// early is a kernel that the first interrupt reaches before it has begun.
type early struct {
	*hosttest.Fake
	interrupts atomic.Int32
}

// Interrupt implements kernelclient.Driver.
func (e *early) Interrupt(ctx context.Context) error {
	if e.interrupts.Add(1) == 1 {
		return nil
	}
	return e.Fake.Interrupt(ctx)
}

// TestLostInterrupt has the first interrupt come before the kernel can heed it.
func TestLostInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(opt *Options) {
			host := opt.Host.(*hosttest.Host)
			drive := host.Drive
			host.Drive = func(spec kernelclient.StartSpec) kernelclient.Driver {
				return &early{Fake: drive(spec).(*hosttest.Fake)}
			}
		})
		defer r.done()
		id := r.context()
		leave, first := r.begin(id, "sleep 1h")
		leave()
		first()
		began := time.Now()
		want(t, "the next", r.run(id, "next"), "count out:next end")
		if took := time.Since(began); took > settling/2 {
			t.Errorf("it waited %s", took)
		}
	})
}

// TestStubbornCode ignores its interrupt: after a while the next code waits for it in the
// kernel's queue with keepalives, and leaves the queue with its own client.
func TestStubbornCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		id := r.context()
		leave, first := r.begin(id, "stubborn 60s")
		leave()
		first()
		time.Sleep(settling + time.Second)
		leave, second := r.begin(id, "never")
		time.Sleep(6 * time.Second)
		leave()
		want(t, "it waits in the kernel's queue", second(), "keepalive")
		want(t, "the next", r.run(id, "next"), strings.Repeat("keepalive ", 7)+"count out:next end")
		if got := r.ran(); !slices.Equal(got, []string{"stubborn 60s", "next"}) {
			t.Error(got)
		}
	})
}

// TestKernelGoes sees its death told and another kernel in its place, and the same for one
// that the way to was lost.
func TestKernelGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		id := r.context()
		want(t, "death", r.run(id, "die"), "count error:ContextRestarting end")
		want(t, "after it", r.run(id, "next"), "count out:next end")
		want(t, "loss", r.run(id, "lose"), "count error:WebSocketError error:UnexpectedEndOfExecution end")
		want(t, "after it", r.run(id, "next"), "count out:next end")
	})
}

// TestTakenAway restarts, and removes, a context that runs code, and has more waiting.
func TestTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		const lost = "count error:WebSocketError error:UnexpectedEndOfExecution end"
		id := r.context()
		_, first := r.begin(id, "sleep 1h")
		_, second := r.begin(id, "second")
		if w := r.call("POST", "/contexts/"+id+"/restart", ""); w.Body.String() != "null" {
			t.Error(w.Body)
		}
		want(t, "restarted", first(), lost)
		want(t, "what waited", second(), "count out:second end")
		_, first = r.begin(id, "sleep 1h")
		_, second = r.begin(id, "second")
		if w := r.call("DELETE", "/contexts/"+id, ""); w.Body.String() != "null" {
			t.Error(w.Body)
		}
		want(t, "removed", first(), lost)
		want(t, "what waited", second(), strings.TrimPrefix(lost, "count "))
		if w := r.call("DELETE", "/contexts/"+id, ""); w.Code != http.StatusNotFound {
			t.Error(w.Code)
		}
	})
}

// TestNoSuchFolder tells of it in the log, and on stderr of the first run.
func TestNoSuchFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		var made struct{ ID, Cwd string }
		w := r.call("POST", "/contexts", `{"language": "r", "cwd": "/no/such"}`)
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.Cwd != "/no/such" {
			t.Errorf("%v %s", err, w.Body)
		}
		if !strings.Contains(r.log.String(), "folder does not exist") {
			t.Error(r.log)
		}
		got := r.run(made.ID, "1")
		if !strings.HasPrefix(got, "count err:the folder /no/such does not exist") || !strings.HasSuffix(got, " out:1 end") {
			t.Error(got)
		}
		want(t, "second run", r.run(made.ID, "2"), "count out:2 end")
	})
}

// TestMissingLanguage leaves out JavaScript, whose kernel is not there, and tells so.
func TestMissingLanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		w := r.call("GET", "/contexts", "")
		if got := w.Body.String(); strings.Count(got, `"id"`) != 1 || !strings.Contains(got, `"language":"python"`) {
			t.Error(got)
		}
		if !strings.Contains(r.log.String(), "left out") || !strings.Contains(r.log.String(), "language=javascript") {
			t.Error(r.log)
		}
	})
}

// TestListOrder lists contexts in the order in which they were asked for, whichever is
// ready first.
func TestListOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		r := newRig(t, func(o *Options) {
			host, ok := o.Host.(*hosttest.Host)
			if !ok {
				t.Fatal("another host")
			}
			host.List = append(host.List, kernelclient.Kernel{Name: "js", Language: "javascript"})
			drive := host.Drive
			host.Drive = func(spec kernelclient.StartSpec) kernelclient.Driver {
				d := drive(spec)
				if f, ok := d.(*hosttest.Fake); ok && spec.Kernel == "python3" {
					f.Hold = slow
				}
				return d
			}
		})
		defer r.done()
		r.context()
		close(slow)
		got := r.call("GET", "/contexts", "").Body.String()
		at := func(language string) int { return strings.Index(got, `"`+language+`"`) }
		if at("python") < 0 || at("python") > at("javascript") || at("javascript") > at("r") {
			t.Error(got)
		}
	})
}

// TestLogIsClean sends secrets and code everywhere and looks for them in the log.
func TestLogIsClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *Options) { o.MaxContexts = 3 })
		defer r.done()
		b := r.sandbox(`{"envVars": {"PASSWORD": "hush-1"}, "metadata": {"k": "hush-2"}}`)
		id := r.context()
		for _, body := range []string{
			`{"code": "hush-3", "env_vars": {"K": "hush-4"}}`, `{"code": "die hush-5"}`, `{"code": "hush-6", "language": "cobol"}`,
			`{"context_id": "` + id + `", "code": "lose hush-7"}`, `{"context_id": "hush-8", "code": "hush-9"}`, `{"code": hush-10`,
		} {
			r.call("POST", "/execute", body)
			r.call("POST", "/execute", body, "E2b-Sandbox-Id", b.SandboxID)
		}
		r.call("POST", "/contexts", `{"cwd": "/hush-11"}`)
		r.call("DELETE", "/contexts/hush-12", "", "Authorization", "Bearer hush-13")
		synctest.Wait()
		for _, secret := range []string{"hush-", rigToken, b.EnvdAccessToken, b.TrafficAccessToken} {
			if secret != "" && strings.Contains(r.log.String(), secret) {
				t.Errorf("the log has %s: %s", secret, r.log)
			}
		}
	})
}
