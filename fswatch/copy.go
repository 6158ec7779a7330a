package fswatch

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// CopyOptions says how Copy works.
type CopyOptions struct {
	WriteOptions
	// Progress, if not nil, is told how many bytes of a file's size (-1: not known) are
	// copied: at its beginning, after each piece and at its end.
	Progress func(path Path, done, size int64)
	// Skip, if not nil, is told of what is not copied: links to folders and links that lead
	// nowhere, pipes, sockets and devices, and what cannot be read.
	Skip func(e Entry)
}

// Copy copies a file, or a folder with all that is in it, to a path of the same or another
// FS; into a folder that is there already. Links are followed where they lead to files. It
// stops at the first error; what was copied by then stays.
func Copy(ctx context.Context, from FS, source Path, to FS, target Path, opt CopyOptions) error {
	e, err := from.Stat(ctx, source)
	if err != nil {
		return err
	}
	if !e.IsDir() {
		return copyFile(ctx, from, source, to, target, opt)
	}
	entries, err := from.List(ctx, source, ListOptions{Depth: everyLevel})
	if err != nil {
		return err
	}
	if _, err := to.Mkdir(ctx, target); err != nil {
		return err
	}
	target = strings.TrimSuffix(target, "/")
	for _, e := range entries {
		if e.Name == ".." || strings.Contains(e.Name, "/") { // it would lead out of target
			return &Error{Kind: Protocol, What: fmt.Sprintf("the listing of %s has the name %q in it", source, e.Name)}
		}
		base := strings.TrimSuffix(entries[0].Path, entries[0].Name)
		at := target + "/" + strings.TrimPrefix(e.Path, base)
		switch {
		case e.Type == TypeFile && e.Problem == "":
			err = copyFile(ctx, from, e.Path, to, at, opt)
		case e.IsDir() && !e.Link && e.Problem == "":
			_, err = to.Mkdir(ctx, at)
		case opt.Skip != nil:
			opt.Skip(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(ctx context.Context, from FS, source Path, to FS, target Path, opt CopyOptions) error {
	r, e, err := from.Open(ctx, source, Range{})
	if err != nil {
		return err
	}
	defer r.Close()
	body := io.Reader(r)
	if opt.Progress != nil {
		opt.Progress(source, 0, e.Size)
		body = &counted{r: r, tell: func(n int64) { opt.Progress(source, n, e.Size) }}
	}
	// A file may grow while it is read, so its size is announced to nobody.
	_, err = to.Write(ctx, []File{{Path: target, Body: body, Size: -1, Mode: e.Mode.Perm()}}, opt.WriteOptions)
	return err
}

// counted tells how much was read.
type counted struct {
	r    io.Reader
	n    int64
	tell func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.tell(c.n)
	return n, err
}
