package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Kernels lists what can be started, broken ones too. It may be called from any goroutine.
func (s *Session) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	return s.host.Kernels(ctx)
}

// Follow is Next for the kernel that is in use now: once SwitchKernel put another in its
// place it ends with io.EOF, and what it delivered before must not be applied any more.
// The function may be called from any one goroutine.
func (s *Session) Follow() func(context.Context) ([]event.Event, error) {
	if s.stream == nil {
		return func(context.Context) ([]event.Event, error) { return nil, io.EOF }
	}
	return s.stream.Next
}

// SwitchKernel starts the kernel called name in place of the present one, if there is
// one, and lets the document name it: the user chose it. What ran or waited ends. It
// returns as soon as the new kernel takes requests; if that cannot be started everything
// stays as it was.
//
// stop ends the old kernel and may take a while; it may be called from any goroutine. It
// is nil if there was none. Stop does the same if nobody calls it.
func (s *Session) SwitchKernel(ctx context.Context, name string) (stop func(context.Context) error, err error) {
	k, err := s.named(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.replace(func() error {
		if err := s.startKernel(ctx, k, ""); err != nil {
			return err
		}
		s.opt.Kernel, s.opt.Existing = name, ""
		return nil
	})
}

// replace puts the kernel that start starts in place of the present one.
func (s *Session) replace(start func() error) (stop func(context.Context) error, err error) {
	old, stream := s.ctx, s.stream
	if err := start(); err != nil {
		return nil, err
	}
	s.ran = false
	shown, display := fileName(s.kernel)
	if shown != "" && s.kernel.Language != "" {
		s.doc.SetKernel(shown, display, s.kernel.Language, nil)
	}
	if old == nil {
		return nil, nil
	}
	s.abandon(fmt.Sprintf("the kernel was changed to %s", cmp.Or(s.kernel.Name, s.kernel.DisplayName)))
	_ = stream.Close() // never fails: it only lets go
	s.old = append(s.old, old)
	return func(ctx context.Context) error { return leave(ctx, old, false) }, nil
}

// named is the kernel of that name that can be started.
func (s *Session) named(ctx context.Context, name string) (kernelclient.Kernel, error) {
	kernels, err := s.host.Kernels(ctx)
	if err != nil {
		return kernelclient.Kernel{}, err
	}
	k, _, err := Choose(kernels, Wish{Override: name})
	return k, err
}

// abandon ends all runs in the session's own books: their kernel is not listened to any more.
func (s *Session) abandon(why string) {
	for _, st := range s.status {
		if !st.Phase.Pending() {
			continue
		}
		st.Phase = phaseOf(event.Restarted, !st.Started.IsZero())
		st.Ended, st.Detail = time.Now(), why
	}
	clear(s.runs)
	s.active, s.prompt = 0, nil
}

// stopOld ends the kernels that were switched away from and may still run.
func (s *Session) stopOld(ctx context.Context, force bool) error {
	var errs []error
	for _, c := range s.old {
		errs = append(errs, c.Stop(ctx, force))
	}
	return errors.Join(errs...)
}

// fileName is how a file names a kernel. The built-in Python is python3 there, and so is
// that of an environment: the file is for other front ends and machines too.
func fileName(k kernelclient.Kernel) (name, display string) {
	if k.Name == kernelclient.BuiltinPython || k.Elsewhere {
		return "python3", "Python 3"
	}
	return k.Name, k.DisplayName
}
