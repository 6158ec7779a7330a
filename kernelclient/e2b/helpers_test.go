package e2b_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// capture is a stream that the genuine interpreter sent.
func capture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("wire", "testdata", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// scripts are what code does in these tests, by its first word.
func scripts(t testing.TB) func(wire.Execution) e2btest.Script {
	return func(x wire.Execution) e2btest.Script {
		word, rest, _ := strings.Cut(x.Code, " ")
		switch word {
		case "capture":
			return func(s *e2btest.Stream) { s.Raw(capture(t, rest)) }
		case "bytes": // a capture, each byte for itself
			return func(s *e2btest.Stream) {
				for _, b := range []byte(capture(t, rest)) {
					s.Raw(string([]byte{b}))
				}
			}
		case "raw":
			return func(s *e2btest.Stream) { s.Raw(rest) }
		case "break":
			return func(s *e2btest.Stream) { s.Raw(rest); s.Break() }
		case "wait", "silent":
			return func(s *e2btest.Stream) {
				if word == "wait" {
					s.Send(wire.Count{N: s.Count}, wire.Output{Name: "stdout", Text: "on\n"})
				}
				<-s.Gone()
			}
		case "say":
			return func(s *e2btest.Stream) {
				s.Send(wire.Count{N: s.Count}, wire.Output{Name: "stdout", Text: rest}, wire.End{})
			}
		}
		return nil
	}
}

// server is a cloud whose code does what scripts say.
func server(t testing.TB) *e2btest.Server {
	s := e2btest.New(t)
	s.Run = scripts(t)
	return s
}

// host is a host of a server, with the times of waiting made short.
func host(t testing.TB, s *e2btest.Server, change ...func(*e2b.Options)) *e2b.Host {
	t.Helper()
	opt := e2b.Options{Env: s.Env(), RequestTimeout: 20 * time.Second}
	for _, f := range change {
		f(&opt)
	}
	h, err := e2b.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h.Hasten(10*time.Millisecond, time.Minute, 2*time.Minute)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// start starts a Python context that is followed.
func start(t testing.TB, h *e2b.Host, change ...func(*kernelclient.StartSpec)) *hosttest.Client {
	t.Helper()
	spec := kernelclient.StartSpec{Kernel: "python", StartupTimeout: time.Minute}
	for _, f := range change {
		f(&spec)
	}
	return hosttest.Follow(t, h, spec)
}

// state waits for a state of the context.
func state(k *hosttest.Client, want event.KernelState) event.State {
	hit, _ := k.Wait(string(want), func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == want
	})
	return hit.Body.(event.State)
}

// on waits until a run has said that it is on.
func on(k *hosttest.Client, id event.ExecID) {
	k.Wait("on", func(e event.Event) bool {
		s, ok := e.Body.(event.Stream)
		return ok && e.Exec == id && strings.Contains(s.Text, "on")
	})
}
