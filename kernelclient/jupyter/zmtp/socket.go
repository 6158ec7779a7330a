package zmtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
)

// Type is a socket's type.
type Type string

// The types that can be dialled. Req adds and removes the empty frame of the REQ
// envelope; that requests and replies take turns is left to the caller.
const (
	Dealer Type = "DEALER"
	Sub    Type = "SUB"
	Req    Type = "REQ"
)

const (
	handshakeTimeout = 5 * time.Second
	firstRetry       = 5 * time.Millisecond
	lastRetry        = 100 * time.Millisecond
)

// ErrClosed is the error of a socket that Close was called on.
var ErrClosed = errors.New("the socket is closed")

// Error is an error of one socket.
type Error struct {
	Name     string // what Options call it
	Endpoint string
	Err      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%s): %v", e.Name, e.Endpoint, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Options say what kind of socket Dial makes.
type Options struct {
	Type       Type
	Name       string   // for error messages, such as "iopub"
	Identity   []byte   // of a DEALER or REQ, at most 255 bytes, not beginning with 0; may be empty
	Subscribe  []string // topics of a SUB; "" is everything
	MaxMessage int64    // bytes of one message, all frames together; 0 is MaxMessage
	// Deliver gets every message, and as the last call the error that ended the socket.
	// It is called from the socket's one reader, so it must not wait for anything, nor
	// call Close. After Close has returned it is not called any more.
	Deliver func(parts [][]byte, err error)
	// Connected, if not nil, is called once, when the handshake is done. Like Deliver it must
	// not wait.
	Connected func()

	handshake time.Duration // instead of handshakeTimeout, for tests
}

// Socket is one connection to one peer. Send and Close may be called from any goroutine.
type Socket struct {
	opt      Options
	endpoint string
	network  string
	address  string
	out      *wireio.Outbox
	ctx      context.Context // ended by Close
	cancel   context.CancelFunc
	done     chan struct{} // closed when no goroutine is left
}

// Dial makes a socket that connects to endpoint ("tcp://host:port" or "ipc:///path") in
// the background, again and again until it succeeds. Whether it ever does is the caller's
// business to limit, with Close. An error means that the options make no sense.
func Dial(endpoint string, opt Options) (*Socket, error) {
	s := &Socket{opt: opt, endpoint: endpoint, out: wireio.NewOutbox(), done: make(chan struct{})}
	scheme, rest, _ := strings.Cut(endpoint, "://")
	switch {
	case scheme == "tcp" && rest != "":
		s.network, s.address = "tcp", rest
	case scheme == "ipc" && rest != "":
		s.network, s.address = "unix", rest
	default:
		return nil, s.wrap(errors.New("neither a tcp:// nor an ipc:// endpoint"))
	}
	if len(opt.Identity) > 255 || len(opt.Identity) > 0 && opt.Identity[0] == 0 {
		return nil, s.wrap(errors.New("the identity is too long or begins with a zero byte"))
	}
	if opt.MaxMessage <= 0 {
		s.opt.MaxMessage = MaxMessage
	}
	if opt.handshake <= 0 {
		s.opt.handshake = handshakeTimeout
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s, nil
}

func (s *Socket) wrap(err error) error { return &Error{s.opt.Name, s.endpoint, err} }

// Send sends a message. Before the first connection it is queued and nil is returned;
// after it Send waits until the message was handed to the system, at most as long as ctx
// lasts. Once the connection is lost it is an error. The parts may not be changed afterwards.
func (s *Socket) Send(ctx context.Context, parts ...[]byte) error {
	if s.opt.Type == Req {
		parts = append([][]byte{nil}, parts...)
	}
	if err := s.out.Send(ctx, encodeMessage(parts)...); err != nil {
		return s.wrap(err)
	}
	return nil
}

// Close ends the socket at once, whatever it is doing, and waits until its goroutines are gone.
func (s *Socket) Close() error {
	s.cancel()
	<-s.done
	return nil
}

// run is the socket's life; it is the one reader.
func (s *Socket) run() {
	defer close(s.done)
	err := s.live()
	closed := s.ctx.Err() != nil
	if closed {
		err = ErrClosed
	}
	s.out.Fail(err)
	if !closed {
		s.opt.Deliver(nil, s.wrap(err))
	}
}

// live connects, starts the writer, and reads until the end.
func (s *Socket) live() error {
	conn, r, err := s.connect()
	if err != nil {
		return err
	}
	if s.opt.Connected != nil {
		s.opt.Connected()
	}
	stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
	defer stop()
	s.out.Begin(func() { _ = conn.Close() })
	var writer sync.WaitGroup
	writer.Go(func() {
		_ = s.out.Run(conn)
		// A reader that hears nothing would not notice that nothing can be said any more.
		_ = conn.Close()
	})
	err = s.read(r)
	s.out.Fail(err)
	_ = conn.Close()
	writer.Wait()
	return err
}

// connect dials until a handshake succeeds. A peer that is wrong or silent ends it, one
// that is not there or goes away is tried again.
func (s *Socket) connect() (net.Conn, *bufio.Reader, error) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		conn, r, err := s.attempt()
		if err == nil {
			return conn, r, nil
		}
		var wrong *ProtocolError
		if errors.As(err, &wrong) {
			return nil, nil, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			timer.Stop()
			return nil, nil, s.ctx.Err()
		}
	}
}

func (s *Socket) attempt() (net.Conn, *bufio.Reader, error) {
	dialer := net.Dialer{Timeout: s.opt.handshake}
	conn, err := dialer.DialContext(s.ctx, s.network, s.address)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(s.opt.handshake))
	r := bufio.NewReaderSize(conn, 64<<10)
	err = handshake(conn, r, s.opt.Type, s.opt.Identity)
	if err == nil {
		err = s.subscribe(conn)
	}
	if err != nil {
		_ = conn.Close()
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			err = protocolError(fmt.Sprintf("the peer did not answer the handshake within %s", s.opt.handshake))
		}
		return nil, nil, err
	}
	return conn, r, conn.SetDeadline(time.Time{})
}

// subscribe sends the subscriptions in the form of ZMTP 3.0, as messages.
func (s *Socket) subscribe(conn net.Conn) error {
	var out []byte
	for _, topic := range s.opt.Subscribe {
		out = append(appendHead(out, 0, 1+len(topic)), 1)
		out = append(out, topic...)
	}
	_, err := conn.Write(out)
	return err
}

func (s *Socket) read(r *bufio.Reader) error {
	for {
		parts, err := readMessage(r, s.opt.MaxMessage, s.command)
		if err != nil {
			return err
		}
		if s.opt.Type == Req && len(parts) > 1 && len(parts[0]) == 0 {
			parts = parts[1:]
		}
		s.opt.Deliver(parts, nil)
	}
}

// command obeys a command of the peer. Unknown ones are passed over, as the protocol asks.
func (s *Socket) command(body []byte) error {
	name, data, err := splitCommand(body)
	if err != nil {
		return err
	}
	switch name {
	case "ERROR":
		return peerError(data)
	case "PING": // two bytes of TTL, then a context of up to 16 bytes to be sent back
		if len(data) >= 2 && len(data) <= 18 {
			s.out.Post(encodeCommand("PONG", data[2:]))
		}
	}
	return nil
}
