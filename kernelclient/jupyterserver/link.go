package jupyterserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// link is one websocket to a kernel.
type link struct {
	ws       *websocket.Conn
	protocol string
	meter    *meter
	done     chan struct{} // closed when nothing more arrives
	err      error         // why, after done
}

// meter notes when bytes arrive: also those of a message that takes minutes.
type meter struct {
	last  atomic.Int64  // unix nanoseconds of the newest bytes
	beats chan struct{} // has room for one: bytes arrived
}

func newMeter() *meter {
	m := &meter{beats: make(chan struct{}, 1)}
	m.last.Store(time.Now().UnixNano())
	return m
}

// silence is how long nothing has arrived.
func (m *meter) silence() time.Duration { return time.Since(time.Unix(0, m.last.Load())) }

// metered is a connection whose arriving bytes are noted.
type metered struct {
	net.Conn
	meter *meter
}

// Read implements net.Conn.
func (m metered) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if n > 0 {
		m.meter.last.Store(time.Now().UnixNano())
		select {
		case m.meter.beats <- struct{}{}:
		default:
		}
	}
	return n, err
}

// dial opens a websocket to a kernel's channels.
func (c *client) dial(ctx context.Context, kernel, session string) (*link, error) {
	for first := true; ; first = false {
		l, resp, err := c.dialOnce(ctx, kernel, session)
		if err == nil {
			return l, nil
		}
		if resp == nil || resp.StatusCode == http.StatusSwitchingProtocols || resp.Body == nil {
			return nil, c.unreachable(ctx, errors.Join(err))
		}
		r := c.refusal(resp)
		if !first || !c.letIn(ctx, resp, r) {
			return nil, r.err
		}
	}
}

func (c *client) dialOnce(ctx context.Context, kernel, session string) (*link, *http.Response, error) {
	m := newMeter()
	address := c.url(kernelPath(kernel, "channels"), url.Values{"session_id": {session}})
	transport := &http.Transport{TLSClientConfig: c.tls.Clone(), TLSHandshakeTimeout: 15 * time.Second, TLSNextProto: noHTTP2()}
	proxy, _ := c.proxy(c.at.Base) // an error of it was said by the requests before
	byConnect := proxy != nil && c.at.Base.Scheme == "http" && (proxy.Scheme == "http" || proxy.Scheme == "https")
	if !byConnect {
		transport.Proxy = http.ProxyURL(proxy)
	}
	transport.DialContext = func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
		if byConnect {
			conn, err = tunnel(ctx, proxy, addr)
		} else {
			conn, err = (&net.Dialer{}).DialContext(ctx, network, addr)
		}
		if err != nil {
			return nil, err
		}
		return metered{conn, m}, nil
	}
	ws, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: c.client(transport), HTTPHeader: c.headers(), Subprotocols: []string{jupyter.WebsocketV1},
	})
	if err != nil {
		transport.CloseIdleConnections()
		return nil, resp, err
	}
	ws.SetReadLimit(-1) // a plot or a table may be of any size
	return &link{ws: ws, protocol: ws.Subprotocol(), meter: m, done: make(chan struct{})}, resp, nil
}

// read passes on what arrives until the websocket breaks.
func (l *link) read(ctx context.Context, push func(packet)) {
	defer close(l.done)
	for {
		typ, data, err := l.ws.Read(ctx)
		if err != nil {
			l.err = err
			_ = l.ws.CloseNow()
			return
		}
		push(packet{data: data, binary: typ == websocket.MessageBinary, protocol: l.protocol})
	}
}

// pings asks for signs of life until the websocket breaks.
func (l *link) pings(ctx context.Context, wg *sync.WaitGroup, t times) {
	tick := time.NewTicker(t.ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// One that waits for its answer must not hold up the next, which keeps a proxy awake.
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, 2*t.silent)
				defer cancel()
				_ = l.ws.Ping(ctx) // what comes back is noted by the meter
			})
		case <-l.done:
			return
		}
	}
}

// why puts a broken websocket into plain words.
func (c *client) why(err error) string {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		if closed.Reason != "" {
			return "the server closed the connection: " + c.scrub(closed.Reason)
		}
		return "the server closed the connection"
	}
	return c.scrub(trust.Plain(err))
}

// lost is the error of a way to a kernel that is given up.
func lost(why string) error {
	return &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection to the kernel is lost: " + why}
}
