package localfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Mkdir is fswatch.FS's.
func (f *FS) Mkdir(_ context.Context, path fswatch.Path) (created bool, err error) {
	err = f.at(path, func(name string) (err error) {
		created, err = mkdirAll(f.disk, path, filepath.Clean(name))
		return err
	})
	return created, refuse(path, "cannot be made", err)
}

// mkdirAll makes a folder, which is name on the disk, and those above it.
func mkdirAll(d disk, path fswatch.Path, name string) (created bool, err error) {
	info, err := d.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return false, nil
	case err == nil:
		return false, invalid(path, "cannot be made: "+quote(filepath.Base(name))+" is there and is not a folder")
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if _, err := d.Lstat(name); err == nil {
		return false, invalid(path, "cannot be made: "+quote(filepath.Base(name))+" is a link that leads nowhere")
	}
	if parent := filepath.Dir(name); parent != name {
		if _, err := mkdirAll(d, path, parent); err != nil {
			return false, err
		}
	}
	err = d.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) { // somebody else was faster
		info, statErr := d.Stat(name)
		if statErr == nil && info.IsDir() {
			return false, nil
		}
	}
	return err == nil, err
}

// Move is fswatch.FS's.
func (f *FS) Move(ctx context.Context, from, to fswatch.Path, opt fswatch.MoveOptions) (fswatch.Entry, error) {
	var source string
	err := f.at(from, func(name string) error {
		source = filepath.Clean(name)
		_, err := f.disk.Lstat(name)
		return err
	})
	if err == nil {
		err = f.at(to, func(target string) error {
			return f.move(source, filepath.Clean(target), to, opt)
		})
	}
	if err != nil {
		return fswatch.Entry{}, refuse(from, "cannot become "+quote(to), err)
	}
	return f.Stat(ctx, to)
}

func (f *FS) move(source, target string, to fswatch.Path, opt fswatch.MoveOptions) error {
	info, err := f.disk.Lstat(source)
	if err != nil {
		return err
	}
	there, err := f.disk.Lstat(target)
	switch {
	case source == target:
		return nil
	case err == nil && os.SameFile(info, there) && strings.EqualFold(source, target):
		return f.disk.Rename(source, target) // another spelling where case does not count
	case err == nil && (!opt.Replace || there.IsDir() || info.IsDir()):
		return &fswatch.Error{Kind: fswatch.Exists, What: quote(to) + " is there already"}
	case err == nil:
		return f.disk.Rename(source, target)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if strings.HasPrefix(target, source+"/") {
		return invalid(to, "is inside of what is to be moved")
	}
	if _, err := mkdirAll(f.disk, to, filepath.Dir(target)); err != nil {
		return err
	}
	return renameNew(f.disk, source, target)
}

// Remove is fswatch.FS's.
func (f *FS) Remove(_ context.Context, path fswatch.Path) error {
	if err := f.mayRemove(path); err != nil {
		return err
	}
	err := f.at(path, func(name string) error {
		if _, err := f.disk.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		return f.disk.RemoveAll(name)
	})
	return refuse(path, "cannot be deleted", err)
}

// mayRemove refuses what nobody means to delete, by whichever name.
func (f *FS) mayRemove(path fswatch.Path) error {
	clean := filepath.Clean(f.absolute(path))
	names := []string{clean}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(clean)); err == nil {
		names = append(names, filepath.Join(dir, filepath.Base(clean)))
	}
	for _, n := range names {
		for _, root := range []string{f.root, f.realRoot} {
			if n == "/" || n == root || strings.HasPrefix(root, strings.TrimSuffix(n, "/")+"/") {
				return invalid(path, "is not deleted: it is the root here, or has it in it")
			}
		}
	}
	return nil
}
