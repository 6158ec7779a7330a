package unsandbox

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// clock is a time that passes only where somebody sleeps. The server has the same.
type clock struct {
	mu     sync.Mutex // guards all
	now    time.Time
	sleeps []time.Duration
	hold   bool // sleeps last until they are cancelled
	asleep chan struct{}
}

func newClock() *clock {
	return &clock{now: time.Unix(1_700_000_000, 0), asleep: make(chan struct{}, 100)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	hold := c.hold
	c.sleeps = append(c.sleeps, d)
	if !hold {
		c.now = c.now.Add(d)
	}
	c.mu.Unlock()
	select {
	case c.asleep <- struct{}{}:
	default:
	}
	if hold {
		<-ctx.Done()
	}
	return context.Cause(ctx)
}

// slept are the sleeps so far, in milliseconds.
func (c *clock) slept() (out []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.sleeps {
		out = append(out, int(d.Milliseconds()))
	}
	return out
}

func (c *clock) reset(hold bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sleeps, c.hold = nil, hold
}

// serve starts a fake server. The test ends it, and fails where a secret was sent or a
// signature was refused that should not have been.
func serve(t testing.TB, opt unsandboxtest.Options) *unsandboxtest.Server {
	t.Helper()
	s, err := unsandboxtest.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if strings.Contains(s.TranscriptJSON(), unsandboxtest.SecretKey) {
			t.Error("the secret key was sent")
		}
	})
	return s
}

// dial returns a client of a server on a clock that both have, and a home folder of its own.
func dial(t testing.TB, opt unsandboxtest.Options) (*Client, *unsandboxtest.Server, *clock) {
	t.Helper()
	k := newClock()
	opt.Now = k.Now
	s := serve(t, opt)
	c, err := NewClient(ClientOptions{Version: "test", Lookup: Lookup{Env: environment(s.Env(t.TempDir()))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.now, c.wait = k.Now, k.sleep
	return c, s, k
}

// set turns a fake's switches.
func set(t testing.TB, s *unsandboxtest.Server, scenario string) {
	t.Helper()
	if !s.Set(scenario) {
		t.Fatalf("no such switch: %s", scenario)
	}
}

// calls are the requests so far, as "METHOD path".
func calls(s *unsandboxtest.Server) (out []string) {
	for _, r := range s.Transcript() {
		out = append(out, r.Method+" "+r.Path)
	}
	return out
}

func python(code string) Program { return Program{Language: "python", Code: code} }

func itoa(n int) string { return strconv.Itoa(n) }

// awaitFile waits until a program has made a file.
func awaitFile(t testing.TB, path string) {
	t.Helper()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if err := pause.For(t.Context(), 5*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}
