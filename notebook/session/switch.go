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

// FindKernel returns a function that starts the kernel called name, which may be called
// from any goroutine. The owner hands what it returns to Switch.
func (s *Session) FindKernel(name string) func(context.Context) (*Found, error) {
	host, spec := s.host, s.startSpec()
	return func(ctx context.Context) (*Found, error) { return findNew(ctx, host, Wish{Override: name}, spec) }
}

// Switch puts a kernel in place of the present one, if there is one, and lets the document
// name it: the user chose it. What ran or waited ends.
//
// stop ends the old kernel and may take a while; it may be called from any goroutine. It
// is nil if there was none. Stop does the same if nobody calls it.
func (s *Session) Switch(ctx context.Context, f *Found) (stop func(context.Context) error) {
	old, stream := s.ctx, s.stream
	s.begin(ctx, f)
	if s.opt.Existing = f.joined; f.joined == "" {
		s.opt.Kernel = f.kernel.Name
	}
	s.ran = false
	shown, display := fileName(s.kernel)
	if shown != "" && s.kernel.Language != "" {
		s.doc.SetKernel(shown, display, s.kernel.Language, nil)
	}
	if old == nil {
		return nil
	}
	s.abandon(fmt.Sprintf("the kernel was changed to %s", cmp.Or(s.kernel.Name, s.kernel.DisplayName)))
	_ = stream.Close() // never fails: it only lets go
	s.old = append(s.old, old)
	return func(ctx context.Context) error { return leave(ctx, old, false) }
}

// SwitchKernel is FindKernel and Switch at once: it returns as soon as the new kernel takes
// requests; if that cannot be started everything stays as it was.
func (s *Session) SwitchKernel(ctx context.Context, name string) (stop func(context.Context) error, err error) {
	f, err := s.FindKernel(name)(ctx)
	if err != nil {
		return nil, err
	}
	return s.Switch(ctx, f), nil
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
