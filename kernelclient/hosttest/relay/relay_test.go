package relay

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, r *Relay) *net.TCPConn {
	c, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c net.Conn, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != text {
		t.Fatalf("heard %q, %v; want %q", got, err, text)
	}
}

func TestCarries(t *testing.T) {
	r := New(t, echo(t))
	r.Split(1)
	c := dial(t, r)
	text := strings.Repeat("0123456789", 1000)
	go func() {
		_, _ = io.WriteString(c, text)
		_ = c.CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, []byte(text)) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	if r.Carried() != 1 {
		t.Errorf("%d connections were carried", r.Carried())
	}
}

func TestStall(t *testing.T) {
	r := New(t, echo(t))
	c := dial(t, r)
	say(t, c, "one")
	hear(t, c, "one")
	r.Stall()
	say(t, c, "two")
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := c.Read(make([]byte, 8)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("while stalled: %d bytes, %v", n, err)
	}
	_ = c.SetReadDeadline(time.Time{})
	r.Resume()
	hear(t, c, "two")
}

func TestCutAndRefuse(t *testing.T) {
	r := New(t, echo(t))
	c := dial(t, r)
	say(t, c, "one")
	hear(t, c, "one")
	r.Refuse(true)
	r.Cut()
	if n, err := c.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("after the cut: %d bytes, %v", n, err)
	}
	if refused, err := net.Dial("tcp", r.Addr()); err == nil { // else the reset was quicker
		if n, err := refused.Read(make([]byte, 8)); n != 0 || err == nil {
			t.Errorf("refused: %d bytes, %v", n, err)
		}
		_ = refused.Close()
	}
	r.Refuse(false)
	again := dial(t, r)
	say(t, again, "two")
	hear(t, again, "two")
}

func TestDelay(t *testing.T) {
	r := New(t, echo(t))
	c := dial(t, r)
	r.Delay(20 * time.Millisecond)
	began := time.Now()
	for range 10 { // they are on their way together
		say(t, c, "x")
	}
	hear(t, c, strings.Repeat("x", 10))
	if took := time.Since(began); took < 40*time.Millisecond {
		t.Errorf("there and back took %v", took)
	}
}
