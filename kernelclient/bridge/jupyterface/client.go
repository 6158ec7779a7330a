package jupyterface

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

const (
	// maxMessage bounds one message of a client, and maxWaiting what waits in either direction,
	// in bytes.
	maxMessage = 256 << 20
	maxWaiting = 1 << 30
	// pingPause is how often a client is asked for a sign of life, and pingLimit how long it may
	// take to give one.
	pingPause = 30 * time.Second
	pingLimit = 90 * time.Second
)

var errLeft = errors.New("the client has left")

// client is one websocket to a kernel.
type client struct {
	kernel   *kernel
	session  string
	ws       *websocket.Conn
	protocol string
	ctx      context.Context // ended by end
	end      context.CancelFunc
	out      *wireio.Queue[jupyter.Message]
	in       [2]*wireio.Queue[jupyter.Message] // what the kernel is to get; by control apart, for it overtakes

	mu   sync.Mutex
	lost []jupyter.Message // were taken from out, and not written
}

func newClient(ctx context.Context, k *kernel, session string, ws *websocket.Conn) *client {
	c := &client{
		kernel: k, session: session, ws: ws, protocol: ws.Subprotocol(), out: wireio.NewQueue[jupyter.Message](),
		in: [2]*wireio.Queue[jupyter.Message]{wireio.NewQueue[jupyter.Message](), wireio.NewQueue[jupyter.Message]()},
	}
	c.ctx, c.end = context.WithCancel(ctx)
	return c
}

// push queues a message for the client. A client that does not read is let go of.
func (c *client) push(m jupyter.Message) {
	if c.out.Bytes() > maxWaiting {
		c.end()
		return
	}
	c.out.Push(m, weight(m))
}

// unsent are the messages that the client did not get.
func (c *client) unsent() []jupyter.Message {
	c.mu.Lock()
	all := c.lost
	c.mu.Unlock()
	c.out.End(errLeft)
	for {
		m, err := c.out.Pop(context.Background()) // it does not wait: the queue has an end
		if err != nil {
			return all
		}
		all = append(all, m)
	}
}

// serve passes messages on in both directions until the websocket breaks or end is called.
func (c *client) serve() {
	var all sync.WaitGroup
	for _, work := range []func() error{c.read, c.write, c.ping, func() error { return c.forward(0) }, func() error { return c.forward(1) }} {
		all.Go(func() {
			defer c.end()
			_ = work() // the client is gone, or is to go
		})
	}
	<-c.ctx.Done()
	_ = c.ws.Close(websocket.StatusGoingAway, "")
	all.Wait()
}

func (c *client) read() error {
	for {
		typ, data, err := c.ws.Read(c.ctx)
		if err != nil {
			return err
		}
		m, err := jupyter.DecodeWebsocket(data, typ == websocket.MessageBinary, c.protocol)
		if err != nil || m.Channel == jupyter.IOPub {
			c.kernel.face.opt.Log.Warn("a message of a client was dropped", "kernel", c.kernel.id)
			continue
		}
		q := c.in[0]
		if m.Channel == jupyter.Control {
			q = c.in[1]
		}
		if q.Bytes() > maxWaiting {
			return errLeft
		}
		q.Push(m, weight(m))
	}
}

// forward gives the kernel what the client sends, as soon as it takes messages.
func (c *client) forward(i int) error {
	for {
		m, err := c.in[i].Pop(c.ctx)
		if err != nil {
			return err
		}
		g, err := c.kernel.ready(c.ctx)
		if err != nil {
			continue // a dead kernel hears nothing; the client knows that it is dead
		}
		c.kernel.mu.Lock()
		c.kernel.askers.add(m.Header.ID, c.session)
		c.kernel.mu.Unlock()
		if err := g.conn.Send(c.ctx, m); err != nil {
			c.kernel.face.opt.Log.Debug("a message did not reach its kernel", "kernel", c.kernel.id)
		}
	}
}

func (c *client) write() error {
	for {
		m, err := c.out.Pop(c.ctx)
		if err != nil {
			return err
		}
		data, isBinary := jupyter.EncodeWebsocket(m, c.protocol)
		typ := websocket.MessageText
		if isBinary {
			typ = websocket.MessageBinary
		}
		if err := c.ws.Write(c.ctx, typ, data); err != nil {
			c.mu.Lock()
			c.lost = append(c.lost, m)
			c.mu.Unlock()
			return err
		}
	}
}

// ping asks for signs of life: a client that vanished without a word leaves no other trace.
func (c *client) ping() error {
	tick := time.NewTicker(pingPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			return nil
		}
		ctx, cancel := context.WithTimeout(c.ctx, pingLimit)
		err := c.ws.Ping(ctx)
		cancel()
		if err != nil {
			return err
		}
	}
}
