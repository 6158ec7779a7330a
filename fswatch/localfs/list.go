package localfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// List is fswatch.FS's.
func (f *FS) List(ctx context.Context, dir fswatch.Path, opt fswatch.ListOptions) ([]fswatch.Entry, error) {
	if err := f.folderInfo(dir, "cannot be listed"); err != nil {
		return nil, err
	}
	var entries []fswatch.Entry
	err := f.at(dir, func(name string) (err error) {
		l := lister{fs: f, ctx: ctx, opt: opt}
		err = l.list(f.absolute(dir), name, max(opt.Depth, 1))
		entries = l.entries
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return entries, refuse(dir, "cannot be listed", err)
}

type lister struct {
	fs      *FS
	ctx     context.Context
	opt     fswatch.ListOptions
	entries []fswatch.Entry
}

// list adds what is in a folder, which is name on the disk.
func (l *lister) list(dir fswatch.Path, name string, depth int) error {
	items, err := readDir(l.fs.disk, name)
	if err != nil {
		return err
	}
	if l.entries == nil {
		l.entries = make([]fswatch.Entry, 0, len(items))
	}
	for i, item := range items {
		if i%256 == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		e, ok := l.entry(join(dir, item.Name()), name, item)
		if !ok {
			continue
		}
		l.entries = append(l.entries, e)
		if depth > 1 && item.IsDir() {
			at := len(l.entries) - 1
			if err := l.list(e.Path, join(name, item.Name()), depth-1); l.ctx.Err() != nil {
				return l.ctx.Err()
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				l.entries[at].Problem = kindOf(err)
			}
		}
	}
	return nil
}

// entry describes one item of a folder, which is dir on the disk; false if it has vanished
// meanwhile.
func (l *lister) entry(path fswatch.Path, dir string, item fs.DirEntry) (fswatch.Entry, bool) {
	e := fswatch.Entry{Name: item.Name(), Path: path, Type: typeOf(item.Type()), Mode: item.Type()}
	if l.opt.Quick && item.Type()&fs.ModeSymlink == 0 {
		return e, true
	}
	name := join(dir, item.Name())
	if l.opt.Quick {
		l.fs.follow(&e, name)
		return e, true
	}
	info, err := l.fs.disk.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false
	}
	if err != nil { // the folder may be read but not searched
		e.Problem = kindOf(err)
		return e, true
	}
	return l.fs.entry(path, name, info, l.opt.Meta), true
}

// readDir is the items of a folder by the bytes of their names.
func readDir(d disk, name string) ([]fs.DirEntry, error) {
	dir, err := d.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	items, err := dir.ReadDir(-1)
	slices.SortFunc(items, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return items, err
}

// join adds a name to a folder, which stays as it was asked for.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}
