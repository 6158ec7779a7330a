package localfs

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/nbterm/nbterm/fswatch"
)

// Open is fswatch.FS's.
func (f *FS) Open(ctx context.Context, path fswatch.Path, part fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	var file *os.File
	err := f.at(path, func(name string) (err error) {
		file, err = openRegular(f.disk, path, name)
		return err
	})
	if err != nil {
		return nil, fswatch.Entry{}, refuse(path, "cannot be read", err)
	}
	r, e, err := f.partOf(ctx, path, file, part)
	if err != nil {
		_ = file.Close()
		return nil, fswatch.Entry{}, refuse(path, "cannot be read", err)
	}
	return r, e, nil
}

// openRegular opens a file that is one. It looks first, because opening a device can do
// something, and once more after, because somebody may have put a pipe there meanwhile:
// opening one without waiting is harmless.
func openRegular(d disk, path fswatch.Path, name string) (*os.File, error) {
	info, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := mustBeFile(path, info); err != nil {
		return nil, err
	}
	file, err := d.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = mustBeFile(path, info)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func mustBeFile(path fswatch.Path, info os.FileInfo) error {
	switch {
	case info.IsDir():
		return invalid(path, "is a folder")
	case !info.Mode().IsRegular():
		return invalid(path, "is a pipe, socket or device, which nbterm never opens")
	}
	return nil
}

// partOf positions a file at the beginning of a part and ends it at its end.
func (f *FS) partOf(ctx context.Context, path fswatch.Path, file *os.File, part fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	e := fswatch.Entry{Name: info.Name(), Path: f.absolute(path), Type: fswatch.TypeFile, Mode: info.Mode(), Size: info.Size(), ModTime: info.ModTime()}
	if uid, gid, ok := ids(info); ok {
		e.Owner, e.Group = f.names.of(uid, gid)
	}
	offset, err := part.Begin(info.Size())
	if err != nil {
		return nil, e, err
	}
	if offset > 0 {
		if _, err := file.Seek(offset, io.SeekStart); err != nil {
			return nil, e, err
		}
	}
	r := &reader{ctx: ctx, file: file, path: path, r: file}
	if part.Length > 0 {
		r.r = io.LimitReader(file, part.Length)
	}
	return r, e, nil
}

// reader reads a file until its context ends.
type reader struct {
	ctx  context.Context
	file *os.File
	path fswatch.Path
	r    io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = refuse(r.path, "cannot be read", err)
	}
	return n, err
}

func (r *reader) Close() error { return r.file.Close() }
