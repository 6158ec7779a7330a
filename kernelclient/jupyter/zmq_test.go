package jupyter

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

// peer is a kernel's four sockets, as bytes.
type peer [4]net.Conn

// listenPeer makes a Conn and the kernel that it is connected to.
func listenPeer(t *testing.T, key string) (Conn, peer) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "k")
	c, err := DialZMQ(t.Context(), Connection{
		Transport: "ipc", IP: base, ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, Key: key,
	}, ZMQOptions{Identity: "same"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var p peer
	for i := range p {
		l, err := net.Listen("unix", base+"-"+strconv.Itoa(i+1))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if p[i], err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p[i].Close() })
		greet(t, p[i], Channel(i))
	}
	return c, p
}

// greet does the kernel's half of the handshake.
func greet(t *testing.T, conn net.Conn, channel Channel) {
	t.Helper()
	greeting := "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL" + strings.Repeat("\x00", 48)
	ready, typ := "\x05READY\x0bSocket-Type\x00\x00\x00", "\x06ROUTER"
	if channel == IOPub {
		typ = "\x04XPUB"
	}
	io.WriteString(conn, greeting+"\x04"+string(rune(len(ready+typ)))+ready+typ)
	head := make([]byte, 66)
	if _, err := io.ReadFull(conn, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, head[65])
	if _, err := io.ReadFull(conn, body); err != nil {
		t.Fatal(err)
	}
	if channel != IOPub && !strings.HasSuffix(string(body), "Identity\x00\x00\x00\x04same") {
		t.Errorf("%s has the identity %q", channel, body)
	}
	if channel == IOPub {
		subscription := make([]byte, 3)
		if _, err := io.ReadFull(conn, subscription); err != nil || string(subscription) != "\x00\x01\x01" {
			t.Errorf("subscription %q, %v", subscription, err)
		}
	}
}

// write sends frames, which are short, as one message.
func (p peer) write(channel Channel, frames ...[]byte) {
	var b []byte
	for i, f := range frames {
		flags := byte(1)
		if i == len(frames)-1 {
			flags = 0
		}
		b = append(append(b, flags, byte(len(f))), f...)
	}
	_, _ = p[channel].Write(b)
}

func TestZMQDropsWhatIsNotSigned(t *testing.T) {
	c, p := listenPeer(t, "key")
	good, evil := mustCodec(t, "", "key"), mustCodec(t, "", "another key")
	p.write(IOPub, evil.encode(Message{Header: Header{Type: "stream"}})...)
	p.write(IOPub, []byte("garbage"))
	p.write(IOPub, evil.encode(Message{Header: Header{Type: "stream"}})...)
	p.write(IOPub, append([][]byte{[]byte("topic")}, good.encode(Message{Header: Header{Type: "status"}})...)...)
	for _, want := range []string{"signature is wrong", "shape of a message"} {
		if m, err := c.Recv(); err != nil || !strings.Contains(m.Trouble, want) {
			t.Errorf("%+v %v, want %s", m, err, want)
		}
	}
	if m, err := c.Recv(); err != nil || m.Header.Type != "status" || m.Channel != IOPub {
		t.Errorf("%+v %v", m, err)
	}
}

func TestZMQSendsOnItsChannels(t *testing.T) {
	c, p := listenPeer(t, "")
	for _, channel := range []Channel{Shell, Stdin, Control} {
		if err := c.Send(t.Context(), Message{Channel: channel, Header: Header{Type: "x"}}); err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 2+len(delimiter))
		if _, err := io.ReadFull(p[channel], head); err != nil || string(head[2:]) != delimiter {
			t.Errorf("%s: %q %v", channel, head, err)
		}
	}
	if err := c.Send(t.Context(), Message{Channel: IOPub}); err == nil {
		t.Error("something was sent on iopub")
	}
}

// When a kernel dies its sockets end one by one; iopub's last words come before the error.
func TestZMQKeepsLastWords(t *testing.T) {
	c, p := listenPeer(t, "")
	p[Shell].Close()
	p[Control].Close()
	p[Stdin].Close()
	p.write(IOPub, mustCodec(t, "", "").encode(Message{Header: Header{Type: "stream"}})...)
	p[IOPub].Close()
	if m, err := c.Recv(); err != nil || m.Header.Type != "stream" {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := c.Recv(); !errors.Is(err, kernelclient.Disconnect) {
		t.Error(err)
	}
}

func TestZMQTooLongMessage(t *testing.T) {
	c, p := listenPeer(t, "")
	p[IOPub].Write([]byte("\x02\x00\x00\x00\x00\x40\x00\x00\x01")) // 1 GiB and one byte
	_, err := c.Recv()
	if !errors.Is(err, kernelclient.Disconnect) || !strings.Contains(err.Error(), "iopub (ipc://") || !strings.Contains(err.Error(), "limit") {
		t.Error(err)
	}
}

func TestZMQCloseDropsWhatIsQueued(t *testing.T) {
	c, p := listenPeer(t, "")
	for range 10 {
		p.write(IOPub, mustCodec(t, "", "").encode(Message{Header: Header{Type: "stream"}})...)
	}
	if _, err := c.Recv(); err != nil {
		t.Fatal(err)
	}
	c.Close()
	c.Close()
	if _, err := c.Recv(); !errors.Is(err, errConnClosed) {
		t.Error(err)
	}
}

// What one small display costs from the socket's frames to its event.
func BenchmarkDecodeDisplay(b *testing.B) {
	codec := mustCodec(b, "", "key")
	frames := codec.encode(Message{
		Header: Header{ID: "0123456789", Type: "display_data", Session: "session"}, Parent: Header{ID: "p", Type: "execute_request", Session: "s"},
		Content: []byte(`{"data":{"text/plain":"'some text of an object'"},"metadata":{},"transient":{}}`),
	})
	b.ReportAllocs()
	for b.Loop() {
		m, err := codec.decode(frames)
		if err != nil {
			b.Fatal(err)
		}
		_ = toEvent(m.Header.Type, m.Content)
	}
}
