package contents

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Write is fswatch.FS's.
func (f *FS) Write(ctx context.Context, files []fswatch.File, opt fswatch.WriteOptions) ([]fswatch.Entry, error) {
	if opt.Gzip || len(opt.Meta) > 0 {
		return nil, &fswatch.Error{Kind: fswatch.Unsupported, What: f.name + " takes neither compressed files nor metadata"}
	}
	var written []fswatch.Entry
	for _, file := range files {
		e, err := f.write(ctx, file, opt)
		if err != nil {
			return written, err
		}
		written = append(written, e)
	}
	return written, nil
}

func (f *FS) write(ctx context.Context, file fswatch.File, opt fswatch.WriteOptions) (fswatch.Entry, error) {
	if err := f.writable(ctx, file.Path, opt); err != nil {
		return fswatch.Entry{}, err
	}
	data, err := file.ReadAll(ctx)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if err := f.parents(ctx, file.Path); err != nil {
		return fswatch.Entry{}, err
	}
	in := map[string]string{"type": "file", "format": "base64", "content": base64.StdEncoding.EncodeToString(data)}
	m, err := f.ask(ctx, http.MethodPut, file.Path, nil, in)
	if err != nil {
		return fswatch.Entry{}, err
	}
	e := m.entry(absolute(file.Path))
	e.Size = int64(len(data))
	return e, nil
}

// writable checks what is at a path that is to be written.
func (f *FS) writable(ctx context.Context, p fswatch.Path, opt fswatch.WriteOptions) error {
	if p == "" || strings.HasSuffix(p, "/") {
		return fail(fswatch.Invalid, p, "is a folder")
	}
	m, err := f.stat(ctx, p)
	switch {
	case errors.Is(err, fswatch.NotFound):
		return nil
	case err != nil:
		return err
	case opt.New:
		return fail(fswatch.Exists, p, "is there already")
	case m.Type == "directory":
		return fail(fswatch.Invalid, p, "is a folder")
	}
	return nil
}

// parents makes the folders above a path.
func (f *FS) parents(ctx context.Context, p fswatch.Path) error {
	if up := path.Dir(clean(p)); up != "/" {
		_, err := f.Mkdir(ctx, up)
		return err
	}
	return nil
}

// Mkdir is fswatch.FS's.
func (f *FS) Mkdir(ctx context.Context, p fswatch.Path) (created bool, err error) {
	m, err := f.stat(ctx, p)
	switch {
	case err == nil && m.Type == "directory":
		return false, nil
	case err == nil:
		return false, fail(fswatch.Invalid, p, "is a file")
	case !errors.Is(err, fswatch.NotFound):
		return false, err
	}
	if err := f.parents(ctx, p); err != nil {
		return false, err
	}
	_, err = f.ask(ctx, http.MethodPut, p, nil, map[string]string{"type": "directory"})
	return err == nil, err
}

// Move is fswatch.FS's. A file that is replaced is removed first: the server has no other way.
func (f *FS) Move(ctx context.Context, from, to fswatch.Path, opt fswatch.MoveOptions) (fswatch.Entry, error) {
	a, b := clean(from), clean(to)
	m, err := f.stat(ctx, from)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if err := check(to); err != nil {
		return fswatch.Entry{}, err
	}
	there, err := f.stat(ctx, to)
	switch {
	case a == b:
		return m.entry(absolute(to)), nil
	case err == nil && (!opt.Replace || there.Type == "directory" || m.Type == "directory"):
		return fswatch.Entry{}, fail(fswatch.Exists, to, "is there already")
	case err != nil && !errors.Is(err, fswatch.NotFound):
		return fswatch.Entry{}, err
	case strings.HasPrefix(b, a+"/"):
		return fswatch.Entry{}, fail(fswatch.Invalid, to, "is inside of what is to be moved")
	}
	if err == nil {
		err = f.Remove(ctx, to)
	} else {
		err = f.parents(ctx, to)
	}
	if err != nil {
		return fswatch.Entry{}, err
	}
	moved, err := f.ask(ctx, http.MethodPatch, from, nil, map[string]string{"path": strings.TrimPrefix(b, "/")})
	if err != nil {
		return fswatch.Entry{}, err
	}
	return moved.entry(absolute(to)), nil
}

// Remove is fswatch.FS's. A folder is emptied first: some servers remove none that is not.
func (f *FS) Remove(ctx context.Context, p fswatch.Path) error {
	if clean(p) == "/" {
		return fail(fswatch.Invalid, p, "is the root")
	}
	m, err := f.ask(ctx, http.MethodGet, p, url.Values{"content": {"0"}}, nil)
	if errors.Is(err, fswatch.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if m.Type == "directory" {
		below, err := f.list(ctx, absolute(p), 1)
		if err != nil {
			return err
		}
		for _, e := range below {
			if err := f.Remove(ctx, e.Path); err != nil {
				return err
			}
		}
	}
	_, err = f.ask(ctx, http.MethodDelete, p, nil, nil)
	if errors.Is(err, fswatch.NotFound) {
		return nil
	}
	return err
}
