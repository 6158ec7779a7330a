package relay

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// Relay carries connections to one target. Its methods may be called from any goroutine,
// at any time; they hold for connections that exist and for those to come.
type Relay struct {
	target   string
	listener net.Listener
	ctx      context.Context
	end      context.CancelFunc
	wg       sync.WaitGroup

	mu      sync.Mutex    // guards all below
	flows   chan struct{} // closed while bytes flow, open while they are stalled
	delay   time.Duration
	split   int
	refuse  bool
	links   map[*link]struct{}
	carried int // connections that reached the target, ever
}

// New returns a relay to target, a host:port. It ends with the test.
func New(t testing.TB, target string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{target: target, listener: l, flows: make(chan struct{}), links: map[*link]struct{}{}}
	close(r.flows)
	r.ctx, r.end = context.WithCancel(context.Background())
	r.wg.Go(r.accept)
	t.Cleanup(r.close)
	return r
}

// Addr is where clients connect to, a host:port.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Stall holds all bytes back, in both directions. Connections stay, and new ones are taken.
func (r *Relay) Stall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.flows:
		r.flows = make(chan struct{})
	default:
	}
}

// Resume lets bytes flow again, those that were held back first.
func (r *Relay) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.flows:
	default:
		close(r.flows)
	}
}

// Cut resets every connection on both sides. What was held back in them is lost.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		l.reset()
	}
}

// Delay lets every byte take d longer each way. What is on its way keeps its time.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

// Split passes on at most n bytes in one write; 0 is no limit.
func (r *Relay) Split(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.split = n
}

// Refuse resets new connections as soon as they are made, or takes them again.
func (r *Relay) Refuse(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = on
}

// Links is how many connections are carried now.
func (r *Relay) Links() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.links)
}

// Carried is how many connections were ever carried.
func (r *Relay) Carried() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.carried
}

func (r *Relay) close() {
	_ = r.listener.Close()
	r.end()
	r.Cut()
	r.wg.Wait()
}

func (r *Relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.serve(c.(*net.TCPConn)) })
	}
}

// serve carries one connection to its end.
func (r *Relay) serve(client *net.TCPConn) {
	l := &link{relay: r, client: client, gone: make(chan struct{})}
	if !r.add(l) {
		reset(client)
		return
	}
	defer r.remove(l)
	server, err := (&net.Dialer{}).DialContext(r.ctx, "tcp", r.target)
	if err != nil {
		l.reset()
		return
	}
	l.carry(server.(*net.TCPConn))
}

func (r *Relay) add(l *link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse || r.ctx.Err() != nil {
		return false
	}
	r.links[l] = struct{}{}
	r.carried++
	return true
}

func (r *Relay) remove(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.links, l)
}

// manner is how bytes are passed on now.
func (r *Relay) manner() (flows <-chan struct{}, delay time.Duration, split int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flows, r.delay, r.split
}
