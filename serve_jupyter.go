package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient/bridge/jupyterface"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// openJupyter opens the face for Jupyter's clients, if it is asked for.
func (s *server) openJupyter(at string, opt serve.Options, root, token string) (*face, error) {
	if !s.jupyter {
		return nil, nil
	}
	files, err := localfs.New(localfs.Options{Root: root, Confined: true})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be served: %w", root, err)
	}
	host := local.New(local.Options{Dir: root, Box: s.box})
	jupyter, err := jupyterface.New(jupyterface.Options{
		Kernels: host, Files: files, Root: root, Token: token, NoAuth: s.open,
		MaxKernels: s.contexts, Startup: time.Duration(s.startup), Log: opt.Log,
	})
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return &face{
		handler: jupyter, below: jupyterface.Paths(), where: []string{s.jupyterAddress(at, token)},
		figures: func() []serve.Figure {
			kernels, clients := jupyter.Figures()
			return append(figuresOf(kernels, 0), serve.Figure{Name: "nbterm_websockets", Help: "Clients of Jupyter kernels.", Value: float64(clients)})
		},
		end: func(ctx context.Context) {
			if err := errors.Join(jupyter.Close(ctx), host.Close(), files.Close()); err != nil {
				opt.Log.Warn("the Jupyter face did not end well", "error", err)
			}
		},
	}, nil
}

// jupyterAddress is where Jupyter's clients connect to, as they take it: with the token, if
// that was made for this run and is told anyway.
func (s *server) jupyterAddress(at, token string) string {
	address := s.scheme() + "://" + at + "/"
	if s.generated {
		address += "?token=" + url.QueryEscape(token)
	}
	return strings.TrimSpace(address)
}
