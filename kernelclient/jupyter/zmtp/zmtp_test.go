package zmtp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// delivered is a call of Deliver.
type delivered struct {
	parts [][]byte
	err   error
}

// dial makes a socket whose deliveries come on a channel that takes many.
func dial(t *testing.T, endpoint string, opt Options) (*Socket, <-chan delivered) {
	t.Helper()
	c := make(chan delivered, 1000)
	opt.Name = "test"
	opt.Deliver = func(parts [][]byte, err error) { c <- delivered{parts, err} }
	s, err := Dial(endpoint, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, c
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// accept takes one connection and does the peer's half of the handshake as typ.
func accept(t *testing.T, l net.Listener, typ string) net.Conn {
	t.Helper()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var g [64]byte
	if _, err := io.ReadFull(conn, g[:]); err != nil || !bytes.Equal(g[:], greeting()) {
		t.Fatalf("greeting % x, %v", g, err)
	}
	for _, b := range greeting() { // byte by byte, as a slow network might
		conn.Write([]byte{b})
	}
	flags, body, err := readFrame(conn, maxCommand)
	if name, _, _ := splitCommand(body); err != nil || flags != flagCommand || name != "READY" {
		t.Fatalf("%x %q %v", flags, body, err)
	}
	conn.Write(encodeCommand("READY", appendProperty(appendProperty(nil, "X-other", nil), "socket-type", []byte(typ))))
	return conn
}

func next(t *testing.T, c <-chan delivered) delivered {
	t.Helper()
	select {
	case d := <-c:
		return d
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was delivered")
		return delivered{}
	}
}

func write(t *testing.T, conn net.Conn, parts ...string) {
	t.Helper()
	var frames [][]byte
	for _, p := range parts {
		frames = append(frames, []byte(p))
	}
	for _, b := range encodeMessage(frames) {
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDealer(t *testing.T) {
	l := listen(t)
	s, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer, Identity: []byte("me")})
	if err := s.Send(t.Context(), []byte("early"), nil); err != nil { // before there is a connection
		t.Fatal(err)
	}
	conn := accept(t, l, "ROUTER")
	none := func([]byte) error { return errors.New("a command") }
	if parts, err := readMessage(conn, MaxMessage, none); err != nil || len(parts) != 2 || string(parts[0]) != "early" {
		t.Fatalf("%q %v", parts, err)
	}
	big := strings.Repeat("x", 300_000)
	go s.Send(context.Background(), []byte(big), []byte("tail"))
	if parts, err := readMessage(conn, MaxMessage, none); err != nil || len(parts) != 2 || string(parts[0]) != big || string(parts[1]) != "tail" {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	write(t, conn, "a", "", big)
	if d := next(t, c); len(d.parts) != 3 || string(d.parts[2]) != big {
		t.Fatalf("%d parts, %v", len(d.parts), d.err)
	}
	conn.Write(encodeCommand("WHATEVER", []byte("x")))
	conn.Write(encodeCommand("PING", []byte("\x00\x0acontext")))
	if _, body, err := readFrame(conn, maxCommand); err != nil || string(body) != "\x04PONGcontext" {
		t.Fatalf("%q %v", body, err)
	}
	conn.Close()
	if d := next(t, c); d.err == nil || !strings.Contains(d.err.Error(), "test (tcp://") {
		t.Errorf("lost: %v", d.err)
	}
	if err := s.Send(t.Context(), []byte("late")); err == nil {
		t.Error("a lost socket took a message")
	}
}

func TestSubOverIPC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	_, c := dial(t, "ipc://"+path, Options{Type: Sub, Subscribe: []string{"", "topic"}})
	l, err := net.Listen("unix", path) // after the first attempts to connect
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn := accept(t, l, "XPUB")
	for _, want := range []string{"\x01", "\x01topic"} {
		if flags, body, err := readFrame(conn, 100); err != nil || flags != 0 || string(body) != want {
			t.Fatalf("%x %q %v", flags, body, err)
		}
	}
	write(t, conn, "hello")
	if d := next(t, c); string(bytes.Join(d.parts, nil)) != "hello" {
		t.Errorf("%+v", d)
	}
}

func TestReqEnvelope(t *testing.T) {
	l := listen(t)
	s, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Req})
	s.Send(t.Context(), []byte("ping"))
	conn := accept(t, l, "REP")
	parts, err := readMessage(conn, 100, nil)
	if err != nil || len(parts) != 2 || len(parts[0]) != 0 || string(parts[1]) != "ping" {
		t.Fatalf("%q %v", parts, err)
	}
	write(t, conn, "", "ping")
	if d := next(t, c); len(d.parts) != 1 || string(d.parts[0]) != "ping" {
		t.Errorf("%+v", d)
	}
}

func TestWrongPeers(t *testing.T) {
	ready := func(typ string) string {
		return string(greeting()) + string(encodeCommand("READY", appendProperty(nil, "Socket-Type", []byte(typ))))
	}
	curve := greeting()
	copy(curve[12:], "CURVE")
	for name, c := range map[string]struct{ says, want string }{
		"web server":     {"HTTP/1.1 400 Bad Request\r\n\r\n", "no ZeroMQ socket"},
		"old peer":       {"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x01\x05", "older than 3.0"},
		"curve":          {string(curve), `"CURVE"`},
		"publisher":      {ready("PUB"), `"PUB" socket`},
		"no type":        {string(greeting()) + string(encodeCommand("READY", nil)), "no Socket-Type"},
		"cut off":        {string(greeting()) + string(encodeCommand("READY", []byte("\x0bSocket-Type\x00\x00\xff"))), "cut off"},
		"refuses":        {string(greeting()) + string(encodeCommand("ERROR", []byte("\x02no"))), `refuses: "no"`},
		"message first":  {string(greeting()) + "\x00\x01x", "before READY"},
		"another word":   {string(greeting()) + string(encodeCommand("HELLO", nil)), `"HELLO"`},
		"READY too long": {string(greeting()) + "\x06\x00\x00\x00\x00\x40\x00\x00\x00", "limit is 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			r := strings.NewReader(c.says)
			err := handshake(io.Discard, r, Dealer, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestWrongPeerEndsTheSocket(t *testing.T) {
	l := listen(t)
	_, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer})
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
	var wrong *ProtocolError
	if d := next(t, c); !errors.As(d.err, &wrong) {
		t.Errorf("%v", d.err)
	}
}

func TestSilentPeer(t *testing.T) {
	l := listen(t)
	_, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer, handshake: 10 * time.Millisecond})
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if d := next(t, c); d.err == nil || !strings.Contains(d.err.Error(), "did not answer the handshake") {
		t.Errorf("%v", d.err)
	}
}

// A peer that goes away in the handshake is tried again: it may be a kernel about to come.
func TestPeerThatGoesAway(t *testing.T) {
	l := listen(t)
	_, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer})
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	write(t, accept(t, l, "ROUTER"), "x")
	if d := next(t, c); d.err != nil {
		t.Error(d.err)
	}
}

func TestCloseAtAnyTime(t *testing.T) {
	for name, accepting := range map[string]bool{"nobody there": false, "a silent peer": true} {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			if !accepting {
				l.Close()
			}
			s, c := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer})
			if accepting {
				conn, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
			}
			s.Close()
			if err := s.Send(t.Context(), []byte("x")); !errors.Is(err, ErrClosed) {
				t.Errorf("Send: %v", err)
			}
			if len(c) != 0 {
				t.Errorf("Close was delivered: %+v", <-c)
			}
		})
	}
}

func TestStuckPeerBlocksNobodyElse(t *testing.T) {
	l := listen(t)
	s, _ := dial(t, "tcp://"+l.Addr().String(), Options{Type: Dealer})
	conn := accept(t, l, "ROUTER") // and never reads again
	for ready := false; !ready; {  // until the socket has seen READY and its writer runs
		ping := encodeCommand("PING", []byte("\x00\x0a"))
		conn.Write(ping)
		_, _, err := readFrame(conn, maxCommand)
		ready = err == nil
	}
	huge := make(chan error, 1)
	go func() { huge <- s.Send(context.Background(), make([]byte, 64<<20)) }()
	if _, err := io.ReadFull(conn, make([]byte, 9)); err != nil { // it is under way
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := s.Send(ctx, make([]byte, 16<<20)) // never fits beside the huge one
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	s.Close()
	if err := <-huge; err == nil {
		t.Error("64 MiB went to a peer that does not read")
	}
}

func TestAnnouncedLengthsAreNotBelieved(t *testing.T) {
	huge := binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<40)
	if _, err := readMessage(bytes.NewReader(huge), MaxMessage, nil); err == nil || !strings.Contains(err.Error(), "announced") {
		t.Errorf("1 TiB: %v", err)
	}
	gib := binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<30)
	allocs := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readMessage(bytes.NewReader(gib), MaxMessage, nil); err != io.ErrUnexpectedEOF {
				b.Fatal(err)
			}
		}
	})
	if got := allocs.AllocedBytesPerOp(); got > 1<<20 {
		t.Errorf("1 GiB announced cost %d bytes", got)
	}
	// The limit is for all frames together.
	two := append(append([]byte{flagMore, 60}, make([]byte, 60)...), append([]byte{0, 60}, make([]byte, 60)...)...)
	if _, err := readMessage(bytes.NewReader(two), 100, nil); err == nil {
		t.Error("two frames passed a limit that one of them would")
	}
	empty := bytes.Repeat([]byte{flagMore, 0}, maxFrames+1)
	if _, err := readMessage(bytes.NewReader(empty), 100, nil); err == nil {
		t.Error("frames without end")
	}
}

func FuzzReadMessage(f *testing.F) {
	for _, parts := range [][]string{{"a"}, {"", "b"}, {strings.Repeat("x", 300)}} {
		var frames [][]byte
		for _, p := range parts {
			frames = append(frames, []byte(p))
		}
		f.Add(bytes.Join(encodeMessage(frames), nil))
	}
	f.Add(append(encodeCommand("PING", []byte("\x00\x01abc")), 0, 1, 'x'))
	f.Add(binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<63))
	f.Add([]byte{0xFF, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		r := bytes.NewReader(data)
		for {
			parts, err := readMessage(r, limit, func(body []byte) error {
				_, _, err := splitCommand(body)
				return err
			})
			if err != nil {
				break
			}
			size := 0
			for _, p := range parts {
				size += len(p)
			}
			if size > limit || size > len(data) {
				t.Fatalf("%d bytes from %d", size, len(data))
			}
			again, err := readMessage(bytes.NewReader(bytes.Join(encodeMessage(parts), nil)), limit, nil)
			if err != nil || len(again) != len(parts) {
				t.Fatalf("%q became %q, %v", parts, again, err)
			}
			for i := range parts {
				if !bytes.Equal(parts[i], again[i]) {
					t.Fatalf("%q became %q", parts[i], again[i])
				}
			}
		}
		_ = checkReady(data, Dealer)
		_ = readGreeting(bytes.NewReader(data))
	})
}
