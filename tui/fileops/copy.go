package fileops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Copy copies a file, or a folder with all that is in it, to a path where nothing is yet.
// Pipes, sockets, devices and links that lead nowhere are left out; what it came to is in
// Done.What. Where it fails or is cancelled, what was copied is taken away again.
func (o Ops) Copy(ctx context.Context, from, to fswatch.Path) (Done, error) {
	return o.CopyFrom(ctx, o.FS, from, to)
}

// CopyFrom is Copy from the files of another place.
func (o Ops) CopyFrom(ctx context.Context, source fswatch.FS, from, to fswatch.Path) (Done, error) {
	if there, err := fswatch.Has(ctx, o.FS, to); err != nil {
		return Done{}, err
	} else if there {
		return Done{}, exists(to)
	}
	if source == o.FS && strings.HasPrefix(to, strings.TrimSuffix(from, "/")+"/") {
		return Done{}, &fswatch.Error{Kind: fswatch.Invalid, What: path.Base(from) + " cannot be copied into itself"}
	}
	e, err := source.Stat(ctx, from)
	if err != nil {
		return Done{}, err
	}
	c := copier{from: source, to: o.FS}
	if e.IsDir() {
		err = c.folder(ctx, from, to)
	} else {
		err = c.file(ctx, from, to, e)
	}
	if err != nil {
		cleaned := o.FS.Remove(context.WithoutCancel(ctx), to)
		return Done{}, errors.Join(err, cleaned)
	}
	what := fmt.Sprintf("copied %s to %s", path.Base(from), to)
	if c.left > 0 {
		what += fmt.Sprintf("; %d pipes, devices or broken links were left out", c.left)
	}
	return Done{What: what, Path: to, Undo: func(ctx context.Context) error { return o.discard(ctx, to) }}, nil
}

type copier struct {
	from, to fswatch.FS
	left     int // what cannot be copied
}

func (c *copier) folder(ctx context.Context, from, to fswatch.Path) error {
	if _, err := c.to.Mkdir(ctx, to); err != nil {
		return err
	}
	list, err := c.from.List(ctx, from, fswatch.ListOptions{})
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		src, dst := path.Join(from, e.Name), path.Join(to, e.Name)
		if e.IsDir() && !e.Link { // a link to a folder may lead in a circle
			err = c.folder(ctx, src, dst)
		} else {
			err = c.file(ctx, src, dst, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) file(ctx context.Context, from, to fswatch.Path, e fswatch.Entry) error {
	if e.Type != fswatch.TypeFile {
		c.left++
		return nil
	}
	body, opened, err := c.from.Open(ctx, from, fswatch.Range{})
	if err != nil {
		return err
	}
	defer body.Close()
	file := fswatch.File{Path: to, Body: io.Reader(body), Size: opened.Size, Mode: e.Mode.Perm()}
	_, err = c.to.Write(ctx, []fswatch.File{file}, fswatch.WriteOptions{New: true})
	return err
}

// FreeName is a name in a folder for a copy of name that nothing there has yet.
func (o Ops) FreeName(ctx context.Context, dir fswatch.Path, name string) (fswatch.Path, error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if stem == "" {
		stem, ext = name, ""
	}
	for n := 0; ; n++ {
		try := name
		if n == 1 {
			try = stem + "-copy" + ext
		} else if n > 1 {
			try = fmt.Sprintf("%s-copy%d%s", stem, n, ext)
		}
		p := path.Join(dir, try)
		if there, err := fswatch.Has(ctx, o.FS, p); err != nil || !there {
			return p, err
		}
	}
}
