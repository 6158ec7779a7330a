package localfs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"github.com/nbterm/nbterm/fswatch"
)

// kindOf classes what the operating system says.
func kindOf(err error) fswatch.Kind {
	for _, k := range []struct {
		err  error
		kind fswatch.Kind
	}{
		{syscall.ENOTDIR, fswatch.Invalid},
		{syscall.EISDIR, fswatch.Invalid},
		{syscall.ENAMETOOLONG, fswatch.Invalid},
		{syscall.EINVAL, fswatch.Invalid},
		{syscall.ELOOP, fswatch.Invalid},
		{syscall.ENOTEMPTY, fswatch.Exists}, // before EEXIST: the same for the standard library
		{fs.ErrNotExist, fswatch.NotFound},
		{fs.ErrExist, fswatch.Exists},
		{fs.ErrPermission, fswatch.Permission},
		{syscall.EROFS, fswatch.Permission},
		{syscall.ENOSPC, fswatch.NoSpace},
		{syscall.EDQUOT, fswatch.NoSpace},
		{syscall.EXDEV, fswatch.Unsupported},
	} {
		if errors.Is(err, k.err) {
			return k.kind
		}
	}
	return fswatch.Failed
}

// refuse makes a typed error of err; nil and typed ones stay. what is such as "cannot be
// read". The path that the operating system names is dropped: what has one already.
func refuse(path fswatch.Path, what string, err error) error {
	var own *fswatch.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var p *fs.PathError
	var l *os.LinkError
	if errors.As(err, &p) {
		err = p.Err
	} else if errors.As(err, &l) {
		err = l.Err
	}
	next := map[fswatch.Kind]string{
		fswatch.NoSpace:     "free some space and try again",
		fswatch.Unsupported: "copy it and delete the old one",
	}
	kind := kindOf(err)
	return &fswatch.Error{Kind: kind, What: quote(path) + " " + what, Next: next[kind], Err: err}
}

func invalid(path fswatch.Path, what string) error {
	return &fswatch.Error{Kind: fswatch.Invalid, What: quote(path) + " " + what}
}

// quote shows a path in a message: as it is unless something in it would be misread.
func quote(path fswatch.Path) string {
	if q := strconv.Quote(path); len(q) != len(path)+2 || path == "" {
		return q
	}
	return path
}
