package e2b_test

import (
	"context"
	"crypto/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// pythons runs the code of a test's cloud in real kernels, the built-in ones of this
// machine, as the interpreter does: one kernel a context, restarted where it died.
type pythons struct {
	t       testing.TB
	host    *local.Host
	mu      sync.Mutex // guards kernels
	kernels map[string]kernelclient.Context
}

// realPython makes a server's code real.
func realPython(t testing.TB, s *e2btest.Server) {
	p := &pythons{t: t, host: local.New(local.Options{LogDir: t.TempDir()}), kernels: map[string]kernelclient.Context{}}
	if list, err := p.host.Kernels(t.Context()); err != nil || !slices.ContainsFunc(list, func(k kernelclient.Kernel) bool { return k.Name == kernelclient.BuiltinPython && k.Broken == "" }) {
		if os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("no Python", err)
		}
		t.Skip("no Python", err)
	}
	s.Run, s.Restarted, s.Removed = p.run, p.restart, p.remove
	s.Known = func(language string) bool { return slices.Contains([]string{"python", "javascript"}, language) }
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, k := range p.kernels {
			_ = k.Stop(context.Background(), true)
		}
		_ = p.host.Close()
	})
}

func (p *pythons) kernel(id string) kernelclient.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels[id] == nil {
		k, err := p.host.Start(context.Background(), kernelclient.StartSpec{Kernel: kernelclient.BuiltinPython, Dir: os.TempDir()})
		if err != nil {
			p.t.Error(err)
			return nil
		}
		p.kernels[id] = k
	}
	return p.kernels[id]
}

func (p *pythons) restart(id string) { _ = p.kernel(id).Restart(context.Background()) }

func (p *pythons) remove(id string) {
	p.mu.Lock()
	k := p.kernels[id]
	delete(p.kernels, id)
	p.mu.Unlock()
	if k != nil {
		_ = k.Stop(context.Background(), true)
	}
}

func (p *pythons) run(x wire.Execution) e2btest.Script {
	return func(s *e2btest.Stream) {
		k := p.kernel(x.ContextID)
		if k == nil {
			s.Break()
		}
		if x.Code == "" {
			x.Code = "None"
		}
		id := event.ExecID(rand.Text())
		stream := k.Follow(k.Info().Last)
		defer stream.Close()
		if err := k.Submit(context.Background(), kernelclient.Request{ID: id, Code: x.Code}); err != nil {
			s.Break()
		}
		leave := make(chan struct{})
		over := make(chan struct{})
		go func() { // the client's going away is the interrupt
			defer close(leave)
			select {
			case <-s.Gone():
				_ = k.Interrupt(context.Background())
			case <-over:
			}
		}()
		defer func() { close(over); <-leave }()
		for {
			batch, err := stream.Next(context.Background())
			if err != nil {
				s.Break()
			}
			for _, e := range batch {
				if e.Exec == id && !send(s, k, e) {
					return
				}
			}
		}
	}
}

// send is the interpreter's table; false is the end.
func send(s *e2btest.Stream, k kernelclient.Context, e event.Event) bool {
	switch b := e.Body.(type) {
	case event.Started:
		s.Send(wire.Count{N: b.Count})
	case event.Stream:
		s.Send(wire.Output{Name: b.Name, Text: b.Text, Time: e.Time})
	case event.Result:
		s.Send(result(b.Data, true))
	case event.Display:
		s.Send(result(b.Data, false))
	case event.Error:
		s.Send(wire.Error{Name: b.Name, Value: b.Value, Traceback: strings.Join(b.Traceback, "")})
	case event.Ended:
		switch b.Reason {
		case event.Died:
			_ = k.Restart(context.Background())
			s.Send(wire.Error{Name: wire.ContextRestarting, Value: wire.RestartedValue})
		case event.Restarted:
			s.Send(wire.Error{Name: wire.WebSocketError, Value: wire.LostValue}, wire.Error{Name: wire.UnexpectedEnd, Value: wire.UnexpectedText})
		}
		s.Send(wire.End{})
		return false
	}
	return true
}

func result(b mime.Bundle, main bool) wire.Result {
	r := wire.ResultOf(b, main)
	if text, ok := b.Plain(); ok {
		r.Text = rawjson.Quote(wire.Unquoted(text))
	}
	return r
}

func TestSuite(t *testing.T) {
	s := e2btest.New(t)
	realPython(t, s)
	hosttest.Run(t, hosttest.Config{
		Host: func(t *testing.T) kernelclient.Host {
			h := host(t, s)
			h.Hasten(20*time.Millisecond, time.Minute, 2*time.Minute)
			return h
		},
		Kernel: "python", Displays: "pass", Narrow: true, Unseen: true,
	})
}
