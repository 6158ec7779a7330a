package localfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/internal/namesort"
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
	found, err := l.folder(dir, name)
	if err != nil {
		return err
	}
	if depth <= 1 && len(l.entries) == 0 { // most are listed so: 100,000 need no copy
		l.entries = found
		return nil
	}
	for _, e := range found {
		l.entries = append(l.entries, e)
		if depth > 1 && e.Mode.IsDir() {
			at := len(l.entries) - 1
			if err := l.list(e.Path, join(name, e.Name), depth-1); l.ctx.Err() != nil {
				return l.ctx.Err()
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				l.entries[at].Problem = kindOf(err)
			}
		}
	}
	return nil
}

// folder is what is in one folder, by the bytes of the names.
func (l *lister) folder(dir fswatch.Path, name string) ([]fswatch.Entry, error) {
	file, err := l.fs.disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var items []item
	err = readItems(file, join(dir, ""), func(some []item) error {
		items = append(items, some...)
		return l.ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].name()
	}
	found := make([]fswatch.Entry, 0, len(items))
	for i, at := range namesort.Sorted(names, namesort.ByBytes) {
		if i%256 == 0 && l.ctx.Err() != nil {
			return nil, l.ctx.Err()
		}
		if e, ok := l.entry(file, name, &items[at]); ok {
			found = append(found, e)
		}
	}
	return found, nil
}

// item is a name in a folder as reading the folder tells it.
type item struct {
	path fswatch.Path
	base int32       // where the name begins in path: they share their memory
	mode fs.FileMode // its type
}

func (i *item) name() string { return i.path[i.base:] }

// entry describes one item of an open folder, which is dir on the disk; false if it has
// vanished meanwhile.
func (l *lister) entry(folder *os.File, dir string, it *item) (fswatch.Entry, bool) {
	e := fswatch.Entry{Name: it.name(), Path: it.path, Type: typeOf(it.mode), Mode: it.mode}
	if l.opt.Quick {
		if it.mode&fs.ModeSymlink != 0 {
			l.fs.follow(&e, join(dir, e.Name))
		}
		return e, true
	}
	what, err := l.fs.stat(folder, dir, e.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false
	}
	if err != nil { // the folder may be read but not searched
		e.Problem = kindOf(err)
		return e, true
	}
	l.fs.fill(&e, func() string { return join(dir, e.Name) }, what)
	if l.opt.Meta {
		e.Meta = readMeta(e.Path)
	}
	return e, true
}

// Names is fswatch.Naming's.
func (f *FS) Names(ctx context.Context, dir fswatch.Path, each func(*fswatch.Entry)) error {
	if err := f.folderInfo(dir, "cannot be listed"); err != nil {
		return err
	}
	err := f.at(dir, func(name string) error {
		file, err := f.disk.OpenFile(name, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		var e fswatch.Entry
		return readItems(file, "", func(some []item) error {
			for i := range some {
				it := &some[i]
				e = fswatch.Entry{Name: it.path, Type: typeOf(it.mode), Mode: it.mode}
				if it.mode&fs.ModeSymlink != 0 {
					e.Path = join(f.absolute(dir), e.Name)
					f.follow(&e, join(name, e.Name))
				}
				each(&e)
			}
			return ctx.Err()
		})
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return refuse(dir, "cannot be listed", err)
}

// join adds a name to a folder, which stays as it was asked for.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}
