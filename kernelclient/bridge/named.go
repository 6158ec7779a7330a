package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// named is a host of one kept context.
type named struct {
	*Client
	name, kernel, host string
}

// Named is the client as a host whose Start joins the context of that name or id, which it
// makes where there is none. Stopping that context only lets go of it. A kernel that the
// user asks for must be the one that it has; "" is any. host is the address of the
// client's Target, "" without one: each host has names of its own.
func (c *Client) Named(name, kernel, host string) kernelclient.Host {
	return named{c, name, kernel, host}
}

// Find looks for the context of that name or id among those of one host. An address that
// ends with a colon, such as e2b:, is any host of its kind.
func (c *Client) Find(ctx context.Context, name, host string) (l Listed, found bool, err error) {
	list, err := c.List(ctx)
	if err != nil {
		return l, false, err
	}
	host = cmp.Or(host, c.opt.Name)
	for _, l := range list {
		same := l.Host == host || strings.HasSuffix(host, ":") && strings.HasPrefix(l.Host, host)
		if same && (l.Name == name || string(l.ID) == name) {
			return l, true, nil
		}
	}
	return l, false, nil
}

// namePrefix makes the nonce of a context that has a name: two programs that start it at
// once get one.
const namePrefix = "name/"

func nameNonce(name, host string) string { return namePrefix + host + "/" + name }

// Start implements kernelclient.Host.
func (n named) Start(ctx context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	l, found, err := n.Find(ctx, n.name, n.host)
	if err != nil {
		return nil, err
	}
	if found {
		return n.visit(ctx, l)
	}
	spec.Name, spec.Session, spec.Forget = n.name, "", false
	k, err := n.start(ctx, startRequest{Nonce: nameNonce(n.name, n.host), Spec: specWire(spec)})
	if err != nil {
		return nil, err
	}
	return Visit(k), nil
}

// visit joins the context if it is as asked for.
func (n named) visit(ctx context.Context, l Listed) (kernelclient.Context, error) {
	if n.kernel != "" && n.kernel != l.Kernel.Name {
		return nil, &kernelclient.Error{
			Kind: kernelclient.Exists, What: fmt.Sprintf("the context %s has the kernel %s", n.name, l.Kernel.Name),
			Next: fmt.Sprintf("`nbterm stop %s` ends it", n.name),
		}
	}
	if l.State.State == event.Dead {
		return nil, &kernelclient.Error{
			Kind: kernelclient.Gone, What: fmt.Sprintf("the kernel of the context %s is gone: %s", n.name, l.State.Detail),
			Next: fmt.Sprintf("after `nbterm stop %s` the next call starts another", n.name),
		}
	}
	k, err := n.Attach(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	return Visit(k), nil
}

// visitsOnly tells whether a context has a name and no notebook: programs visit it, none
// has its outputs in a file.
func visitsOnly(i kernelclient.ContextInfo) bool { return i.Name != "" && i.Path == "" }

// visit is a kept context as one program uses it: what others do there is not its concern,
// and it ends nothing.
type visit struct {
	kernelclient.Context
	since kernelclient.Cursor

	mu   sync.Mutex            // guards all below
	mine map[event.ExecID]bool // what was handed over from here
	open map[event.ExecID]bool // what of that has not ended
	last kernelclient.Cursor   // of what was followed
}

// Visit is a context that somebody else keeps, as seen by a program that runs some code in
// it: Stop only lets go of it, and the runs of others are not shown.
func Visit(k kernelclient.Context) kernelclient.Context {
	last := k.Info().Last
	return &visit{Context: k, since: last, last: last, mine: map[event.ExecID]bool{}, open: map[event.ExecID]bool{}}
}

// Submit implements kernelclient.Context.
func (v *visit) Submit(ctx context.Context, r kernelclient.Request) error {
	v.mu.Lock()
	v.mine[r.ID], v.open[r.ID] = true, true
	v.mu.Unlock()
	return v.Context.Submit(ctx, r)
}

// Follow implements kernelclient.Context. The beginning is that of the visit: the state
// that it found, and what came then.
func (v *visit) Follow(after kernelclient.Cursor) kernelclient.Stream {
	s := &visited{v: v}
	if after == (kernelclient.Cursor{}) {
		after = v.since
		s.first = []event.Event{{Seq: after.Seq, Time: time.Now(), Body: v.Info().State}}
	}
	s.Stream = v.Context.Follow(after)
	return s
}

// Stop implements kernelclient.Context: the visit is over, the context is kept.
func (v *visit) Stop(context.Context, bool) error { return v.Close() }

// visited is a stream without the runs of others.
type visited struct {
	kernelclient.Stream
	v     *visit
	first []event.Event // not given out yet
}

// Next implements kernelclient.Stream.
func (s *visited) Next(ctx context.Context) ([]event.Event, error) {
	if batch := s.first; batch != nil {
		s.first = nil
		return batch, nil
	}
	for {
		batch, err := s.Stream.Next(ctx)
		if errors.Is(err, kernelclient.ErrCompacted) {
			if batch = s.v.abandon(s.Cursor()); len(batch) > 0 {
				return batch, nil
			}
			err = io.EOF
		}
		if err != nil {
			return nil, err
		}
		if batch = s.v.own(batch, s.Cursor()); len(batch) > 0 {
			return batch, nil
		}
	}
}

// own leaves out the runs of others.
func (v *visit) own(batch []event.Event, last kernelclient.Cursor) []event.Event {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = last
	kept := batch[:0]
	for _, e := range batch {
		if e.Exec == "" || v.mine[e.Exec] {
			kept = append(kept, e)
		}
		if _, end := e.Body.(event.Ended); end {
			delete(v.open, e.Exec)
		}
	}
	return kept
}

// abandon ends the visit's runs as far as it is concerned: the host process was another one
// meanwhile, or had to drop what was not read yet, and what it has of them cannot be told
// from what was shown already.
func (v *visit) abandon(at kernelclient.Cursor) (batch []event.Event) {
	why := "the host process ended; where its kernel did not, the code runs on"
	if v.Info().Last.Epoch == at.Epoch {
		why = "more was put out than the host process keeps (journal_limit), and it was not read in time; the code runs on"
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for exec := range v.open {
		batch = append(batch, event.Event{
			Seq: v.last.Seq, Time: time.Now(), Exec: exec, Body: event.Ended{Reason: event.Lost, Detail: why},
		})
	}
	clear(v.open)
	return batch
}
