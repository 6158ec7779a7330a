package localfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// disk is what is asked of the operating system. *os.Root is one: it takes names below its
// folder and refuses what leads out, component by component, so that no race gets past it.
type disk interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Stat(name string) (os.FileInfo, error)
	Lstat(name string) (os.FileInfo, error)
	Mkdir(name string, perm os.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	Close() error
}

// wholeDisk has no bounds; its names are absolute paths.
type wholeDisk struct{}

func (wholeDisk) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (wholeDisk) Stat(name string) (os.FileInfo, error)     { return os.Stat(name) }
func (wholeDisk) Lstat(name string) (os.FileInfo, error)    { return os.Lstat(name) }
func (wholeDisk) Mkdir(name string, perm os.FileMode) error { return os.Mkdir(name, perm) }
func (wholeDisk) Rename(from, to string) error              { return os.Rename(from, to) }
func (wholeDisk) Link(from, to string) error                { return os.Link(from, to) }
func (wholeDisk) Remove(name string) error                  { return os.Remove(name) }
func (wholeDisk) RemoveAll(name string) error               { return os.RemoveAll(name) }
func (wholeDisk) Close() error                              { return nil }

// absolute is the path that a relative or empty one means. An absolute one stays as it is:
// who asked sees it again.
func (f *FS) absolute(path fswatch.Path) fswatch.Path {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.root, path)
}

// name is the disk's name for a path.
func (f *FS) name(path fswatch.Path) (string, error) {
	abs := f.absolute(path)
	if strings.IndexByte(abs, 0) >= 0 {
		return "", &fswatch.Error{Kind: fswatch.Invalid, What: quote(path) + " is no path: it has a NUL byte"}
	}
	if !f.confined {
		return abs, nil
	}
	name, ok := f.inside(filepath.Clean(abs))
	if !ok {
		return "", f.outside(path)
	}
	if strings.HasSuffix(abs, "/") && name != "." {
		name += "/" // a file with it is an error, as everywhere
	}
	return name, nil
}

// inside is a clean absolute path as a name below the root.
func (f *FS) inside(clean string) (string, bool) {
	for _, root := range []string{f.root, f.realRoot} {
		rel, err := filepath.Rel(root, clean)
		if err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

func (f *FS) outside(path fswatch.Path) error {
	return &fswatch.Error{Kind: fswatch.Invalid, What: quote(path) + " is outside of " + quote(f.root), Next: "only what is below that folder can be used here"}
}

// at does something with the disk's name for a path. os.Root refuses absolute symlinks even
// where they stay inside: such a path is resolved here and tried once more, by a name
// without links that os.Root checks as any other.
func (f *FS) at(path fswatch.Path, do func(name string) error) error {
	name, err := f.name(path)
	if err != nil {
		return err
	}
	err = do(name)
	if !f.confined || !escapes(err) {
		return err
	}
	name, ok := f.inside(resolve(f.absolute(path)))
	if !ok {
		return f.outside(path)
	}
	if err = do(name); escapes(err) {
		return f.outside(path)
	}
	return err
}

// resolve is a path without symlinks as far as there is something.
func resolve(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if parent := filepath.Dir(path); err != nil && parent != path {
		return filepath.Join(resolve(parent), filepath.Base(path))
	}
	if err != nil {
		return path
	}
	return real
}

// escapes recognizes os.Root's refusal, which has no exported value.
func escapes(err error) bool {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	default:
		return false
	}
	return err != nil && err.Error() == "path escapes from parent"
}
