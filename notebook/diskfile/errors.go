package diskfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// What a path may turn out to be, for errors.Is. A missing file is fs.ErrNotExist, a
// forbidden one fs.ErrPermission, a full disk syscall.ENOSPC.
var (
	ErrDirectory  = errors.New("is a directory")
	ErrNotRegular = errors.New("is not a regular file")

	// ErrNotLasting comes from Save when the file has its new content already.
	ErrNotLasting = errors.New("its folder could not be synced")
)

// Error says what could not be done with a file, why, and what to do next.
type Error struct {
	Op   string // "open" or "save"
	Path string // as the caller gave it
	Next string // "" where there is nothing to advise
	// Copy is where the new content is safe nevertheless, "" for nowhere.
	Copy string
	Err  error
}

func (e *Error) Error() string {
	if errors.Is(e.Err, ErrNotLasting) {
		return fmt.Sprintf("%s is written but may not survive a power cut: %s; save again", e.Path, e.Err)
	}
	s := fmt.Sprintf("cannot %s %s: %s", e.Op, e.Path, cause(e.Err))
	if e.Next != "" {
		s += "; " + e.Next
	}
	if e.Copy != "" {
		s += "; the new content is safe in " + e.Copy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// cause is the plain part of an operating system's error: the path is said already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func failed(op, path string, err error) error {
	e := &Error{Op: op, Path: path, Err: err}
	switch {
	case errors.Is(err, ErrDirectory):
		e.Next = "name a file in it"
	case errors.Is(err, ErrNotRegular):
		e.Next = "notebooks are read from files only"
	case errors.Is(err, fs.ErrNotExist) && op == "save":
		e.Next = "create the folder first: mkdir -p " + filepath.Dir(path)
	case errors.Is(err, fs.ErrPermission) && op == "save":
		e.Next = "make it writable (chmod u+w) and save again, or save under another name"
	case errors.Is(err, fs.ErrPermission) && op == "open":
		e.Next = "you may not read it; ask its owner or use chmod"
	case errors.Is(err, syscall.EROFS):
		e.Next = "save under a name on another file system"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Next = "make room and save again; the old content is untouched"
	case errors.Is(err, syscall.EFBIG):
		e.Next = "the limit for file sizes (ulimit -f) is lower than it needs; the old content is untouched"
	case errors.Is(err, fs.ErrExist):
		e.Next = "another program made it meanwhile: open it, or save under another name"
	}
	return e
}
