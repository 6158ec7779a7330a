package localfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// Stat is fswatch.FS's.
func (f *FS) Stat(_ context.Context, path fswatch.Path) (fswatch.Entry, error) {
	var e fswatch.Entry
	err := f.at(path, func(name string) error {
		info, err := f.disk.Lstat(name)
		if err == nil {
			at := f.absolute(path)
			e = fswatch.Entry{Name: filepath.Base(at), Path: at}
			f.fill(&e, func() string { return name }, factsOf(info))
			e.Meta = readMeta(at)
		}
		return err
	})
	return e, refuse(path, "cannot be looked at", err)
}

// facts is what the system tells of something.
type facts struct {
	mode     fs.FileMode
	size     int64
	modTime  time.Time
	uid, gid uint32
	owned    bool // they are known
}

func factsOf(info fs.FileInfo) facts {
	what := facts{mode: info.Mode(), size: info.Size(), modTime: info.ModTime()}
	what.uid, what.gid, what.owned = ids(info)
	return what
}

// fill describes by what lstat found something that has its name and path. name tells its
// name on the disk, which only a symlink needs.
func (f *FS) fill(e *fswatch.Entry, name func() string, what facts) {
	e.Type, e.Mode, e.Size, e.ModTime = typeOf(what.mode), what.mode, what.size, what.modTime
	if what.owned {
		e.Owner, e.Group = f.names.of(what.uid, what.gid)
	}
	if what.mode&fs.ModeSymlink != 0 {
		f.follow(e, name())
	}
	if e.Problem == "" {
		e.Problem = f.problem(e.Path, *e)
	}
}

func typeOf(m fs.FileMode) fswatch.Type {
	switch {
	case m.IsRegular():
		return fswatch.TypeFile
	case m.IsDir():
		return fswatch.TypeDir
	case m&fs.ModeSymlink != 0:
		return fswatch.TypeNone
	}
	return fswatch.TypeOther
}

// follow fills in where a symlink leads.
func (f *FS) follow(e *fswatch.Entry, name string) {
	e.Link, e.Target, e.Type = true, e.Path, fswatch.TypeNone
	info, err := f.target(e.Path, name)
	if err != nil {
		e.Mode &^= fs.ModePerm
		e.Problem = kindOf(err)
		if escapes(err) || e.Problem == fswatch.Failed {
			e.Problem = fswatch.Invalid
		}
		return
	}
	e.Type = typeOf(info.Mode())
	e.Mode = e.Mode&^fs.ModePerm | info.Mode().Perm()
	if real, err := filepath.EvalSymlinks(e.Path); err == nil {
		e.Target = real
	}
}

// target is what a symlink leads to in the end.
func (f *FS) target(path fswatch.Path, name string) (fs.FileInfo, error) {
	info, err := f.disk.Stat(name)
	if !f.confined || !escapes(err) {
		return info, err
	}
	real, resolveErr := filepath.EvalSymlinks(path)
	if resolveErr != nil {
		return nil, resolveErr
	}
	name, ok := f.inside(real)
	if !ok {
		return nil, err
	}
	return f.disk.Stat(name)
}

// problem is why something cannot be read, as far as permission bits tell. The system is
// asked only where not everybody may: a question for each of 100,000 files takes long.
func (f *FS) problem(path fswatch.Path, e fswatch.Entry) fswatch.Kind {
	all := fs.FileMode(0o444)
	switch e.Type {
	case fswatch.TypeDir:
		all = 0o555
	case fswatch.TypeFile:
	default:
		return ""
	}
	if e.Mode&all != all && !mayRead(path, e.Type == fswatch.TypeDir) {
		return fswatch.Permission
	}
	return ""
}

// folderInfo is what is at a path, which must be a folder or a symlink to one.
func (f *FS) folderInfo(path fswatch.Path, what string) error {
	var info os.FileInfo
	err := f.at(path, func(name string) (err error) {
		info, err = f.disk.Stat(name)
		return err
	})
	if err == nil && !info.IsDir() {
		return invalid(path, "is not a folder")
	}
	if errors.Is(err, syscall.ELOOP) {
		return &fswatch.Error{Kind: fswatch.Invalid, What: quote(path) + " is a link that leads to itself"}
	}
	return refuse(path, what, err)
}
