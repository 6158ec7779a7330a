package wireio

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
)

// Outbox lets many goroutines send over one writer, each waiting no longer than its own
// context lasts. Before Begin packets wait and Send returns at once; after Fail
// nothing is taken. Create it with NewOutbox.
type Outbox struct {
	wake chan struct{}

	mu      sync.Mutex // guards all below
	packets []*packet
	running bool
	abort   func() // breaks the write that is under way
	err     error
}

type packet struct {
	parts    net.Buffers
	done     chan struct{} // closed when err is final
	started  bool
	finished bool
	err      error
}

// NewOutbox returns an Outbox that waits for Begin.
func NewOutbox() *Outbox { return &Outbox{wake: make(chan struct{}, 1)} }

// Send writes parts as one unit. An error means that the other side will not see it.
// A context that ends in the middle of the write costs the connection, because half a
// unit cannot be taken back. Parts may not be changed afterwards.
func (o *Outbox) Send(ctx context.Context, parts ...[]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, wait, err := o.put(parts)
	if err != nil || !wait {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
	}
	if o.withdraw(p) {
		return ctx.Err()
	}
	<-p.done
	if p.err != nil {
		return ctx.Err()
	}
	return nil
}

// Post is Send for those who can neither wait nor do anything about an error. Where many
// packets wait already it does nothing, so that a peer cannot fill our memory with answers.
func (o *Outbox) Post(parts ...[]byte) {
	o.mu.Lock()
	full := len(o.packets) >= 64
	o.mu.Unlock()
	if !full {
		_, _, _ = o.put(parts)
	}
}

func (o *Outbox) put(parts [][]byte) (p *packet, wait bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, false, o.err
	}
	p = &packet{parts: parts, done: make(chan struct{})}
	o.packets = append(o.packets, p)
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return p, o.running, nil
}

// withdraw takes p back if its write has not begun, and else breaks the write.
func (o *Outbox) withdraw(p *packet) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.finished {
		return false
	}
	if p.started {
		o.abort()
		return false
	}
	o.packets = slices.DeleteFunc(o.packets, func(q *packet) bool { return q == p })
	return true
}

// Begin says that a writer is there, so that Send waits for it from now on. abort must make
// a write that is under way return; it is called at most once a broken write. Run follows.
func (o *Outbox) Begin(abort func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running, o.abort = true, abort
}

// Run writes packets to w until a write fails or Fail is called, and returns why. Begin has
// been called before.
func (o *Outbox) Run(w io.Writer) error {
	for {
		p, err := o.next()
		if err != nil {
			return err
		}
		if p == nil {
			<-o.wake
			continue
		}
		_, err = p.parts.WriteTo(w)
		o.mu.Lock()
		p.finished, p.err = true, err
		o.mu.Unlock()
		close(p.done)
		if err != nil {
			o.Fail(err)
			return err
		}
	}
}

func (o *Outbox) next() (*packet, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || len(o.packets) == 0 {
		return nil, o.err
	}
	p := o.packets[0]
	o.packets[0] = nil
	o.packets = o.packets[1:]
	p.started = true
	return p, nil
}

// Fail ends the Outbox: what waits and every later Send gets err. It does not break a
// write that is under way. The first error counts.
func (o *Outbox) Fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.err = err
	for _, p := range o.packets {
		p.finished, p.err = true, err
		close(p.done)
	}
	o.packets = nil
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
