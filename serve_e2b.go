package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/kernelclient/bridge/e2bface"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// openE2B opens the face for E2B's SDKs, at two ports of its own.
func (s *server) openE2B(to *serve.Server, opt serve.Options, root, token string) (*face, error) {
	code, err := s.listenAt("--e2b-port", s.e2bPort)
	if err != nil {
		return nil, err
	}
	files, err := s.listenAt("--envd-port", s.envdPort)
	if err != nil {
		closeAll(code)
		return nil, err
	}
	e2b, end, err := s.newE2B(opt, root, token)
	if err != nil {
		closeAll(append(code, files...))
		return nil, fmt.Errorf("%s cannot be served: %w", root, err)
	}
	to.Add(e2b, code...)
	to.Add(http.HandlerFunc(e2b.ServeFiles), files...)
	return &face{
		where:   []string{s.scheme() + "://" + code[0].Addr().String(), s.scheme() + "://" + files[0].Addr().String()},
		figures: func() []serve.Figure { return e2bFigures(e2b.Counts()) },
		end:     end,
	}, nil
}

// newE2B makes the face, and what ends it with its kernels.
func (s *server) newE2B(opt serve.Options, root, token string) (*e2bface.Face, func(context.Context), error) {
	sandboxes, err := os.MkdirTemp("", "nbterm-serve-")
	if err != nil {
		return nil, nil, err
	}
	host := local.New(local.Options{Dir: root, Forget: true, Box: s.box})
	clear := func() error { return errors.Join(host.Close(), os.RemoveAll(sandboxes)) }
	e2b, err := e2bface.New(e2bface.Options{
		Host: host, Root: root, Sandboxes: sandboxes, Env: os.Environ(), Token: token, NoAuth: s.open,
		MaxContexts: s.contexts, Startup: time.Duration(s.startup), Log: opt.Log,
		Files: func(root, token string) (e2bface.Files, error) {
			return envd.NewServer(envd.ServerOptions{Root: root, Token: token, NoAuth: token == "", Hosts: opt.Hosts})
		},
	})
	if err != nil {
		return nil, nil, errors.Join(err, clear())
	}
	return e2b, func(ctx context.Context) {
		e2b.Close(ctx)
		_ = clear() // what is left is in the temporary folder
	}, nil
}

func (s *server) listenAt(flag string, port int) ([]net.Listener, error) {
	ls, err := serve.Listen(net.JoinHostPort(s.host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("%s %d cannot be used: %w", flag, port, err)
	}
	return ls, nil
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		_ = l.Close() // nothing was served
	}
}

func e2bFigures(n e2bface.Counts) []serve.Figure {
	return append(figuresOf(n.Contexts, n.Active),
		serve.Figure{Name: "nbterm_sandboxes", Help: "Sandboxes.", Value: float64(n.Sandboxes)},
		serve.Figure{Name: "nbterm_executions_total", Help: "Executions that were asked for.", Value: float64(n.Executed), Counter: true},
	)
}
