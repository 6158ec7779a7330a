package session

import (
	"context"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
)

// Place is another host that kernels can be chosen on. Open is called at most once, from
// any goroutine; the session closes what it returns.
type Place struct {
	Name    string // what the user calls it
	Address string // as ContextInfo.Host has it, "" for this machine
	Dir     string // the working folder of kernels there
	Open    func() (kernelclient.Host, error)
}

// place is a Place that may be open.
type place struct {
	Place

	mu   sync.Mutex // guards host
	host kernelclient.Host
}

func (p *place) open() (kernelclient.Host, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.host == nil {
		h, err := p.Open()
		if err != nil {
			return nil, err
		}
		p.host = h
	}
	return p.host, nil
}

func (p *place) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.host != nil {
		_ = p.host.Close() // its contexts were stopped or left already
	}
}

// Places lists the other hosts that kernels can be chosen on.
func (s *Session) Places() []Place {
	out := make([]Place, len(s.places))
	for i, p := range s.places {
		out[i] = p.Place
	}
	return out
}

// Far tells whether the host is another machine: what is asked of it may take a while.
func (s *Session) Far() bool { return s.opt.Far }

// KernelsAt lists the kernels of another host, by its place in Places. It may be called
// from any goroutine.
func (s *Session) KernelsAt(ctx context.Context, at int) ([]kernelclient.Kernel, error) {
	host, err := s.places[at].open()
	if err != nil {
		return nil, err
	}
	return host.Kernels(ctx)
}

// FindAt returns a function that starts the kernel called name on another host, which may
// be called from any goroutine. The owner hands what it returns to Switch.
func (s *Session) FindAt(at int, name string) func(context.Context) (*Found, error) {
	p, spec := s.places[at], s.startSpec()
	spec.Dir = p.Dir
	return func(ctx context.Context) (*Found, error) {
		host, err := p.open()
		if err != nil {
			return nil, err
		}
		f, err := findNew(ctx, host, Wish{Override: name}, spec)
		if err == nil {
			f.place = p
		}
		return f, err
	}
}

// move makes a place the one where the session is.
func (s *Session) move(p *place) {
	s.host, s.opt.Dir, s.opt.Far = p.host, p.Dir, p.Address != ""
}
