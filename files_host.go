package main

import (
	"context"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient/hosts"
)

// files is the files of the host that --host names, and what to call at the end.
func (c *common) files(context.Context) (fswatch.FS, func(), error) {
	t, err := c.hosted.resolve()
	if err != nil {
		return nil, nil, err
	}
	var f fswatch.FS
	switch { // each kind of host whose files can be used has a line here
	case t.Kind == hosts.Local, t.Kind == hosts.Process && t.Socket != "":
		f, err = localfs.New(localfs.Options{})
	default:
		err = &fswatch.Error{Kind: fswatch.Unsupported, What: "the files of " + t.URL + " cannot be used from here"}
	}
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}
