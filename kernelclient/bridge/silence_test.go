//go:build unix

package bridge

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// pipes is a network in memory. While it is stalled nothing comes through from servers.
type pipes struct {
	conns   chan net.Conn
	closed  chan struct{}
	dialled atomic.Int64
	stalled atomic.Bool
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed) // one goroutine serves, and ends
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	if p.stalled.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	p.dialled.Add(1)
	select {
	case p.conns <- deafened{far, p}:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// deafened is a server's end of a connection.
type deafened struct {
	net.Conn
	p *pipes
}

func (d deafened) Write(b []byte) (int, error) {
	if d.p.stalled.Load() {
		return len(b), nil // it is on its way for ever
	}
	return d.Conn.Write(b)
}

// A link through which nothing comes any more is noticed within 20 seconds, said, and taken
// up again; one that is only quiet is left alone.
func TestFarSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		fake := &hosttest.Fake{}
		host := &hosttest.Host{
			List:  []kernelclient.Kernel{{Name: "fake"}},
			Drive: func(kernelclient.StartSpec) kernelclient.Driver { return fake },
		}
		server := NewServer(Options{Host: func(Surroundings) (kernelclient.Host, error) { return host, nil }})
		server.Begin(t.Context())
		h := &http.Server{Handler: server}
		served := make(chan error, 1)
		go func() { served <- h.Serve(network) }()
		c := New(ClientOptions{Dial: network.dial, Name: "ssh://box"})
		k, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake"})
		if err != nil {
			t.Fatal(err)
		}
		s := k.Follow(kernelclient.Cursor{})
		state := func(want event.KernelState) {
			t.Helper()
			until(t, s, string(want), func(e event.Event) bool { st, ok := e.Body.(event.State); return ok && st.State == want })
		}
		state(event.Idle)
		time.Sleep(time.Hour)
		if n := network.dialled.Load(); n > 2 { // requests, and the stream
			t.Errorf("%d connections in a quiet hour", n)
		}
		network.stalled.Store(true)
		begun := time.Now()
		state(event.Reconnecting)
		if took := time.Since(begun); took > farDeaf {
			t.Errorf("it took %v to be noticed", took)
		}
		time.Sleep(9 * time.Minute)
		network.stalled.Store(false)
		begun = time.Now()
		state(event.Idle)
		if took := time.Since(begun); took > farPause+farDeaf {
			t.Errorf("it took %v to be back", took)
		}
		if err := k.Stop(t.Context(), true); err != nil {
			t.Error(err)
		}
		for err = nil; err == nil; {
			_, err = s.Next(t.Context())
		}
		if err != io.EOF {
			t.Error(err)
		}
		_ = c.Close()
		_ = h.Close()
		<-served
		server.End(t.Context())
	})
}

// A request that never comes to its end is given up; the server's time is not its client's.
func TestSlowRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		server := NewServer(Options{})
		server.Begin(t.Context())
		h := &http.Server{Handler: server}
		served := make(chan error, 1)
		go func() { served <- h.Serve(network) }()
		conn, err := network.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		go func() {
			_, _ = io.WriteString(conn, "POST /v1/contexts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{\"env\":")
		}()
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%s %v", answer, err)
		}
		if took := time.Since(begun); took < bodyWait || took > bodyWait+time.Second {
			t.Errorf("it took %v", took)
		}
		_ = conn.Close()
		_ = h.Close()
		<-served
		server.End(t.Context())
	})
}
