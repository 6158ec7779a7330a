package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/fswatch/trash"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui"
)

// opened reads a notebook, or begins a new one where there is none, and joins it with a
// kernel to be. A file that is no notebook is a *notebook.FormatError.
func (c *common) opened(ctx context.Context, path string, settings config) (tui.Opened, error) {
	var doc *notebook.Document
	var file *diskfile.File
	var remote func(string) (*diskfile.File, error)
	var err error
	if diskfile.IsRemote(path) {
		if doc, file, remote, err = c.readRemote(path); err == nil {
			path = file.Path
		}
	} else {
		doc, file, err = read(path, true)
	}
	if err != nil {
		return tui.Opened{}, err
	}
	file.StateDir = stateDir()
	places, err := c.places(settings, path)
	if err != nil {
		return tui.Opened{}, err
	}
	s, closeHost, err := c.session(ctx, doc, path, session.Options{
		AllowStdin: true, Places: places, Sum: fmt.Sprintf("%x", file.Sum()), OutputLimit: settings.OutputLimit << 20,
	})
	if err != nil {
		return tui.Opened{}, err
	}
	return tui.Opened{Session: s, File: file, Remote: remote, Notices: notices(doc), Close: closeHost}, nil
}

// opener opens further notebooks for the terminal program. What was said on the command
// line of the first one's kernel is not for them.
func (c *common) opener(settings config) func(context.Context, tui.OpenAsk) (tui.Opened, error) {
	return func(ctx context.Context, ask tui.OpenAsk) (tui.Opened, error) {
		own := *c
		if ask.New {
			ask.Path = freeName(ask.Path)
		}
		own.kernel, own.existing, own.context, own.cwd, own.env = ask.Kernel, "", "", "", nil
		o, err := own.opened(ctx, ask.Path, settings)
		var format *notebook.FormatError
		if !errors.As(err, &format) {
			return o, err
		}
		data, readErr := os.ReadFile(ask.Path)
		if readErr != nil {
			return tui.Opened{}, err
		}
		s, closeHost, sessionErr := own.session(ctx, notebook.New(), ask.Path, session.Options{})
		if sessionErr != nil {
			return tui.Opened{}, err
		}
		broken := &tui.Broken{Path: ask.Path, Data: data, Why: format.Error(), Line: format.Line, Copies: copiesOf(ask.Path)}
		return tui.Opened{Session: s, Broken: broken, Close: closeHost}, nil
	}
}

// treeOf gives the terminal program this machine's files. dir is where the tree begins, and
// opens at once; "" for the notebook's folder. With poll, changes are looked for.
func treeOf(opt *tui.Options, dir string, poll bool) (func(), error) {
	files, err := localfs.New(localfs.Options{Poll: poll})
	if err != nil {
		return nil, err
	}
	if can, ok := trash.Of(os.Getenv); ok {
		opt.Trash = func(path string) (func() error, error) {
			item, err := can.Put(path)
			return item.Restore, err
		}
	}
	opt.Files, opt.WatchFiles = files, func(files fswatch.FS) fswatch.Watcher { return fswatch.NewWatcher(files) }
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		opt.TreeRoot, opt.OpenTree = filepath.ToSlash(abs), true
	}
	return func() { _ = files.Close() }, nil // it only lets go
}

// runningPaths are the notebooks that have a kernel in the host process.
func (c *common) runningPaths(ctx context.Context) []string {
	list, err := c.listed(ctx)
	if err != nil {
		return nil // that nothing is marked says enough
	}
	var paths []string
	for _, l := range list {
		paths = append(paths, filepath.ToSlash(l.Path))
	}
	return paths
}

// isFolder tells whether a path names a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// untitled is a name in a folder for a new notebook that nothing there has yet.
func untitled(dir string) string { return freeName(filepath.Join(dir, "Untitled.ipynb")) }

// freeName is a path that nothing has yet, as JupyterLab counts.
func freeName(path string) string {
	ext := filepath.Ext(path)
	for n, name := 1, path; ; n++ {
		if _, err := os.Lstat(name); err != nil { // a folder that cannot be read is told when it is saved
			return name
		}
		name = fmt.Sprintf("%s%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// begin finds out what to open: a notebook, and the folder whose tree shows, "" for none.
func begin(args []string) (path, dir string) {
	switch {
	case len(args) == 0:
		return untitled(""), ""
	case diskfile.IsRemote(args[0]):
		return args[0], ""
	case isFolder(args[0]):
		return untitled(args[0]), args[0]
	}
	return args[0], ""
}
