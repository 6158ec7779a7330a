package unsandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// The bounds of a link.
const (
	windowThere = 256 // lines that the relay sends ahead of our acknowledgement
	// windowPainted is the same below a multiplexer: what it has not painted when it scrolls
	// away is lost, so it is fewer than the lines of terminalSize.
	windowPainted = 40
	windowHere    = 4096
	ackEvery      = 32
	pingEvery     = 20 * time.Second // also so that nobody on the way takes it for dead
	pingLimit     = 30 * time.Second
	mendLimit     = 2 * time.Minute
)

// link is the way to a kernel in a session: two byte streams over a terminal behind a
// websocket. Where the session has a multiplexer it survives the loss of the websocket, and
// no byte is lost or doubled.
type link struct {
	client  *Client
	session Session
	nonce   string

	life context.Context // ends with close
	end  context.CancelFunc
	wg   sync.WaitGroup
	in   *io.PipeReader // what the kernel sent
	feed *io.PipeWriter
	tell func(jupyter.Link) // of the loss of the websocket and its return

	mu     sync.Mutex // guards all below
	ws     *websocket.Conn
	room   chan struct{} // closed and replaced when lines were acknowledged
	sent   []line        // that nobody has acknowledged
	seq    uint64        // of the newest of them
	got    uint64        // of the newest line from there
	acked  uint64        // what of got was told
	noise  string        // the last other line, for errors
	hello  chan byte     // has room for the two steps of the beginning
	ended  chan struct{} // closed when the kernel's end is known
	ending kernelclient.Death
	over   bool
}

func newLink(c *Client, s Session) *link {
	life, end := context.WithCancel(context.Background())
	l := &link{
		client: c, session: s, nonce: newID(), life: life, end: end, room: make(chan struct{}),
		hello: make(chan byte, 8), ended: make(chan struct{}), tell: func(jupyter.Link) {},
	}
	l.in, l.feed = io.Pipe()
	return l
}

// open connects for the first time and starts the reader, which ends with close.
func (l *link) open(ctx context.Context) error {
	ws, err := l.client.shell(ctx, l.session)
	if err != nil {
		return err
	}
	l.ws = ws
	l.wg.Go(l.serve)
	l.wg.Go(l.ping)
	return nil
}

// serve reads the websocket, and the one that takes its place where there can be another.
func (l *link) serve() {
	for {
		why := l.read()
		if l.life.Err() != nil {
			return
		}
		if l.isOver() || l.session.Multiplexer == "" || !l.mend(why) {
			l.conclude(kernelclient.Death{Says: "the connection to its session was lost (" + why + "), and its variables with it"})
			return
		}
	}
}

// read takes frames until the websocket ends, and says why it did.
func (l *link) read() string {
	ws := l.current()
	var split lineSplitter
	for {
		typ, frame, err := ws.Read(l.life)
		if err != nil {
			_ = ws.CloseNow()
			return excerpt([]byte(plain(err).Error()))
		}
		if typ == websocket.MessageText {
			switch control(frame) {
			case "exit":
				_ = ws.CloseNow()
				l.conclude(kernelclient.Death{Says: "the shell of its session ended"})
				return "the shell ended"
			case "detached":
				_ = ws.CloseNow()
				return "it was detached"
			}
			continue
		}
		for _, raw := range split.feed(frame) {
			if x, ok := parseLine(raw, l.nonce); ok {
				l.take(x)
			} else if said := excerpt(raw); said != "" {
				l.mu.Lock()
				l.noise = said
				l.mu.Unlock()
			}
		}
		l.acknowledge()
	}
}

func (l *link) current() *websocket.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ws
}

func (l *link) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// take takes one line from there.
func (l *link) take(x line) {
	switch x.kind {
	case lineBoot, lineHello:
		select {
		case l.hello <- x.kind:
		default:
		}
		return
	}
	l.mu.Lock()
	n := 0
	for n < len(l.sent) && l.sent[n].seq <= x.ack {
		n++
	}
	if n > 0 {
		l.sent = append([]line(nil), l.sent[n:]...)
		close(l.room)
		l.room = make(chan struct{})
	}
	fresh := x.seq == l.got+1
	if fresh {
		l.got = x.seq
	}
	gap := x.seq > l.got+1
	again := append([]line(nil), l.sent...)
	l.mu.Unlock()
	switch {
	case x.kind == lineAgain:
		for _, s := range again {
			l.send(s)
		}
	case gap:
		l.send(line{kind: lineAgain})
	case fresh && x.kind == lineData:
		_, _ = l.feed.Write(x.data) // who does not want it any more has closed it
	case fresh && x.kind == lineExit:
		l.conclude(deathOf(x.data))
	}
}

// deathOf reads how the kernel ended.
func deathOf(data []byte) kernelclient.Death {
	var x struct {
		Code int    `json:"code"`
		Log  string `json:"log"`
	}
	if json.Unmarshal(data, &x) != nil {
		return kernelclient.Death{Says: "how was not said"}
	}
	d := kernelclient.Death{Code: x.Code, Last: x.Log}
	if x.Code < 0 {
		d.Code, d.Signal = 0, signalName(-x.Code)
	}
	return d
}

// conclude notes the kernel's end. The first that is said counts.
func (l *link) conclude(d kernelclient.Death) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.ending = true, d
	_ = l.feed.Close()
	close(l.ended)
}

// acknowledge tells from time to time what has arrived.
func (l *link) acknowledge() {
	l.mu.Lock()
	due := l.got-l.acked >= ackEvery || l.session.Multiplexer != "" && l.got != l.acked
	if due {
		l.acked = l.got
	}
	l.mu.Unlock()
	if due {
		l.send(line{kind: lineAck})
	}
}

// send writes a line to the websocket. One that is lost is sent again when the link is mended.
func (l *link) send(x line) {
	l.mu.Lock()
	x.ack = l.got
	ws := l.ws
	l.mu.Unlock()
	_ = ws.Write(l.life, websocket.MessageBinary, x.bytes(l.nonce))
}

// Write carries bytes to the kernel. It waits for room, not for their arrival. One goroutine
// at a time calls it.
func (l *link) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		part := p[:min(len(p), maxPart)]
		x, err := l.keep(part)
		if err != nil {
			return n, err
		}
		l.send(x)
		n += len(part)
		p = p[len(part):]
	}
	return n, nil
}

// keep numbers a line, once there is room for it.
func (l *link) keep(part []byte) (line, error) {
	for {
		l.mu.Lock()
		if len(l.sent) < windowHere && !l.over {
			l.seq++
			x := line{kind: lineData, seq: l.seq, data: append([]byte(nil), part...)}
			l.sent = append(l.sent, x)
			l.mu.Unlock()
			return x, nil
		}
		room, over := l.room, l.over
		l.mu.Unlock()
		if over {
			return line{}, io.ErrClosedPipe
		}
		select {
		case <-room:
		case <-l.ended:
		case <-l.life.Done():
			return line{}, io.ErrClosedPipe
		}
	}
}

// Close implements io.Closer for the sending half: nothing is to be done, as the kernel's end
// is that of the session.
func (l *link) Close() error { return nil }

// typed sends what a terminal's keys would.
func (l *link) typed(keys string) error {
	return l.current().Write(l.life, websocket.MessageBinary, []byte(keys))
}

// ping keeps the way open, and notices one that died in silence.
func (l *link) ping() {
	for l.client.wait(l.life, pingEvery) == nil {
		ws := l.current()
		ctx, cancel := context.WithTimeout(l.life, pingLimit)
		if err := ws.Ping(ctx); err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && l.session.Multiplexer != "" {
			_ = ws.CloseNow()
		}
		cancel()
	}
}

// mend connects anew and has each end say again what the other did not get.
func (l *link) mend(why string) bool {
	l.tell(jupyter.Link{Detail: "the connection to the session was lost: " + why})
	ctx, cancel := context.WithTimeout(l.life, mendLimit)
	defer cancel()
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		ws, err := l.client.shell(ctx, l.session)
		if err == nil {
			l.mu.Lock()
			l.ws = ws
			again := append([]line(nil), l.sent...)
			l.mu.Unlock()
			l.send(line{kind: lineAgain})
			for _, x := range again {
				l.send(x)
			}
			l.tell(jupyter.Link{Up: true})
			return true
		}
		if errors.Is(err, kernelclient.NotFound) || l.client.wait(ctx, pause) != nil {
			return false
		}
	}
}

// shut lets go of everything.
func (l *link) shut() {
	l.end()
	_ = l.current().CloseNow()
	_ = l.feed.Close()
	_ = l.in.Close()
	l.wg.Wait()
}

// signalName is the name of a signal as Linux counts them.
func signalName(n int) string {
	names := map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
	if name, ok := names[n]; ok {
		return name
	}
	return "a signal"
}
