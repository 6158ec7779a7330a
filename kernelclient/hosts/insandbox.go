package hosts

import (
	"context"
	"errors"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
)

// inSandbox is the Jupyter server inside a sandbox of E2B. The sandbox is made when the
// server is first asked for something.
type inSandbox struct {
	box *e2b.Host
	opt Options
	// caFile and insecure are for the server's certificate.
	caFile   string
	insecure bool

	mu       sync.Mutex // guards all below
	server   *jupyterserver.Host
	release  func() error
	contexts []kernelclient.Context // that Start made
}

// there is the server.
func (h *inSandbox) there(ctx context.Context) (*jupyterserver.Host, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != nil {
		return h.server, nil
	}
	at, err := h.box.Jupyter(ctx)
	if err != nil {
		return nil, err
	}
	server, err := jupyterserver.New(jupyterserver.Options{URL: at.URL, Header: at.Header, CAFile: h.caFile, Insecure: h.insecure, Env: h.opt.Env, Forget: h.opt.Forget, Log: h.opt.Log})
	if err != nil {
		return nil, errors.Join(err, at.Release())
	}
	h.server, h.release = server, at.Release
	return server, nil
}

// Kernels implements kernelclient.Host.
func (h *inSandbox) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	server, err := h.there(ctx)
	if err != nil {
		return nil, err
	}
	return server.Kernels(ctx)
}

// Contexts implements kernelclient.Host.
func (h *inSandbox) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	server, err := h.there(ctx)
	if err != nil {
		return nil, err
	}
	return server.Contexts(ctx)
}

// Start implements kernelclient.Host.
func (h *inSandbox) Start(ctx context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	server, err := h.there(ctx)
	if err != nil {
		return nil, err
	}
	c, err := server.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.contexts = append(h.contexts, c)
	return c, nil
}

// Attach implements kernelclient.Host.
func (h *inSandbox) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	server, err := h.there(ctx)
	if err != nil {
		return nil, err
	}
	return server.Attach(ctx, id)
}

// Close implements kernelclient.Host. A sandbox that was made for this is killed as E2B's
// own host does it.
func (h *inSandbox) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return h.box.Close()
	}
	err := h.server.Close()
	if !h.opt.Outlive || !h.goesOn() {
		err = errors.Join(err, h.release())
	}
	h.server = nil
	return errors.Join(err, h.box.Close())
}

// goesOn tells whether a context was let go of that has not ended.
func (h *inSandbox) goesOn() bool {
	for _, c := range h.contexts {
		if c.Info().State.State != event.Dead {
			return true
		}
	}
	return false
}
