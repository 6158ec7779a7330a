package session

import (
	"context"
	"errors"

	"github.com/nbterm/nbterm/kernelclient"
)

// RunningKernels lists the kernels that run on the host's machine already, the newest
// first. It may be called from any goroutine. Unsupported: the host does not know.
func (s *Session) RunningKernels(ctx context.Context) ([]kernelclient.Running, error) {
	j, err := kernelclient.JoinerOf(s.host)
	if err != nil {
		return nil, err
	}
	return j.Running(ctx)
}

// FindExisting is FindKernel for a kernel that runs already: file is its connection file.
// It is not stopped with the session.
func (s *Session) FindExisting(file string) func(context.Context) (*Found, error) {
	host, spec := s.host, s.startSpec()
	return func(ctx context.Context) (*Found, error) { return findExisting(ctx, host, file, spec) }
}

// SwitchExisting is FindExisting and Switch at once.
func (s *Session) SwitchExisting(ctx context.Context, file string) (stop func(context.Context) error, err error) {
	f, err := s.FindExisting(file)(ctx)
	if err != nil {
		return nil, err
	}
	return s.Switch(ctx, f), nil
}

// Leave is Stop, but what runs in a kernel that was joined goes on.
func (s *Session) Leave(ctx context.Context, force bool) error {
	var errs []error
	for _, c := range s.old {
		errs = append(errs, leave(ctx, c, force))
	}
	if s.ctx != nil {
		errs = append(errs, leave(ctx, s.ctx, force))
	}
	return errors.Join(errs...)
}

func leave(ctx context.Context, c kernelclient.Context, force bool) error {
	if c.Info().Foreign {
		return c.Close()
	}
	return c.Stop(ctx, force)
}
