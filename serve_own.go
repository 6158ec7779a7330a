package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// openOwn opens the server's own face: the host process's protocol, for nbterm on other
// machines. What its predecessor at the same address left is taken up.
func (s *server) openOwn(at string, opt serve.Options, root, token string) (*face, error) {
	settings, err := readConfig(configFile())
	if err != nil {
		return nil, err
	}
	own, release := s.place(root)
	server := bridge.NewServer(bridge.Options{
		Contexts: own, Limit: settings.JournalLimit << 20, Version: version, Log: opt.Log,
		Files: newOwnFiles(root, root, opt.Hosts, opt.Log),
		Token: token, MaxContexts: s.contexts, Stay: true,
		Host:  func(a bridge.Surroundings) (kernelclient.Host, error) { return s.rootedHost(a, root) },
		Adopt: settings.adopt,
	})
	life, cancel := context.WithCancel(context.Background())
	var beginning sync.WaitGroup
	beginning.Go(func() { server.Begin(life) })
	return &face{
		handler: server, below: []string{"/"}, where: []string{"nbterm+" + s.scheme() + "://" + at},
		figures: func() []serve.Figure {
			n := server.Counts()
			return append(figuresOf(n.Contexts, n.Active), serve.Figure{Name: "nbterm_followers", Help: "Clients that follow a context.", Value: float64(n.Followers)})
		},
		end: func(ctx context.Context) {
			cancel()
			beginning.Wait()
			server.End(ctx)
			if n := server.Counts().Lasting; n > 0 {
				note(fmt.Sprintf("kernels that go on: %d; `nbterm serve` at the same address and root takes them up", n))
			}
			release()
		},
	}, nil
}

// place is the folder where this server keeps what its contexts put out: another one for
// each address and root. "" where the system has none.
func (s *server) place(root string) (contexts string, release func()) {
	sum := sha256.Sum256([]byte(fmt.Sprint(s.listen, "\n", root, s.isolation)))
	own, free, err := hostPlace().Serving(hex.EncodeToString(sum[:8]))
	if err != nil {
		if !errors.Is(err, kernelclient.Unsupported) {
			note("what contexts put out is kept in memory only: " + err.Error())
		}
		return "", func() {}
	}
	return own.Contexts(), func() { _ = free() } // the process ends
}

// rootedHost is this machine, with relative folders and those that nobody named in the
// server's root. A client's own environment is that of another machine.
func (s *server) rootedHost(a bridge.Surroundings, root string) (kernelclient.Host, error) {
	if len(a.Target) > 0 {
		return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "this server runs code on its own machine only"}
	}
	return rooted{local.New(local.Options{Dir: beneath(root, a.Dir), Outlive: true, Log: a.Log, Box: s.box}), root, s.box.On()}, nil
}

// rooted is a host whose relative folders, and those that nobody named, begin at root.
type rooted struct {
	*local.Host
	root     string
	isolated bool
}

// Start implements kernelclient.Host.
func (r rooted) Start(ctx context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	spec.Dir = beneath(r.root, spec.Dir)
	return r.Host.Start(ctx, spec)
}

// Existing implements kernelclient.Joiner: kernels that others started are in no box.
func (r rooted) Existing(ctx context.Context, file string, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	if r.isolated {
		return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "this server isolates its kernels, and a kernel of another program is not"}
	}
	return r.Host.Existing(ctx, file, spec)
}

// beneath is a folder, which may be relative to root.
func beneath(root, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(root, dir)
}
