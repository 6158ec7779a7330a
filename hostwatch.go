package main

import (
	"context"
	"path"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/tui"
)

// hostWatch is a tui.Watcher of a file on a host that tells of changes by itself.
type hostWatch struct{ fswatch.Watcher }

// watchHost watches a file among the files of a host. One that has to be asked is asked as
// rarely as a Jupyter server is: a Watcher would list the folder every two seconds.
func watchHost(files fswatch.FS, name fswatch.Path) tui.Watcher {
	if !files.Capabilities().Push {
		return watchRemote()
	}
	w := hostWatch{fswatch.NewWatcher(files)}
	w.Want([]fswatch.Path{path.Dir(name)})
	return w
}

// Next implements tui.Watcher. Whatever happened in the folder, the file is looked at: that
// is one call.
func (w hostWatch) Next(ctx context.Context) error {
	_, err := w.Watcher.Next(ctx)
	return err
}
