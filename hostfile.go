package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/tui"
)

// hostFilePatience is how long a notebook on a host may take to be read or written.
const hostFilePatience = 2 * time.Minute

// hostFile is a notebook among the files of a host, as package diskfile wants it.
type hostFile struct {
	files fswatch.FS
	path  fswatch.Path
}

func (h hostFile) context() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.Background(), hostFilePatience, &fswatch.TimeoutError{Clock: "reading or writing a notebook", Limit: hostFilePatience})
}

// readHost reads a notebook among the files of a host. More of them can be made there, and
// changes are told by the host.
func readHost(ask tui.OpenAsk) (f found, err error) {
	there := func(address string) (h hostFile, ok bool) {
		name, ok := strings.CutPrefix(address, ask.Place+"/")
		return hostFile{ask.Files, "/" + name}, ok
	}
	f.remote = func(address string) (*diskfile.File, error) {
		h, ok := there(address)
		if !ok {
			return nil, fmt.Errorf("it is not among the files of %s", ask.Place)
		}
		return diskfile.NewRemote(address, h), nil
	}
	f.watch = func(address string) tui.Watcher {
		if h, ok := there(address); ok {
			return watchHost(h.files, h.path)
		}
		return watch(address)
	}
	data, file, err := diskfile.ReadRemote(ask.Place+ask.Path, hostFile{ask.Files, ask.Path})
	if err == nil {
		f.file = file
		f.doc, err = notebook.Parse(data)
	}
	return f, err
}

// Get implements diskfile.Remote.
func (h hostFile) Get() ([]byte, diskfile.Stamp, error) {
	ctx, cancel := h.context()
	defer cancel()
	before, err := h.stat(ctx)
	if err != nil {
		return nil, diskfile.Stamp{}, err
	}
	body, _, err := h.files.Open(ctx, h.path, fswatch.Range{})
	if err != nil {
		return nil, diskfile.Stamp{}, hostFileError(err)
	}
	data, err := io.ReadAll(body)
	err = errors.Join(err, body.Close())
	return data, stampOf(before), hostFileError(err)
}

// Stat implements diskfile.Remote.
func (h hostFile) Stat() (diskfile.Stamp, error) {
	ctx, cancel := h.context()
	defer cancel()
	e, err := h.stat(ctx)
	return stampOf(e), err
}

func (h hostFile) stat(ctx context.Context) (fswatch.Entry, error) {
	e, err := h.files.Stat(ctx, h.path)
	switch {
	case err != nil:
		return e, hostFileError(err)
	case e.IsDir():
		return e, diskfile.ErrDirectory
	}
	return e, nil
}

// stampOf tells versions apart by time and size. Times in whole seconds would not do, so
// where they are all there is the size has to.
func stampOf(e fswatch.Entry) diskfile.Stamp {
	return diskfile.Stamp{Version: fmt.Sprintf("%d %d", e.ModTime.UnixNano(), e.Size)}
}

// Put implements diskfile.Remote. How a file is replaced in one step, and where that would
// change more of it than the content, each FS knows for itself.
func (h hostFile) Put(data []byte) (diskfile.Stamp, error) {
	ctx, cancel := h.context()
	defer cancel()
	file := fswatch.File{Path: h.path, Body: bytes.NewReader(data), Size: int64(len(data))}
	if _, err := h.files.Write(ctx, []fswatch.File{file}, fswatch.WriteOptions{}); err != nil {
		return diskfile.Stamp{}, hostFileError(err)
	}
	now, err := h.stat(ctx)
	return stampOf(now), err
}

// hostFileError says in the words of files what a host said of one.
func hostFileError(err error) error {
	if errors.Is(err, fswatch.NotFound) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
