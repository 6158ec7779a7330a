package contents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// stat describes what is at a path. Below a file nothing can be: the server only says that
// it is not there.
func (f *FS) stat(ctx context.Context, p fswatch.Path) (model, error) {
	m, err := f.ask(ctx, http.MethodGet, p, url.Values{"content": {"0"}}, nil)
	switch {
	case err == nil && m.Type != "directory" && strings.HasSuffix(p, "/"):
		return m, fail(fswatch.Invalid, p, "is no folder")
	case !errors.Is(err, fswatch.NotFound):
		return m, err
	}
	for up := path.Dir(clean(p)); up != "/"; up = path.Dir(up) {
		above, upErr := f.ask(ctx, http.MethodGet, up, url.Values{"content": {"0"}}, nil)
		switch {
		case errors.Is(upErr, fswatch.NotFound):
			continue
		case upErr == nil && above.Type != "directory":
			return m, fail(fswatch.Invalid, p, "is below a file")
		}
		break
	}
	return m, err
}

// Stat is fswatch.FS's.
func (f *FS) Stat(ctx context.Context, p fswatch.Path) (fswatch.Entry, error) {
	m, err := f.stat(ctx, p)
	if err != nil {
		return fswatch.Entry{}, err
	}
	return m.entry(absolute(p)), nil
}

// List is fswatch.FS's.
func (f *FS) List(ctx context.Context, dir fswatch.Path, opt fswatch.ListOptions) ([]fswatch.Entry, error) {
	return f.list(ctx, absolute(dir), max(opt.Depth, 1))
}

func (f *FS) list(ctx context.Context, dir fswatch.Path, depth int) ([]fswatch.Entry, error) {
	m, err := f.ask(ctx, http.MethodGet, dir, url.Values{"content": {"1"}, "type": {"directory"}}, nil)
	if errors.Is(err, fswatch.NotFound) || errors.Is(err, fswatch.Invalid) {
		if m, statErr := f.stat(ctx, dir); statErr == nil && m.Type != "directory" {
			err = fail(fswatch.Invalid, dir, "is not a folder")
		} else if statErr != nil {
			err = statErr
		}
	}
	if err != nil {
		return nil, err
	}
	if m.Type != "directory" {
		return nil, fail(fswatch.Invalid, dir, "is not a folder")
	}
	var children []model
	if err := json.Unmarshal(m.Content, &children); err != nil {
		return nil, &fswatch.Error{Kind: fswatch.Protocol, What: "the server's list of " + dir + " cannot be read"}
	}
	slices.SortFunc(children, func(a, b model) int { return strings.Compare(a.Name, b.Name) })
	return f.deeper(ctx, dir, children, depth)
}

// deeper makes entries of what is in a folder, and of what is below.
func (f *FS) deeper(ctx context.Context, dir fswatch.Path, children []model, depth int) ([]fswatch.Entry, error) {
	var all []fswatch.Entry
	for _, child := range children {
		e := child.entry(strings.TrimSuffix(dir, "/") + "/" + child.Name)
		all = append(all, e)
		if depth < 2 || !e.IsDir() {
			continue
		}
		below, err := f.list(ctx, e.Path, depth-1)
		var refused *fswatch.Error
		switch {
		case err == nil:
			all = append(all, below...)
		case errors.Is(err, fswatch.NotFound): // it went meanwhile
		case errors.As(err, &refused) && (refused.Kind == fswatch.Permission || refused.Kind == fswatch.Invalid):
			all[len(all)-1].Problem = refused.Kind
		default:
			return nil, err
		}
	}
	return all, nil
}

// Open is fswatch.FS's. The whole file is fetched, whatever the part.
func (f *FS) Open(ctx context.Context, p fswatch.Path, part fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	m, err := f.stat(ctx, p)
	if err == nil && m.Type == "directory" {
		err = fail(fswatch.Invalid, p, "is a folder")
	}
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	m, err = f.ask(ctx, http.MethodGet, p, url.Values{"content": {"1"}, "type": {"file"}, "format": {"base64"}}, nil)
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	data, err := m.bytes()
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	e := m.entry(absolute(p))
	e.Size = int64(len(data))
	begin, err := part.Begin(e.Size)
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	data = data[min(begin, e.Size):]
	if part.Length > 0 {
		data = data[:min(part.Length, int64(len(data)))]
	}
	return io.NopCloser(bytes.NewReader(data)), e, nil
}

// Watch is fswatch.FS's: the folder is listed again and again.
func (f *FS) Watch(ctx context.Context, dir fswatch.Path, opt fswatch.WatchOptions) (fswatch.Stream, error) {
	if opt.Recursive {
		return nil, &fswatch.Error{Kind: fswatch.Unsupported, What: f.name + " cannot be watched with all that is below a folder", Next: "watch single folders"}
	}
	return fswatch.Poll(ctx, f, dir, opt, nil)
}
