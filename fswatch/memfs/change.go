package memfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Open is fswatch.FS's. The reader keeps what was there when it was opened.
func (f *FS) Open(_ context.Context, name fswatch.Path, part fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	switch {
	case err != nil:
		return nil, fswatch.Entry{}, err
	case n.dir:
		return nil, fswatch.Entry{}, fail(fswatch.Invalid, name, "is a folder")
	case f.problems[clean(name)] != "":
		return nil, fswatch.Entry{}, fail(f.problems[clean(name)], name, "cannot be read")
	}
	begin, err := part.Begin(int64(len(n.data)))
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	data := n.data[min(begin, int64(len(n.data))):]
	if part.Length > 0 {
		data = data[:min(part.Length, int64(len(data)))]
	}
	return io.NopCloser(bytes.NewReader(data)), f.entry(absolute(name), n), nil
}

// Write is fswatch.FS's.
func (f *FS) Write(ctx context.Context, files []fswatch.File, opt fswatch.WriteOptions) ([]fswatch.Entry, error) {
	if opt.Gzip && !f.caps.Gzip || len(opt.Meta) > 0 && !f.caps.Meta {
		return nil, &fswatch.Error{Kind: fswatch.Unsupported, What: "this file system cannot do that"}
	}
	var written []fswatch.Entry
	for _, file := range files {
		data, err := file.ReadAll(ctx)
		if err != nil {
			return written, err
		}
		e, err := f.put(file, data, opt)
		if err != nil {
			return written, err
		}
		written = append(written, e)
	}
	return written, nil
}

func (f *FS) put(file fswatch.File, data []byte, opt fswatch.WriteOptions) (fswatch.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if file.Path == "" || strings.HasSuffix(file.Path, "/") {
		return fswatch.Entry{}, fail(fswatch.Invalid, file.Path, "is a folder")
	}
	p := clean(file.Path)
	n, err := f.find(file.Path)
	switch {
	case err == nil && opt.New:
		return fswatch.Entry{}, fail(fswatch.Exists, file.Path, "is there already")
	case err == nil && n.dir:
		return fswatch.Entry{}, fail(fswatch.Invalid, file.Path, "is a folder")
	case err != nil && !missing(err):
		return fswatch.Entry{}, err
	case err != nil:
		f.mkdirAll(path.Dir(p))
		n = f.newNode(false)
		if file.Mode != 0 {
			n.mode = file.Mode.Perm()
		}
		f.nodes[p] = n
		f.tell(fswatch.OpCreate, p)
	}
	n.data, n.time, n.meta = data, f.now(), maps.Clone(opt.Meta)
	if err != nil && len(data) == 0 {
		return f.entry(absolute(file.Path), n), nil
	}
	f.tell(fswatch.OpWrite, p)
	return f.entry(absolute(file.Path), n), nil
}

func missing(err error) bool { return errors.Is(err, fswatch.NotFound) }

// mkdirAll makes a folder and those above it; none of them is a file.
func (f *FS) mkdirAll(p string) {
	if f.nodes[p] != nil {
		return
	}
	f.mkdirAll(path.Dir(p))
	f.nodes[p] = f.newNode(true)
	f.tell(fswatch.OpCreate, p)
}

// Mkdir is fswatch.FS's.
func (f *FS) Mkdir(_ context.Context, name fswatch.Path) (created bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	switch {
	case err == nil && n.dir:
		return false, nil
	case err == nil:
		return false, fail(fswatch.Invalid, name, "is a file")
	case !missing(err):
		return false, err
	}
	f.mkdirAll(clean(name))
	return true, nil
}

// Move is fswatch.FS's.
func (f *FS) Move(_ context.Context, from, to fswatch.Path, opt fswatch.MoveOptions) (fswatch.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, b := clean(from), clean(to)
	n, err := f.find(from)
	if err != nil {
		return fswatch.Entry{}, err
	}
	there, err := f.find(to)
	switch {
	case a == b:
		return f.entry(absolute(to), n), nil
	case err == nil && (!opt.Replace || there.dir || n.dir):
		return fswatch.Entry{}, fail(fswatch.Exists, to, "is there already")
	case err != nil && !missing(err):
		return fswatch.Entry{}, err
	case strings.HasPrefix(b, a+"/"):
		return fswatch.Entry{}, fail(fswatch.Invalid, to, "is inside of what is to be moved")
	}
	f.mkdirAll(path.Dir(b))
	for _, p := range f.below(a) {
		f.nodes[b+strings.TrimPrefix(p, a)] = f.nodes[p]
		delete(f.nodes, p)
	}
	f.tell(fswatch.OpRename, a)
	f.tell(fswatch.OpCreate, b)
	return f.entry(absolute(to), n), nil
}

// below is a path and all that is in it, sorted.
func (f *FS) below(p string) []string {
	var all []string
	for q := range f.nodes {
		if q == p || strings.HasPrefix(q, strings.TrimSuffix(p, "/")+"/") {
			all = append(all, q)
		}
	}
	slices.Sort(all)
	return all
}

// Remove is fswatch.FS's.
func (f *FS) Remove(_ context.Context, name fswatch.Path) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if clean(name) == "/" {
		return fail(fswatch.Invalid, name, "is the root")
	}
	_, err := f.find(name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range slices.Backward(f.below(clean(name))) {
		delete(f.nodes, p)
		f.tell(fswatch.OpRemove, p)
	}
	return nil
}
