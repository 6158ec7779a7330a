package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener in memory.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.ended)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// slowly serves a handler over pipes in a bubble whose time is at hand.
func slowly(t *testing.T, opt Options, h http.Handler, test func(t *testing.T, dial func() net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		s := New(opt)
		s.Add(h, p)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, func() {}) }()
		test(t, func() net.Conn {
			ours, theirs := net.Pipe()
			p.conns <- theirs
			return ours
		})
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestSlowHeader cuts off who sends a header byte by byte.
func TestSlowHeader(t *testing.T) {
	slowly(t, Options{}, http.NotFoundHandler(), func(t *testing.T, dial func() net.Conn) {
		c, begun := dial(), time.Now()
		defer c.Close()
		go func() { _, _ = io.Copy(io.Discard, c) }() // ends with c
		text := "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 100)
		for i := range len(text) {
			if _, err := c.Write([]byte{text[i]}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if took := time.Since(begun); took > 2*headerTime {
			t.Errorf("it was listened to for %s", took)
		}
	})
}

// TestSlowBody cuts off who sends a body byte by byte, whether the handler reads it or not,
// and gives a large one that flows its time.
func TestSlowBody(t *testing.T) {
	for _, reads := range []bool{true, false} {
		got := make(chan error, 1)
		h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			err := errors.New("nobody has read it")
			if reads {
				_, err = io.ReadAll(r.Body)
			}
			got <- err
		})
		slowly(t, Options{}, h, func(t *testing.T, dial func() net.Conn) {
			c, begun := dial(), time.Now()
			defer c.Close()
			go func() { _, _ = io.Copy(io.Discard, c) }() // ends with c
			_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
			for range 1000 {
				if _, err := io.WriteString(c, "a"); err != nil {
					break
				}
				time.Sleep(time.Second)
			}
			if err, took := <-got, time.Since(begun); err == nil || took > 2*bodyTime {
				t.Errorf("read %t: %v after %s", reads, err, took)
			}
		})
	}
	got := make(chan error, 1)
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		got <- err
		<-r.Context().Done() // the client's leaving is still noticed
		got <- nil
	})
	slowly(t, Options{}, h, func(t *testing.T, dial func() net.Conn) {
		c := dial()
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 819200\r\n\r\n")
		for range 100 {
			_, _ = io.WriteString(c, strings.Repeat("a", 8192))
			time.Sleep(time.Second)
		}
		if err := <-got; err != nil {
			t.Error(err)
		}
		time.Sleep(10 * bodyTime)
		if len(got) > 0 {
			t.Error("the client has not left")
		}
		_ = c.Close()
		<-got
	})
}

// TestHugeHeader refuses a header that is too large.
func TestHugeHeader(t *testing.T) {
	slowly(t, Options{}, http.NotFoundHandler(), func(t *testing.T, dial func() net.Conn) {
		c := dial()
		defer c.Close()
		go func() {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "+strings.Repeat("a", 2*maxHeader)+"\r\n\r\n") // it is cut
		}()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Error(resp.Status)
		}
	})
}

// TestTooOften refuses an address that comes too often, and says when to come again.
func TestTooOften(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") })
	slowly(t, Options{Rate: 0.5}, h, func(t *testing.T, dial func() net.Conn) {
		c := dial()
		defer c.Close()
		answers := bufio.NewReader(c)
		for _, want := range []struct {
			status int
			again  string
		}{{200, ""}, {429, "2"}, {429, "2"}} {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			resp, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != want.status || resp.Header.Get("Retry-After") != want.again {
				t.Errorf("%s, again after %q; not %+v", resp.Status, resp.Header.Get("Retry-After"), want)
			}
		}
	})
	s, now := rates{perSecond: 1}, time.Now()
	for i, c := range []struct {
		remote string
		after  time.Duration
		served bool
	}{
		{"10.0.0.1:1", 0, true},
		{"10.0.0.1:2", 0, true},
		{"10.0.0.1:3", 0, false},
		{"10.0.0.2:3", 0, true},
		{"[2001:db8::1]:1", 0, true},
		{"[2001:db8::2]:1", 0, true},
		{"[2001:db8::3]:1", 0, false},
		{"10.0.0.1:1", time.Second, true},
		{"10.0.0.1:1", time.Second, false},
	} {
		if wait := s.wait(c.remote, now.Add(c.after)); (wait == 0) != c.served {
			t.Errorf("%d: %s waits %s", i, c.remote, wait)
		}
	}
	for i := range 3 * manyAddresses {
		s.wait(net.IPv4(10, 1, byte(i>>8), byte(i)).String()+":1", now.Add(time.Duration(i)*time.Second))
	}
	if len(s.of) > manyAddresses+1 {
		t.Errorf("%d addresses are remembered", len(s.of))
	}
}
