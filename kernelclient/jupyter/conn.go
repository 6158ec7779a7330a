package jupyter

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Channel is one of a kernel's channels (messaging protocol, "Introduction").
type Channel uint8

// The channels that carry messages. The heartbeat is the transport's own affair.
const (
	Shell Channel = iota
	IOPub
	Stdin
	Control
)

// String is the channel's name in the protocol.
func (c Channel) String() string {
	switch c {
	case Shell:
		return "shell"
	case IOPub:
		return "iopub"
	case Stdin:
		return "stdin"
	case Control:
		return "control"
	}
	return "unknown"
}

// Message is one message, apart from its transport. Its values share the received bytes.
type Message struct {
	Channel  Channel
	Header   Header
	Parent   Header // zero where there is no parent
	Metadata rawjson.Value
	Content  rawjson.Value
	Buffers  [][]byte
	// WholeHeader and WholeParent are the headers with all that they have, as transports
	// receive them. Where they are set, Send sends them in the place of Header and Parent.
	WholeHeader, WholeParent rawjson.Value
	// Trouble is set by a transport, in a Message that holds nothing else: one sentence on
	// something that arrived and could not be passed on. It is said once a cause.
	Trouble string
	// Link is set by a transport, in a Message that holds nothing else, when the way to the
	// kernel breaks and when it is there again.
	Link *Link
}

// Link says how the way to a kernel fares, which the transport mends by itself.
type Link struct {
	Up     bool
	Detail string // why it broke; of one that is up again: what may be missing, "" if nothing is
}

// Header identifies a message. Its Type decides what Content holds.
type Header struct {
	ID      string // msg_id
	Type    string // msg_type
	Session string
}

// Conn carries messages to and from one kernel of one generation. The three transports
// (zmq, websocket, pipe) implement it.
type Conn interface {
	// Send hands a message over. It waits at most for ctx; an error means that it was not
	// and will not be sent. Safe for concurrent use.
	Send(ctx context.Context, m Message) error
	// Recv returns the next message of any channel. Only one goroutine calls it. An error is
	// final: the connection is lost or closed. A transport never stops reading because Recv
	// is not called, and keeps the order within a channel.
	Recv() (Message, error)
	// Close frees everything at once; a waiting Recv returns.
	Close() error
}

// connecting is a Conn whose channels are connected one by one. A kernel that answers on
// shell may not know stdin yet, and what it sends there is lost without a word: it would
// wait for a line that nobody was asked for.
type connecting interface {
	// connected is closed when all channels are.
	connected() <-chan struct{}
}

// Connected is closed when all channels of c are connected.
func Connected(c Conn) <-chan struct{} {
	if c, ok := c.(connecting); ok {
		return c.connected()
	}
	now := make(chan struct{})
	close(now)
	return now
}

// Kernel is a launched kernel of one generation: its connection and its life.
type Kernel interface {
	Conn() Conn
	// Interrupt delivers the interrupt outside the protocol (a signal); sent false asks the
	// caller to send interrupt_request on the control channel instead.
	Interrupt() (sent bool, err error)
	// Died is closed when the process is gone; for a kernel whose process cannot be seen, never.
	Died() <-chan struct{}
	// Death says how, after Died.
	Death() *kernelclient.Death
	// Stop ends the process and frees all that belongs to it, Conn too. The caller has sent
	// shutdown_request if it wanted to be polite; Stop waits for the exit while ctx lasts,
	// then escalates to TERM and KILL. It returns when the process is reaped.
	Stop(ctx context.Context) error
	// PID is the process id here, 0 if there is none.
	PID() int
}

// Located is a Kernel whose process can be found again by another process.
type Located interface {
	// PIDStart is when the process began, in the system's own unit; 0 if unknown.
	PIDStart() int64
	// ConnFile is the connection file.
	ConnFile() string
}

// Managed is a Kernel that a server starts, restarts and ends for us. Nothing of that goes
// over its Conn.
type Managed interface {
	// Release is called in the place of Stop. With restart the kernel stays where it is: the
	// Launcher starts it anew.
	Release(ctx context.Context, restart bool) error
	// Remote is what the server calls the kernel.
	Remote() string
}

// Beating is a Kernel that can be asked whether it is there at all, whatever its code does.
type Beating interface {
	// Beat waits for a sign of life, at most as long as ctx lasts. NoAnswer: there was none.
	Beat(ctx context.Context) error
}

func remoteOf(k Kernel) string {
	if m, ok := k.(Managed); ok {
		return m.Remote()
	}
	return ""
}

func placeOf(k Kernel) (start int64, file string) {
	if l, ok := k.(Located); ok {
		return l.PIDStart(), l.ConnFile()
	}
	return 0, ""
}

// Launcher starts the kernel of the next generation, over fresh sockets or pipes. It
// returns as soon as messages can be sent (they may wait in the transport); the caller
// waits for the first kernel_info_reply. retry counts launches that died before they were
// ready, so that the launcher can choose other ports or another transport.
type Launcher interface {
	Launch(ctx context.Context, retry int) (k Kernel, err error)
	// Retries is how many further launches may follow one that died before it was ready.
	Retries() int
}
