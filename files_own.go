package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
)

// ownFiles is the file service that a host process, or a server, gives its clients. Who may call is asked before it.
type ownFiles struct{ *envd.Server }

// newOwnFiles opens a folder of this machine for clients, who begin at another one in it.
// Where that cannot be done it is nil, and they are told that there are none.
func newOwnFiles(root, begin string, names []string, log *slog.Logger) http.Handler {
	server, err := envd.NewServer(envd.ServerOptions{Root: root, Home: begin, NoAuth: true, Hosts: names})
	if err != nil {
		log.Warn("no files are served", "error", err)
		return nil
	}
	return ownFiles{server}
}

// ServeHTTP implements http.Handler. Nobody sets up here what others then have.
func (f ownFiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/init" {
		http.NotFound(w, r)
		return
	}
	f.Server.ServeHTTP(w, r)
}

// homeFolder is the user's, "/" for one without.
func homeFolder() string {
	if home, err := os.UserHomeDir(); err == nil && isFolder(home) {
		return home
	}
	return "/"
}

// processFiles is the files of a host process's machine. Where that is this one they are
// used without it.
func (c *common) processFiles(ctx context.Context, t hosts.Target) (fswatch.FS, error) {
	opt, err := c.hosted.client(t, "", false)
	if err != nil {
		return nil, err
	}
	client := bridge.New(opt)
	if opt.Socket != "" {
		if here, err := client.Here(ctx); here || err != nil {
			err = errors.Join(refused(err), client.Close())
			if err != nil {
				return nil, err
			}
			return localfs.New(localfs.Options{})
		}
	}
	base, carrier := client.Files()
	files, err := envd.New(envd.Options{
		URL: base, Transport: toFiles{carrier}, Name: t.URL,
		Request: time.Duration(c.fsRequest), Silence: time.Duration(c.fsSilence),
	})
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return filesOfProcess{files, client}, nil
}

// filesOfProcess lets go of the connection, too.
type filesOfProcess struct {
	fswatch.FS
	client *bridge.Client
}

// Close implements fswatch.FS.
func (f filesOfProcess) Close() error { return errors.Join(f.FS.Close(), f.client.Close()) }

// toFiles says in the words of files what a host process says of itself.
type toFiles struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t toFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	var own *kernelclient.Error
	if errors.As(err, &own) {
		kind := fswatch.Disconnect
		for from, to := range map[kernelclient.Kind]fswatch.Kind{
			kernelclient.Unsupported: fswatch.Unsupported, kernelclient.Unauthenticated: fswatch.Unauthenticated,
			kernelclient.Permission: fswatch.Permission, kernelclient.Protocol: fswatch.Protocol, kernelclient.RateLimited: fswatch.RateLimited,
		} {
			if own.Kind == from {
				kind = to
			}
		}
		return nil, &fswatch.Error{Kind: kind, What: own.What, Next: own.Next, After: own.RetryAfter, Err: own.Err}
	}
	return resp, err
}
