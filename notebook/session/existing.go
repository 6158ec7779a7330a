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

// SwitchExisting is SwitchKernel for a kernel that runs already: file is its connection
// file. It is not stopped with the session.
func (s *Session) SwitchExisting(ctx context.Context, file string) (stop func(context.Context) error, err error) {
	return s.replace(func() error {
		if err := s.join(ctx, file); err != nil {
			return err
		}
		s.opt.Existing = file
		return nil
	})
}

// join makes the running kernel of a connection file the session's.
func (s *Session) join(ctx context.Context, file string) error {
	j, err := kernelclient.JoinerOf(s.host)
	if err != nil {
		return err
	}
	c, err := j.Existing(ctx, file, s.startSpec(""))
	if err != nil {
		return err
	}
	s.use(c, c.Info().Kernel, "")
	return nil
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
