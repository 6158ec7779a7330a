package e2b_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

const page = "<!doctype html>\n<html><body>Sign in, please</body></html>"

func answer(status int, typ, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", typ)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// What the edge, a proxy or a server in trouble answers, and what is made of it.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter)
		reason event.Reason
		says   string
	}{
		{"port closed", answer(502, "application/json", `{"sandboxId":"i","message":"The sandbox is running but port is not open","port":49999,"code":502}`), event.Lost, "port is not open; try again"},
		{"cannot route", answer(502, "text/plain", "Failed to route request to sandbox"), event.Lost, "Failed to route"},
		{"transition", answer(409, "application/json", `{"message":"The sandbox is still transitioning, try again","code":409}`), event.Lost, "still transitioning"},
		{"too many", answer(429, "application/json", `{"message":"Rate limit exceeded","code":429}`), event.Lost, "Rate limit exceeded"},
		{"traffic token", answer(403, "application/json", `{"message":"Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is missing","code":403}`), event.Lost, "--token-file"},
		{"context gone", answer(404, "text/plain; charset=utf-8", "Context abc not found"), event.Died, "Context abc not found"},
		{"bad body", answer(422, "application/json", `{"detail":[{"type":"missing","loc":["body","code"],"msg":"Field required","input":null}]}`), event.Lost, "[body code]: Field required"},
		{"bridge failed", answer(500, "text/plain", "Internal Server Error"), event.Lost, "status 500: Internal Server Error"},
		{"nothing said", answer(500, "text/plain", ""), event.Lost, "status 500 Internal Server Error"},
		{"page of a gateway", answer(503, "text/html", page), event.Lost, "a web page"},
		{"page instead of a stream", answer(200, "text/html", page), event.Lost, "not the code interpreter's"},
		{"moved", answer(307, "text/plain", ""), event.Lost, "status 307"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t)
			s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/execute" {
					c.answer(w)
				}
				return r.URL.Path == "/execute"
			}
			k := start(t, host(t, s))
			end, events := k.Do("say a")
			if end.Reason != c.reason || !strings.Contains(end.Detail, c.says) || hosttest.Words(events) != "" {
				t.Errorf("%+v %s", end, hosttest.Words(events))
			}
		})
	}
}

func TestKindsOfRefusals(t *testing.T) {
	for status, want := range map[int]kernelclient.Kind{
		401: kernelclient.Unauthenticated, 403: kernelclient.Forbidden, 404: kernelclient.NotFound, 400: kernelclient.Invalid,
		429: kernelclient.RateLimited, 503: kernelclient.Disconnect, 500: kernelclient.Protocol,
	} {
		s := server(t)
		s.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
			answer(status, "application/json", `{"message":"no"}`)(w)
			return true
		}
		c := e2b.NewCloud(e2b.Options{Env: s.Env()})
		_, err := c.List(t.Context())
		var own *kernelclient.Error
		if !errors.Is(err, want) || !errors.As(err, &own) || own.RetryAfter != 7*time.Second {
			t.Errorf("%d: %v", status, err)
		}
		c.Close()
	}
}

func TestStreamBreaksOff(t *testing.T) {
	const begin = `{"type": "number_of_executions", "execution_count": 1}` + "\n" + `{"type": "stdout", "text": "on\n"}` + "\n"
	for _, c := range []struct{ name, code, words, says string }{
		{"reset", "break " + begin, "stdout:on\n", "the connection to the sandbox broke"},
		{"half a line", "break " + begin + `{"type": "stdout", "te`, "stdout:on\n", "the connection to the sandbox broke"},
		{"half a line and a good end", "raw " + begin + `{"type": "stdout", "te`, "stdout:on\n", "broke: unexpected EOF"},
		{"no end", "raw " + begin, "stdout:on\n", "before the end of the code was seen"},
		{"no line", "raw ", "", "gave the code back unrun"},
		{"cut off before a line", "break ", "", "the connection to the sandbox broke"},
		{"an error and no end", "raw " + begin + `{"type": "error", "name": "E", "value": "v", "traceback": "t"}`, "stdout:on\n|error:E:v", "before the end"},
		{"words", "raw " + begin + "Internal Server Error\n", "stdout:on\n", "not the code interpreter's: Internal Server Error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := start(t, host(t, server(t)))
			end, events := k.Do(c.code)
			if end.Reason != event.Lost || !strings.Contains(end.Detail, c.says) || hosttest.Words(events) != c.words {
				t.Errorf("%+v %q", end, hosttest.Words(events))
			}
			if end, events := k.Do("say next"); end.Reason != event.Done || hosttest.Words(events) != "stdout:next" {
				t.Errorf("the next: %+v %q", end, hosttest.Words(events))
			}
		})
	}
}

// through is a host whose sandbox is behind a relay.
func through(t *testing.T, lost time.Duration) (*relay.Relay, *hosttest.Client) {
	s := server(t)
	r := relay.New(t, strings.TrimPrefix(s.URL, "http://"))
	h := host(t, s, func(o *e2b.Options) { o.Env = append(o.Env, "E2B_SANDBOX_URL=http://"+r.Addr()) })
	h.Hasten(10*time.Millisecond, 50*time.Millisecond, lost)
	return r, start(t, h)
}

func TestConnectionIsReset(t *testing.T) {
	r, k := through(t, time.Minute)
	id := k.Submit("wait")
	on(k, id)
	r.Cut()
	if end, _ := k.Ended(id); end.Reason != event.Lost || !strings.Contains(end.Detail, "the connection to the sandbox broke") {
		t.Errorf("%+v", end)
	}
	if end, _ := k.Do("say a"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
}

// A stream that was under way has a keepalive each five seconds: one that has none is broken.
func TestConnectionStalls(t *testing.T) {
	r, k := through(t, 2*time.Second)
	id := k.Submit("wait")
	on(k, id)
	r.Stall()
	if end, _ := k.Ended(id); end.Reason != event.Lost || !strings.Contains(end.Detail, "not even its keepalives") {
		t.Errorf("%+v", end)
	}
	r.Resume()
	if end, _ := k.Do("say a"); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
}

// Before its first line a run may wait for others for ever. It ends with its sandbox.
func TestSilentRunEndsWithItsSandbox(t *testing.T) {
	s := server(t)
	var mu sync.Mutex
	dead := false
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if dead && r.Header.Get("E2b-Sandbox-Port") == "49983" {
			answer(502, "application/json", `{"message":"The sandbox was not found","code":502}`)(w)
			return true
		}
		return false
	}
	h := host(t, s)
	h.Hasten(10*time.Millisecond, 20*time.Millisecond, time.Minute)
	k := start(t, h)
	id := k.Submit("silent")
	k.Wait("the hand-over", func(e event.Event) bool { _, ok := e.Body.(event.Accepted); return ok })
	mu.Lock()
	dead = true
	mu.Unlock()
	if end, _ := k.Ended(id); end.Reason != event.Died || !strings.Contains(end.Detail, "was killed") {
		t.Errorf("%+v", end)
	}
}

func TestRequestTakesTooLong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := e2b.NewClient(e2b.Options{URL: "http://" + l.Addr().String(), RequestTimeout: 50 * time.Millisecond})
	defer c.Close()
	var clock *kernelclient.TimeoutError
	if err := c.Health(t.Context()); !errors.As(err, &clock) || clock.Clock != kernelclient.Connecting || !strings.Contains(err.Error(), "--request-timeout") {
		t.Errorf("%v", err)
	}
	h, err := e2b.New(e2b.Options{URL: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python", RequestTimeout: 50 * time.Millisecond})
	if st := state(k, event.Dead); !strings.Contains(st.Detail, "--request-timeout") {
		t.Errorf("%+v", st)
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	h, err := e2b.New(e2b.Options{URL: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if _, err := h.Kernels(t.Context()); !errors.Is(err, kernelclient.Disconnect) || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("%v", err)
	}
}

// Whatever goes wrong, no key or token is told: not even where a server repeats it.
func TestSecretsAreNeverTold(t *testing.T) {
	const key, access, traffic = "e2b_5ec4e7key", "5ec4e7access", "5ec4e7traffic"
	s := server(t)
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		text := "no: " + r.Header.Get("X-API-Key") + r.Header.Get("X-Access-Token") + r.Header.Get("E2B-Traffic-Access-Token")
		if r.URL.Path == "/execute" {
			answer(200, "text/plain", text)(w)
			return true
		}
		if r.Method != http.MethodGet && strings.HasPrefix(r.URL.Path, "/contexts") {
			return false
		}
		answer(403, "application/json", `{"message":"`+text+`"}`)(w)
		return true
	}
	var told []string
	tell := func(err error) {
		if err == nil {
			t.Error("no error")
			return
		}
		told = append(told, err.Error())
		var own *kernelclient.Error
		for errors.As(err, &own) && own.Err != nil {
			told = append(told, own.Err.Error())
			err = own.Err
		}
	}
	cloud := e2b.NewCloud(e2b.Options{APIKey: key, APIURL: s.URL})
	defer cloud.Close()
	_, err := cloud.Create(t.Context())
	tell(err)
	_, err = cloud.Connect(t.Context(), "i")
	tell(err)
	tell(cloud.Kill(t.Context(), "i"))
	h, err := e2b.New(e2b.Options{URL: s.URL, AccessToken: access, TrafficToken: traffic, APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	k := start(t, h)
	end, _ := k.Do("say a")
	told = append(told, end.Detail, k.Info().Host, k.Info().Remote, k.Info().Kernel.Found)
	_, err = h.Contexts(t.Context())
	tell(err)
	for _, text := range told {
		if strings.Contains(text, "5ec4e7") {
			t.Errorf("it tells a secret: %s", text)
		}
	}
}

// Proxies come from the environment that the options have; this machine is reached without.
func TestProxy(t *testing.T) {
	s := server(t)
	through := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "sandbox.invalid" {
			through++
		}
		s.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	for url, want := range map[string]int{"http://sandbox.invalid": 1, s.URL: 0} {
		through = 0
		c := e2b.NewClient(e2b.Options{URL: url, Env: []string{"HTTP_PROXY=" + proxy.URL}})
		if err := c.Health(t.Context()); err != nil || through != want {
			t.Errorf("%s: %v, %d requests through the proxy", url, err, through)
		}
		c.Close()
	}
	c := e2b.NewClient(e2b.Options{URL: "http://sandbox.invalid", Env: []string{"http_proxy=http://ann:hush@127.0.0.1:1"}})
	defer c.Close()
	if err := c.Health(t.Context()); !errors.Is(err, kernelclient.Disconnect) || !strings.Contains(err.Error(), "proxyconnect") || strings.Contains(err.Error(), "hush") {
		t.Errorf("%v", err)
	}
}
