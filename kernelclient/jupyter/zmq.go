package jupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/kernelclient/jupyter/zmtp"
)

// lastWords is how long the other sockets are read on after the first was lost: what a
// dying kernel said on iopub is still on its way when shell ends.
const lastWords = time.Second

var errConnClosed = &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection is closed"}

// ZMQOptions are for DialZMQ. The zero value is ready.
type ZMQOptions struct {
	// Identity is the routing identity that shell and stdin share, without which input()
	// would not reach us. "" chooses one.
	Identity string
}

// zmqConn is a Conn over a kernel's ZeroMQ sockets. The heartbeat is not among them: a
// process that we started tells better whether it lives.
type zmqConn struct {
	codec   *codec
	sockets [4]*zmtp.Socket // by Channel
	queue   *wireio.Queue[packet]
	closing chan struct{} // closed by Close
	watched chan struct{} // closed when watch is over
	all     chan struct{} // closed when all sockets are connected
	made    atomic.Int32  // how many of them are
	close   sync.Once
	doubts  doubts
}

// packet is what a socket received.
type packet struct {
	channel Channel
	parts   [][]byte
}

// DialZMQ connects to a kernel's sockets. It waits for nothing: messages may be sent at
// once and wait until the kernel has bound its sockets. ctx ending before the call is the
// only use of ctx; whoever waits for a kernel's answer sets the limit and calls Close.
func DialZMQ(ctx context.Context, c Connection, opt ZMQOptions) (Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	codec, err := newCodec(c.SignatureScheme, c.Key)
	if err != nil {
		return nil, err
	}
	if opt.Identity == "" {
		opt.Identity = rand.Text()
	}
	z := &zmqConn{
		codec: codec, queue: wireio.NewQueue[packet](),
		closing: make(chan struct{}), watched: make(chan struct{}), all: make(chan struct{}),
	}
	ended := make(chan error, len(z.sockets))
	for channel, port := range []int{c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort} {
		if err := z.dial(Channel(channel), c.endpoint(port), opt.Identity, ended); err != nil {
			z.closeSockets()
			return nil, err
		}
	}
	go z.watch(ended)
	return z, nil
}

func (z *zmqConn) dial(channel Channel, endpoint, identity string, ended chan<- error) error {
	opt := zmtp.Options{Type: zmtp.Dealer, Name: channel.String(), Identity: []byte(identity)}
	if channel == IOPub {
		opt = zmtp.Options{Type: zmtp.Sub, Name: channel.String(), Subscribe: []string{""}}
	}
	opt.Connected = func() {
		if int(z.made.Add(1)) == len(z.sockets) {
			close(z.all)
		}
	}
	opt.Deliver = func(parts [][]byte, err error) {
		if err != nil {
			ended <- err // has room for every socket
			return
		}
		var size int64
		for _, p := range parts {
			size += int64(len(p))
		}
		z.queue.Push(packet{channel, parts}, size)
	}
	s, err := zmtp.Dial(endpoint, opt)
	z.sockets[channel] = s
	return err
}

func (z *zmqConn) connected() <-chan struct{} { return z.all }

// watch ends the queue when all sockets have ended, or lastWords after the first one: a
// kernel that cannot be reached on one channel is of no use.
func (z *zmqConn) watch(ended <-chan error) {
	defer close(z.watched)
	var first error
	select {
	case first = <-ended:
	case <-z.closing:
		return
	}
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	for left := len(z.sockets) - 1; left > 0; left-- {
		select {
		case <-ended: //nolint:errcheck // the first error is the one to tell
		case <-timer.C:
			left = 0
		case <-z.closing:
			return
		}
	}
	z.queue.End(lostError(first))
}

// lostError puts a socket's end into the words of a Host.
func lostError(err error) error {
	kind := kernelclient.Disconnect
	if wrong := (*zmtp.ProtocolError)(nil); errors.As(err, &wrong) {
		kind = kernelclient.Protocol
	}
	return &kernelclient.Error{Kind: kind, What: "the connection to the kernel is lost", Err: err}
}

// Send implements Conn.
func (z *zmqConn) Send(ctx context.Context, m Message) error {
	if int(m.Channel) >= len(z.sockets) || m.Channel == IOPub {
		return fmt.Errorf("nothing can be sent on %s", m.Channel)
	}
	err := z.sockets[m.Channel].Send(ctx, z.codec.encode(m)...)
	if err != nil && ctx.Err() == nil {
		return lostError(err)
	}
	return err
}

// Recv implements Conn.
func (z *zmqConn) Recv() (Message, error) {
	for {
		p, err := z.queue.Pop(context.Background())
		if err != nil {
			return Message{}, err
		}
		m, err := z.codec.decode(p.parts)
		if err == nil {
			m.Channel = p.channel
			return m, nil
		}
		if said := z.doubts.about(p.channel, err); said != "" {
			return Message{Channel: p.channel, Trouble: said}, nil
		}
	}
}

// Close implements Conn.
func (z *zmqConn) Close() error {
	z.close.Do(func() {
		close(z.closing)
		z.queue.Close(errConnClosed)
		z.closeSockets()
	})
	<-z.watched
	return nil
}

func (z *zmqConn) closeSockets() {
	for _, s := range z.sockets {
		if s != nil {
			_ = s.Close()
		}
	}
}

// doubts counts messages that were dropped, and speaks of each cause once.
type doubts struct{ signature, other int }

func (d *doubts) about(channel Channel, err error) string {
	n := &d.other
	if errors.Is(err, errSignature) {
		n = &d.signature
	}
	if *n++; *n > 1 {
		return ""
	}
	return fmt.Sprintf("a message on %s was dropped: %v (further ones are dropped without a word)", channel, err)
}
