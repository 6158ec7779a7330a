// Package debuglog writes what a host's contexts go through to a log: starts, states and
// ends, never code, outputs or environment. It must not change what it watches.
package debuglog

import (
	"context"
	"log/slog"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Host is a host whose contexts are followed into a log, each until it is stopped or let go of.
type Host struct {
	kernelclient.Host
	log       *slog.Logger
	followers sync.WaitGroup
}

// Wrap returns h with its contexts logged.
func Wrap(h kernelclient.Host, log *slog.Logger) *Host { return &Host{Host: h, log: log} }

// Start implements kernelclient.Host.
func (h *Host) Start(ctx context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	c, err := h.Host.Start(ctx, spec)
	h.log.Info("start", "kernel", spec.Kernel, "dir", spec.Dir, "err", err)
	return h.watch(c, err)
}

// Running implements kernelclient.Joiner.
func (h *Host) Running(ctx context.Context) ([]kernelclient.Running, error) {
	j, err := kernelclient.JoinerOf(h.Host)
	if err != nil {
		return nil, err
	}
	return j.Running(ctx)
}

// Existing implements kernelclient.Joiner.
func (h *Host) Existing(ctx context.Context, file string, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	j, err := kernelclient.JoinerOf(h.Host)
	if err != nil {
		return nil, err
	}
	c, err := j.Existing(ctx, file, spec)
	h.log.Info("existing", "file", file, "err", err)
	return h.watch(c, err)
}

// watch follows a new context, if there is one.
func (h *Host) watch(c kernelclient.Context, err error) (kernelclient.Context, error) {
	if err != nil {
		return nil, err
	}
	stream := c.Follow(kernelclient.Cursor{})
	h.followers.Go(func() { h.follow(c.Info().ID, stream) })
	return followed{c, stream}, nil
}

// Attach implements kernelclient.Host.
func (h *Host) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	c, err := h.Host.Attach(ctx, id)
	h.log.Info("attach", "context", id, "err", err)
	return h.watch(c, err)
}

// followed is a context with its follower.
type followed struct {
	kernelclient.Context
	stream kernelclient.Stream
}

// Close detaches both: the context itself may go on.
func (f followed) Close() error {
	err := f.Context.Close()
	_ = f.stream.Close() // never fails: it only lets go
	return err
}

// Close waits until every context was stopped or let go of, and logged to its end, then closes the host.
func (h *Host) Close() error {
	h.followers.Wait()
	return h.Host.Close()
}

func (h *Host) follow(id kernelclient.ContextID, stream kernelclient.Stream) {
	defer stream.Close()
	for {
		batch, err := stream.Next(context.Background())
		if err != nil {
			h.log.Debug("stopped", "context", id)
			return
		}
		for _, e := range batch {
			h.write(id, e)
		}
	}
}

func (h *Host) write(id kernelclient.ContextID, e event.Event) {
	switch b := e.Body.(type) {
	case event.State:
		h.log.Info("state", "context", id, "state", b.State, "generation", b.Generation)
	case event.Ended:
		h.log.Info("ended", "context", id, "exec", e.Exec, "reason", b.Reason, "count", b.Count)
	case event.Gap:
		h.log.Warn("gap", "context", id, "detail", b.Detail)
	case event.Unknown:
		h.log.Debug("unknown message", "context", id, "type", b.Type)
	}
}
