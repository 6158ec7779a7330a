package session

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
)

// Found is a kernel that was started or found for a session, whose owner has not taken it yet.
type Found struct {
	context kernelclient.Context
	kernel  kernelclient.Kernel
	note    string
	left    bool   // an earlier session left it running
	joined  string // the connection file of one that ran already, "" for none
	place   *place // where it is, nil for where the session is
}

// Find returns a function that does what takes time of Start: it may be called from any
// goroutine, and the owner hands what it returns to Take.
func (s *Session) Find() func(context.Context) (*Found, error) {
	host, file, left, wish, spec := s.host, s.opt.Existing, s.Left(), s.wish(), s.startSpec()
	return func(ctx context.Context) (*Found, error) {
		if file != "" {
			return findExisting(ctx, host, file, spec)
		}
		if c, err := left(ctx); err == nil && c != nil { // a host that cannot say is asked to start one
			return &Found{context: c, left: true}, nil
		}
		return findNew(ctx, host, wish, spec)
	}
}

// findNew chooses a kernel of a host and starts it.
func findNew(ctx context.Context, host kernelclient.Host, wish Wish, spec kernelclient.StartSpec) (*Found, error) {
	kernels, err := host.Kernels(ctx)
	if err != nil {
		return nil, err
	}
	k, note, err := Choose(kernels, wish)
	if err != nil {
		return nil, err
	}
	spec.Kernel = k.Name
	c, err := host.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &Found{context: c, kernel: k, note: note}, nil
}

// findExisting joins the running kernel of a connection file.
func findExisting(ctx context.Context, host kernelclient.Host, file string, spec kernelclient.StartSpec) (*Found, error) {
	j, err := kernelclient.JoinerOf(host)
	if err != nil {
		return nil, err
	}
	c, err := j.Existing(ctx, file, spec)
	if err != nil {
		return nil, err
	}
	return &Found{context: c, kernel: c.Info().Kernel, joined: file}, nil
}

// Take makes a kernel that Find found the session's. Where the session has one by now it
// lets go of it.
func (s *Session) Take(ctx context.Context, f *Found) {
	switch {
	case s.ctx != nil:
		if f.left || f.joined != "" {
			_ = f.context.Close() // it never fails, and the kernel goes on
		} else {
			s.old = append(s.old, f.context) // it was started for this session, which ends it
		}
	case f.left:
		s.Join(f.context)
	default:
		s.begin(ctx, f)
	}
}

// begin makes f the session's kernel, in the place of another if there is one.
func (s *Session) begin(ctx context.Context, f *Found) {
	if f.place != nil {
		s.move(f.place)
	}
	s.use(f.context, f.kernel, f.note)
	if f.joined != "" {
		return
	}
	if tell := s.tell(kernelclient.Cursor{}); tell != nil {
		_ = tell(ctx) // without it a later session has to know the cells by their code
	}
}

// Discard ends a kernel that nobody takes, unless it ran before.
func (f *Found) Discard(ctx context.Context) error {
	if f.left || f.joined != "" {
		return f.context.Close()
	}
	return f.context.Stop(ctx, true)
}

// wish is what the document and the user say about the kernel.
func (s *Session) wish() Wish {
	name, display, language := s.doc.Kernelspec()
	if language == "" {
		language = s.doc.Language()
	}
	return Wish{Override: s.opt.Kernel, Name: name, Display: display, Language: language}
}
