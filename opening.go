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
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui"
)

// found is a notebook that was read, or one that is new.
type found struct {
	doc    *notebook.Document
	file   *diskfile.File
	remote func(string) (*diskfile.File, error) // as tui.Options.Remote
	watch  func(string) tui.Watcher             // as tui.Opened.Watch
	close  func()                               // lets go of the files that it is among; nil for nothing
}

// find reads a notebook, or begins a new one where there is none. A file that is no notebook
// is a *notebook.FormatError.
func (c *common) find(ask tui.OpenAsk) (f found, err error) {
	switch {
	case ask.Files != nil:
		f, err = readHost(ask)
	case diskfile.IsRemote(ask.Path):
		f, err = c.readAddress(ask.Path)
	default:
		f.doc, f.file, err = read(ask.Path, true)
	}
	return f, err
}

// opened finds a notebook and joins it with a kernel to be.
func (c *common) opened(ctx context.Context, ask tui.OpenAsk, settings config) (tui.Opened, error) {
	f, err := c.find(ask)
	if err != nil {
		return tui.Opened{}, err
	}
	f.file.StateDir = stateDir()
	places, err := c.places(settings, f.file.Path)
	if err != nil {
		return tui.Opened{}, err
	}
	s, closeHost, err := c.session(ctx, f.doc, f.file.Path, session.Options{
		AllowStdin: true, Places: places, Sum: fmt.Sprintf("%x", f.file.Sum()), OutputLimit: settings.OutputLimit << 20,
	})
	if err != nil {
		return tui.Opened{}, err
	}
	closeAll := func() {
		closeHost()
		if f.close != nil {
			f.close()
		}
	}
	return tui.Opened{Session: s, File: f.file, Remote: f.remote, Watch: f.watch, Notices: notices(f.doc), Close: closeAll}, nil
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
		o, err := own.opened(ctx, ask, settings)
		var format *notebook.FormatError
		if !errors.As(err, &format) {
			return o, err
		}
		broken := &tui.Broken{Path: ask.Path, Why: format.Error(), Line: format.Line}
		var readErr error
		if ask.Files != nil {
			broken.Data, _, readErr = hostFile{ask.Files, ask.Path}.Get()
		} else {
			broken.Data, readErr = os.ReadFile(ask.Path)
			broken.Copies = copiesOf(ask.Path)
		}
		if readErr != nil {
			return tui.Opened{}, err
		}
		s, closeHost, sessionErr := own.session(ctx, notebook.New(), untitled(""), session.Options{})
		if sessionErr != nil {
			return tui.Opened{}, err
		}
		return tui.Opened{Session: s, Broken: broken, Close: closeHost}, nil
	}
}

// treeOf gives the terminal program the files of the host that filesHost is: this machine's,
// or those of another one, which are looked for when the tree opens. With dir it opens at
// once: in that folder, but the host's files begin where the host says. Where a host has none
// to show yet the folder does. With poll, changes of this machine's are looked for.
func (c *common) treeOf(opt *tui.Options, dir string, poll bool) (func(), error) {
	here, err := localfs.New(localfs.Options{Poll: poll})
	if err != nil {
		return nil, err
	}
	t, err := c.filesHost()
	if err != nil {
		return nil, err
	}
	if t.Kind == hosts.Process && far(t) {
		opt.KeptAt = t.URL
	}
	opt.WatchFiles = func(files fswatch.FS) fswatch.Watcher { return fswatch.NewWatcher(files) }
	closeFiles := func() { _ = here.Close() } // it only lets go
	if far(t) && (dir == "" || filesAtOnce(t)) {
		c.patientFiles()
		opt.Local, opt.FindFiles = here, c.hostFiles(t)
		opt.TreeRoot, opt.OpenTree = c.treeRoot, dir != "" || c.treeRoot != ""
		return closeFiles, nil
	}
	opt.Files = here
	if can, ok := trash.Of(os.Getenv); ok {
		opt.Trash = func(path string) (func() error, error) {
			item, err := can.Put(path)
			return item.Restore, err
		}
	}
	if dir == "" {
		return closeFiles, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	opt.TreeRoot, opt.OpenTree = filepath.ToSlash(abs), true
	return closeFiles, nil
}

// filesAtOnce tells whether a host has files to show before any cell ran.
func filesAtOnce(t hosts.Target) bool {
	switch t.Kind {
	case hosts.Jupyter, hosts.Process, hosts.E2BServer:
		return true
	case hosts.E2B:
		return t.ID != ""
	default:
		return false
	}
}

// hostFiles finds the files of a host. A sandbox that was made for this run is found by what
// its kernel is called.
func (c *common) hostFiles(t hosts.Target) func(context.Context, func(context.Context) (string, error)) (tui.FoundFiles, error) {
	return func(ctx context.Context, remote func(context.Context) (string, error)) (tui.FoundFiles, error) {
		if t.Kind == hosts.E2B && t.ID == "" {
			name, err := remote(ctx)
			if err != nil {
				return tui.FoundFiles{}, err
			}
			if name == "" {
				return tui.FoundFiles{}, errors.New("the sandbox is made when the first cell runs; its files show from then on")
			}
			t.ID, _, _ = strings.Cut(name, "/")
			t.URL = "e2b:" + t.ID
		}
		files, _, err := c.filesOf(ctx, t)
		return tui.FoundFiles{FS: files, Place: strings.TrimSuffix(t.URL, "/")}, err
	}
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
	return freeOf(path, func(name string) bool {
		_, err := os.Lstat(name)
		return err == nil // a folder that cannot be read is told when it is saved
	})
}

// freeOf is path, or the first one after it in JupyterLab's way of counting that is not taken.
func freeOf(path string, taken func(string) bool) string {
	ext := filepath.Ext(path)
	for n, name := 1, path; ; n++ {
		if !taken(name) {
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
