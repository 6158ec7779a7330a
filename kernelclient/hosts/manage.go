package hosts

import (
	"cmp"
	"context"
	"errors"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
)

// Restart restarts a context of a host, whoever made it.
func Restart(ctx context.Context, host kernelclient.Host, id kernelclient.ContextID) error {
	if h, ok := host.(*jupyterserver.Host); ok {
		return h.RestartKernel(ctx, id)
	}
	c, err := host.Attach(ctx, id)
	if err != nil {
		return err
	}
	defer c.Close()
	stream := c.Follow(kernelclient.Cursor{})
	defer stream.Close()
	if err := c.Restart(ctx); err != nil {
		return err
	}
	return restarted(ctx, c, stream)
}

// restarted waits for the end of a restart: letting go of the context before would end it.
func restarted(ctx context.Context, c kernelclient.Context, stream kernelclient.Stream) error {
	began := false
	for {
		batch, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range batch {
			s, ok := e.Body.(event.State)
			switch {
			case !ok:
			case s.State == event.Restarting:
				began = true
			case began && s.State == event.Dead:
				return cmp.Or(c.Info().Err, errors.New(s.Detail))
			case began && s.State != event.Starting:
				return nil
			}
		}
	}
}

// Remove ends a context of a host, whoever made it.
func Remove(ctx context.Context, host kernelclient.Host, id kernelclient.ContextID) error {
	switch h := host.(type) {
	case *jupyterserver.Host:
		return h.EndKernel(ctx, id)
	case *e2b.Host:
		return h.Remove(ctx, id)
	}
	c, err := host.Attach(ctx, id)
	if err != nil {
		return err
	}
	return c.Stop(ctx, false)
}

// Files finds the file service of an E2B target. service is its address where it is not
// beside the interpreter, else "".
func Files(ctx context.Context, t Target, service string) (e2b.FileService, error) {
	opt := e2bOptions(t, Options{})
	opt.Envd = service
	return e2b.Files(ctx, opt)
}
