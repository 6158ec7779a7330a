package localfs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// maxLinks is how many symlinks a path may lead through, as for the system.
const maxLinks = 40

// Write is fswatch.FS's. A file is written beside its place, synced and renamed. One with
// several names (hard links), one whose owner cannot be given to a new file, and one in a
// folder that takes no new files is written in place: then a reader can see half of it.
func (f *FS) Write(ctx context.Context, files []fswatch.File, opt fswatch.WriteOptions) ([]fswatch.Entry, error) {
	switch {
	case opt.Gzip:
		return nil, &fswatch.Error{Kind: fswatch.Unsupported, What: "files of this machine are not compressed on the way"}
	case len(opt.Meta) > 0 && !hasMeta:
		return nil, &fswatch.Error{Kind: fswatch.Unsupported, What: "this system keeps no metadata with files"}
	}
	written := make([]fswatch.Entry, 0, len(files))
	for _, file := range files {
		if err := f.write(ctx, file, opt); err != nil {
			return written, err
		}
		e, err := f.Stat(ctx, file.Path)
		if err != nil {
			return written, err
		}
		written = append(written, e)
	}
	return written, nil
}

func (f *FS) write(ctx context.Context, file fswatch.File, opt fswatch.WriteOptions) error {
	if file.Path == "" || strings.HasSuffix(file.Path, "/") {
		return invalid(file.Path, "names a folder, not a file")
	}
	place, err := f.absolute(file.Path), error(nil)
	if !opt.New { // a link that leads nowhere is something that is there
		place, err = f.place(place)
	}
	if err == nil {
		err = f.at(place, func(name string) error {
			w := writer{disk: f.disk, file: file, opt: opt, name: name}
			return w.write(ctx)
		})
	}
	return refuse(file.Path, "cannot be written", err)
}

// place is where a path leads in the end, be there something or not. What it finds is only
// a name: a confined disk checks it like any other.
func (f *FS) place(path string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", invalid(path, "is a link that leads to itself")
}

// writer writes one file.
type writer struct {
	disk disk
	file fswatch.File
	opt  fswatch.WriteOptions
	name string      // on the disk, without a link at its end
	old  fs.FileInfo // what is there, nil if nothing
}

func (w *writer) write(ctx context.Context) error {
	info, err := w.disk.Lstat(w.name)
	switch {
	case err == nil && w.opt.New:
		return &fswatch.Error{Kind: fswatch.Exists, What: quote(w.file.Path) + " is there already"}
	case err == nil:
		if err := mustBeFile(w.file.Path, info); err != nil {
			return err
		}
		w.old = info
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if _, err := mkdirAll(w.disk, w.file.Path, filepath.Dir(w.name)); err != nil {
			return err
		}
	}
	if w.old != nil && !soleName(w.old) {
		return w.inPlace(ctx)
	}
	err = w.aside(ctx)
	if errors.Is(err, errInPlace) {
		return w.inPlace(ctx)
	}
	return err
}

// errInPlace says that a file cannot be replaced by a new one.
var errInPlace = errors.New("it can only be written in place")

// aside writes a new file beside the place and puts it there.
func (w *writer) aside(ctx context.Context) error {
	temp := filepath.Join(filepath.Dir(w.name), ".nbterm-"+rand.Text()[:12]+".tmp")
	mode := fs.FileMode(0o666)
	if w.file.Mode != 0 {
		mode = w.file.Mode.Perm()
	}
	out, err := w.disk.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		if w.old != nil && errors.Is(err, fs.ErrPermission) {
			return errInPlace
		}
		return err
	}
	defer func() { _ = w.disk.Remove(temp) }() // where it was not put in place
	if w.old != nil {
		err = likeOld(out, w.old)
	}
	if err == nil {
		err = w.fill(ctx, out)
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return w.put(temp)
}

// likeOld gives a new file the owner and the permission bits of what it replaces.
func likeOld(out *os.File, old fs.FileInfo) error {
	if err := likeOwner(out, old); err != nil {
		return errInPlace
	}
	return out.Chmod(old.Mode().Perm())
}

// put gives the finished file its name.
func (w *writer) put(temp string) error {
	if !w.opt.New {
		if err := w.disk.Rename(temp, w.name); err != nil {
			return err
		}
	} else if err := w.disk.Link(temp, w.name); errors.Is(err, fs.ErrExist) {
		return err
	} else if err != nil { // a file system without hard links
		if err := renameNew(w.disk, temp, w.name); err != nil {
			return err
		}
	}
	syncDir(w.disk, filepath.Dir(w.name))
	return nil
}

// syncDir makes a new name last. Some file systems cannot; the data is safe already.
func syncDir(d disk, name string) {
	if dir, err := d.OpenFile(name, os.O_RDONLY, 0); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

func (w *writer) inPlace(ctx context.Context) error {
	out, err := w.disk.OpenFile(w.name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	clearMeta(out)
	err = w.fill(ctx, out)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

// fill writes the body and makes it last.
func (w *writer) fill(ctx context.Context, out *os.File) error {
	body := &bodyReader{ctx: ctx, r: w.file.Body}
	n, err := io.Copy(out, body)
	switch {
	case body.err != nil && ctx.Err() != nil:
		return ctx.Err()
	case body.err != nil:
		return &fswatch.Error{Kind: fswatch.Failed, What: quote(w.file.Path) + " was not written, its contents could not be read", Err: body.err}
	case err != nil:
		return err
	case w.file.Size >= 0 && n != w.file.Size:
		return invalid(w.file.Path, fmt.Sprintf("was not written: there were %d bytes, %d were announced", n, w.file.Size))
	}
	if err := writeMeta(out, w.opt.Meta); err != nil {
		return err
	}
	return out.Sync()
}

// bodyReader ends with its context, and remembers which error was the body's own.
type bodyReader struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err = b.ctx.Err(); b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
