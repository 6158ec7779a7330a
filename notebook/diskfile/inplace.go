package diskfile

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// saveInPlace writes a synced copy to the state folder, then over the old content. The
// copy goes once the file itself is synced. A state folder that cannot be used keeps
// nobody from saving: the copy lies in a fresh temporary folder then.
func (f *File) saveInPlace(target string, write func(io.Writer) error) error {
	stateDir := f.StateDir
	r, err := OpenRecovery(stateDir, f.Path)
	if err != nil && stateDir != "" {
		stateDir = ""
		if fresh, freshErr := OpenRecovery("", f.Path); freshErr == nil {
			r, err = fresh, nil
		}
	}
	if err != nil {
		return err // it names the state folder
	}
	if err := r.Write(f.sumLocked(), write); err != nil {
		return errors.Join(err, r.Close(false))
	}
	safe := r.Copy()
	sum, info, err := overwrite(target, safe)
	if damaged := (*damage)(nil); errors.As(err, &damaged) {
		err := failed("save", f.Path, damaged.err)
		var e *Error
		if errors.As(err, &e) {
			e.Next, e.Copy = "the file may be damaged now", safe
		}
		_ = r.Close(true) // it keeps the copy
		return err
	}
	if err == nil {
		f.wrote(sum, info)
	}
	_ = r.Close(false) // a copy too many harms nobody
	if stateDir == "" {
		_ = os.Remove(filepath.Dir(safe))
	}
	if err != nil {
		return failed("save", f.Path, err)
	}
	return nil
}

// damage is a failure after the old content was touched.
type damage struct{ err error }

func (d *damage) Error() string { return d.err.Error() }

// overwrite puts the content of the file from in the place of target's. What goes beyond
// the old end is written first: where there is no room for it the old content stays whole.
// An error that is no *damage left it so.
func overwrite(target, from string) (hash.Hash, fs.FileInfo, error) {
	r, err := os.Open(from)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	w, err := os.OpenFile(target, os.O_WRONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	old, err := w.Stat()
	if err != nil {
		return nil, nil, err
	}
	tail := io.NewSectionReader(r, old.Size(), 1<<62)
	if err := extend(w, old.Size(), tail); err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(io.NewOffsetWriter(w, 0), sum), io.NewSectionReader(r, 0, old.Size()))
	var more int64
	if _, seekErr := tail.Seek(0, io.SeekStart); err == nil && seekErr == nil {
		more, err = io.Copy(sum, tail)
	}
	if err == nil {
		err = w.Truncate(n + more) // last: a failure before leaves no less than there was
	}
	if err == nil {
		err = w.Sync()
	}
	if err != nil {
		return nil, nil, &damage{err}
	}
	info, err := w.Stat()
	if err != nil {
		return nil, nil, &damage{err}
	}
	return sum, info, nil
}

// extend writes what goes beyond the old end of a file, or leaves it as it was.
func extend(w *os.File, end int64, tail io.Reader) error {
	n, err := io.Copy(io.NewOffsetWriter(w, end), tail)
	if err == nil && n > 0 {
		err = w.Sync() // some file systems find out only then that they are full
	}
	if err == nil {
		return nil
	}
	if cutErr := w.Truncate(end); cutErr != nil {
		return &damage{errors.Join(err, cutErr)}
	}
	return err
}
