package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/contents"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/tui"
)

// remoteLook is how often a server is asked whether a notebook of its changed.
const remoteLook = 15 * time.Second

// remoteFile is a file of a Jupyter server as package diskfile wants it.
type remoteFile struct{ *jupyterserver.File }

// Get implements diskfile.Remote.
func (r remoteFile) Get() ([]byte, diskfile.Stamp, error) {
	data, v, err := r.Read()
	return data, diskfile.Stamp{Version: v.Modified, ReadOnly: v.ReadOnly}, remoteError(err)
}

// Stat implements diskfile.Remote.
func (r remoteFile) Stat() (diskfile.Stamp, error) {
	v, err := r.File.Stat()
	return diskfile.Stamp{Version: v.Modified, ReadOnly: v.ReadOnly}, remoteError(err)
}

// Put implements diskfile.Remote.
func (r remoteFile) Put(data []byte) (diskfile.Stamp, error) {
	v, err := r.Write(data)
	return diskfile.Stamp{Version: v.Modified, ReadOnly: v.ReadOnly}, remoteError(err)
}

// remoteError says in the words of files what a server said of one.
func remoteError(err error) error {
	switch {
	case errors.Is(err, kernelclient.NotFound):
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case errors.Is(err, jupyterserver.ErrFolder):
		return diskfile.ErrDirectory
	}
	return err
}

// readAddress opens the notebook at an address. Its code runs on the same host, unless --host
// says otherwise.
func (c *common) readAddress(address string) (f found, err error) {
	files := c.hosted
	files.url, files.target = address, nil
	t, err := files.resolve()
	if err != nil {
		return f, err
	}
	if t.Path == "" {
		return f, fmt.Errorf("%s names no notebook; --host %s runs code there", t.URL, t.URL)
	}
	if c.hosted.url == "" || c.hosted.url == string(hosts.Local) {
		c.hosted = files
	}
	if t.Kind == hosts.Jupyter {
		f.doc, f.file, f.remote, err = readServer(t)
		return f, err
	}
	c.patientFiles()
	there, closeFiles, err := c.filesOf(context.Background(), t)
	if err != nil {
		return f, err
	}
	ask := tui.OpenAsk{Path: t.Path, Files: there, Place: t.URL}
	f, err = readHost(ask)
	if errors.Is(err, fs.ErrNotExist) {
		f.doc, f.file, err = notebook.New(), diskfile.NewRemote(t.URL+t.Path, hostFile{there, t.Path}), nil
	}
	if err != nil {
		closeFiles()
		return f, refused(err)
	}
	f.close = closeFiles
	return f, nil
}

// readServer opens a notebook on a Jupyter server. more stands for further files of it.
func readServer(t hosts.Target) (doc *notebook.Document, file *diskfile.File, more func(string) (*diskfile.File, error), err error) {
	server, err := jupyterServer(t)
	if err != nil {
		return nil, nil, nil, err
	}
	more = func(address string) (*diskfile.File, error) {
		path, ok := strings.CutPrefix(address, server.Address()+"/")
		if !ok {
			return nil, errors.New("it is not on the server of this notebook, " + server.Address())
		}
		return diskfile.NewRemote(address, remoteFile{server.File(path)}), nil
	}
	from := remoteFile{server.File(t.Path)}
	data, file, err := diskfile.ReadRemote(from.Address(), from)
	if errors.Is(err, fs.ErrNotExist) {
		return notebook.New(), diskfile.NewRemote(from.Address(), from), more, nil
	}
	if err != nil {
		return nil, nil, nil, &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	if doc, err = notebook.Parse(data); err != nil {
		err = fmt.Errorf("%s: %w", from.Address(), err)
	}
	return doc, file, more, err
}

// jupyterServer is the server of a target.
func jupyterServer(t hosts.Target) (*jupyterserver.Host, error) {
	open, err := hosts.Open(t, hosts.Options{Version: version, Warn: note})
	if err != nil {
		return nil, err
	}
	server, ok := open.(*jupyterserver.Host)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s is no Jupyter server", t.URL), open.Close())
	}
	return server, nil
}

// serverFiles is the files of a Jupyter server. Its connections end with the process.
func serverFiles(t hosts.Target) (fswatch.FS, error) {
	server, err := jupyterServer(t)
	if err != nil {
		return nil, err
	}
	return contents.New(server, t.URL), nil
}

// remoteWatch is a tui.Watcher that has the server asked now and then.
type remoteWatch struct {
	tick *time.Ticker
	over chan struct{}
	once sync.Once
}

// watchRemote watches a notebook on a server.
func watchRemote() tui.Watcher {
	return &remoteWatch{tick: time.NewTicker(remoteLook), over: make(chan struct{})}
}

// Next implements tui.Watcher.
func (w *remoteWatch) Next(ctx context.Context) error {
	select {
	case <-w.tick.C:
		return nil
	case <-w.over:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements tui.Watcher.
func (w *remoteWatch) Close() error {
	w.once.Do(func() {
		w.tick.Stop()
		close(w.over)
	})
	return nil
}
