package main

import (
	"context"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient/hosts"
)

// filesHost is the host whose files are used: the one that code runs on, but with --envd
// alone a file service.
func (c *common) filesHost() (hosts.Target, error) {
	if c.envd == "" || c.hosted.url != "" && c.hosted.url != string(hosts.Local) {
		return c.hosted.resolve()
	}
	alone := c.hosted
	alone.url, alone.target = "e2b+"+c.envd, nil
	return alone.resolve()
}

// files is the files of that host, and what to call at the end.
func (c *common) files(ctx context.Context) (fswatch.FS, func(), error) {
	t, err := c.filesHost()
	if err != nil {
		return nil, nil, err
	}
	return c.filesOf(ctx, t)
}

// filesOf is the files of a host.
func (c *common) filesOf(ctx context.Context, t hosts.Target) (f fswatch.FS, closeFiles func(), err error) {
	switch t.Kind { // each kind of host whose files can be used has a line here
	case hosts.Local:
		f, err = localfs.New(localfs.Options{})
	case hosts.Process:
		f, err = c.processFiles(ctx, t)
	case hosts.Jupyter:
		f, err = serverFiles(t)
	case hosts.E2B, hosts.E2BServer:
		f, err = c.sandboxFiles(ctx, t)
	default:
		err = &fswatch.Error{Kind: fswatch.Unsupported, What: "the files of " + t.URL + " cannot be used from here"}
	}
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// patientFiles gives file services their usual clocks, in commands that have no flags for them.
func (c *common) patientFiles() {
	c.fsRequest, c.fsSilence = limit(envd.DefaultRequestTimeout), limit(envd.DefaultSilence)
}

// sandboxFiles is the files of an E2B sandbox, or of a server like one.
func (c *common) sandboxFiles(ctx context.Context, t hosts.Target) (fswatch.FS, error) {
	at, err := hosts.Files(ctx, t, c.envd)
	if err != nil {
		return nil, refused(err)
	}
	return envd.New(envd.Options{
		URL: at.URL, AccessToken: at.Token, Version: at.Version, Header: at.Header, User: c.fsUser, Name: t.URL,
		Request: time.Duration(c.fsRequest), Silence: time.Duration(c.fsSilence),
	})
}
