package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/diskfile"
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

// Put implements diskfile.Remote. Where the files of the host are not replaced in one step,
// the new content is written beside the file and moved over it. That gives the file another
// mode and owner and breaks links: with any of those it is written in place.
func (h hostFile) Put(data []byte) (diskfile.Stamp, error) {
	ctx, cancel := h.context()
	defer cancel()
	old, err := h.files.Stat(ctx, h.path)
	if err != nil && !errors.Is(err, fswatch.NotFound) {
		return diskfile.Stamp{}, hostFileError(err)
	}
	can := h.files.Capabilities()
	if aside := err == nil && !can.Atomic && can.Modes && !old.Link && old.Mode.Perm() == 0o644; aside {
		err = h.replace(ctx, data)
	} else {
		err = h.write(ctx, h.path, data)
	}
	if err != nil {
		return diskfile.Stamp{}, hostFileError(err)
	}
	now, err := h.stat(ctx)
	return stampOf(now), err
}

func (h hostFile) write(ctx context.Context, name fswatch.Path, data []byte) error {
	file := fswatch.File{Path: name, Body: strings.NewReader(string(data)), Size: int64(len(data))}
	_, err := h.files.Write(ctx, []fswatch.File{file}, fswatch.WriteOptions{})
	return err
}

func (h hostFile) replace(ctx context.Context, data []byte) error {
	aside := path.Join(path.Dir(h.path), "."+path.Base(h.path)+".nbterm-"+rand.Text()[:8])
	err := h.write(ctx, aside, data)
	if err == nil {
		_, err = h.files.Move(ctx, aside, h.path, fswatch.MoveOptions{Replace: true})
	}
	if err != nil {
		_ = h.files.Remove(context.WithoutCancel(ctx), aside) // the error before counts
	}
	return err
}

// hostFileError says in the words of files what a host said of one.
func hostFileError(err error) error {
	if errors.Is(err, fswatch.NotFound) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
