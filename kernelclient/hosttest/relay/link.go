package relay

import (
	"net"
	"sync"
	"time"
)

// link is one connection through a relay.
type link struct {
	relay  *Relay
	client *net.TCPConn
	once   sync.Once
	gone   chan struct{} // closed by reset

	mu     sync.Mutex // guards server
	server *net.TCPConn
}

// chunk is what was read at once, and when it may be passed on.
type chunk struct {
	bytes []byte
	due   time.Time
}

// inFlight bounds the chunks of one direction that are under way: a network has no more
// room either, and a writer that is not read must feel it.
const inFlight = 256

// carry passes bytes on until both directions have ended.
func (l *link) carry(server *net.TCPConn) {
	l.mu.Lock()
	l.server = server
	l.mu.Unlock()
	select {
	case <-l.gone: // it was cut while the target was dialled
		reset(server)
		return
	default:
	}
	var wg sync.WaitGroup
	for _, way := range [][2]*net.TCPConn{{l.client, server}, {server, l.client}} {
		chunks := make(chan chunk, inFlight)
		wg.Go(func() { l.read(way[0], chunks) })
		wg.Go(func() { l.write(way[1], chunks) })
	}
	wg.Wait()
	_ = l.client.Close()
	_ = server.Close()
}

func (l *link) read(from *net.TCPConn, chunks chan<- chunk) {
	defer close(chunks)
	for {
		buf := make([]byte, 32<<10)
		n, err := from.Read(buf)
		if n > 0 {
			_, delay, _ := l.relay.manner()
			select {
			case chunks <- chunk{buf[:n], time.Now().Add(delay)}:
			case <-l.gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// write passes chunks on, and then the end of the stream.
func (l *link) write(to *net.TCPConn, chunks <-chan chunk) {
	for c := range chunks {
		if !l.wait(c.due) {
			return
		}
		for len(c.bytes) > 0 {
			flows, _, split := l.relay.manner()
			select {
			case <-flows:
			case <-l.gone:
				return
			}
			n := len(c.bytes)
			if split > 0 {
				n = min(n, split)
			}
			if _, err := to.Write(c.bytes[:n]); err != nil {
				l.reset()
				return
			}
			c.bytes = c.bytes[n:]
		}
	}
	flows, _, _ := l.relay.manner()
	select {
	case <-flows:
		_ = to.CloseWrite()
	case <-l.gone:
	}
}

// wait waits until a chunk is due; false if the link was cut before.
func (l *link) wait(due time.Time) bool {
	left := time.Until(due)
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.gone:
		return false
	}
}

// reset ends both sides at once, as a network does that loses its state.
func (l *link) reset() {
	l.once.Do(func() {
		close(l.gone)
		reset(l.client)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.server != nil {
			reset(l.server)
		}
	})
}

func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}
