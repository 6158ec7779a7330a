package jupyterserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// packet is a message as it came, or news of the way to the kernel.
type packet struct {
	data     []byte
	binary   bool
	protocol string
	news     *jupyter.Link
	fresh    bool // what follows came over another websocket than what was before
}

var errClosed = &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection is closed"}

// conn is a jupyter.Conn over a kernel's websocket. One that breaks is replaced by another
// under the same session: a server keeps what a kernel says to a session that is away.
type conn struct {
	client  *client
	kernel  string                    // its id
	session string                    // of the websocket
	died    func(*kernelclient.Death) // tells of the kernel's end, once
	queue   *wireio.Queue[packet]
	ctx     context.Context // ended by Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	reading reading // belongs to the goroutine that calls Recv

	mu  sync.Mutex // guards both below
	cur *link      // nil while there is none
	up  chan struct{}
}

// connectTo opens the way to a kernel. ctx bounds that alone.
func (c *client) connectTo(ctx context.Context, kernel, session string, died func(*kernelclient.Death)) (*conn, error) {
	l, err := c.dial(ctx, kernel, session)
	if err != nil {
		return nil, err
	}
	k := &conn{client: c, kernel: kernel, session: session, died: died, queue: wireio.NewQueue[packet](), up: make(chan struct{})}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	k.begin(l)
	k.wg.Go(func() { k.keep(l) })
	return k, nil
}

// begin makes l the way to the kernel.
func (k *conn) begin(l *link) {
	k.wg.Go(func() { l.read(k.ctx, func(p packet) { k.queue.Push(p, int64(len(p.data))) }) })
	k.wg.Go(func() { l.pings(k.ctx, &k.wg, k.client.times) })
	k.use(l)
}

// use lets messages be sent over l.
func (k *conn) use(l *link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cur = l
	close(k.up)
}

// hold lets what is sent wait: there is no way to the kernel for now.
func (k *conn) hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cur != nil {
		k.cur, k.up = nil, make(chan struct{})
	}
}

// Send implements jupyter.Conn. Without a way to the kernel it waits for one.
func (k *conn) Send(ctx context.Context, m jupyter.Message) error {
	if m.Channel == jupyter.IOPub {
		return fmt.Errorf("nothing can be sent on %s", m.Channel)
	}
	for {
		k.mu.Lock()
		l, up := k.cur, k.up
		k.mu.Unlock()
		if l == nil {
			select {
			case <-up:
				continue
			case <-k.ctx.Done():
				return errClosed
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		data, isBinary := jupyter.EncodeWebsocket(m, l.protocol)
		typ := websocket.MessageText
		if isBinary {
			typ = websocket.MessageBinary
		}
		err := l.ws.Write(ctx, typ, data)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		_ = l.ws.CloseNow() // half a message went: the server takes none of it
		select {
		case <-l.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		k.drop(l)
	}
}

// drop makes sure that nothing is sent over l again.
func (k *conn) drop(l *link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cur == l {
		k.cur, k.up = nil, make(chan struct{})
	}
}

// Recv implements jupyter.Conn.
func (k *conn) Recv() (jupyter.Message, error) {
	for {
		if m, ok := k.reading.next(); ok {
			return m, nil
		}
		p, err := k.queue.Pop(context.Background())
		if err != nil {
			return jupyter.Message{}, err
		}
		if p.news != nil {
			if p.fresh {
				k.reading.began()
			}
			return jupyter.Message{Link: p.news}, nil
		}
		m, err := jupyter.DecodeWebsocket(p.data, p.binary, p.protocol)
		if err != nil {
			k.reading.doubt(err)
			continue
		}
		k.reading.take(m, k.session)
		if says := k.reading.end(m, k.session); says != "" {
			k.died(&kernelclient.Death{Says: says})
		}
	}
}

// Close implements jupyter.Conn.
func (k *conn) Close() error {
	k.cancel()
	k.queue.Close(errClosed)
	k.wg.Wait()
	return nil
}

// noHTTP2 keeps a transport to HTTP/1.1, as a websocket needs it.
func noHTTP2() map[string]func(string, *tls.Conn) http.RoundTripper {
	return map[string]func(string, *tls.Conn) http.RoundTripper{}
}

// isGone tells whether an error says that the server has no such kernel.
func isGone(err error) bool { return errors.Is(err, kernelclient.NotFound) }

// refusesUs tells whether an error will not go away by trying again.
func refusesUs(err error) bool {
	return errors.Is(err, kernelclient.Unauthenticated) || errors.Is(err, kernelclient.Permission) || errors.Is(err, kernelclient.Invalid)
}

// down is the news that the way to the kernel is broken.
func down(why string) packet { return packet{news: &jupyter.Link{Detail: why}} }
