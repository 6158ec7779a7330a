//go:build unix

package diskfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// claim makes a file that claimed tells as somebody's until it is closed, or its process
// ends in whatever way. It is written and locked before it gets its name: nobody sees it
// empty or unlocked.
func claim(path string, text []byte) (*os.File, error) {
	file, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(file)
	if errors.Is(err, errNoLocks) {
		err = nil // the process's number must do: see claimed
	}
	if err == nil {
		_, err = file.Write(text)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		_ = file.Close() // the first error is the one to tell
		_ = os.Remove(path + ".new")
		return nil, err
	}
	return file, nil
}

// claimed tells whether the file's maker still lives.
func claimed(path string, by Owner) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	err = flock(file)
	if errors.Is(err, errNoLocks) {
		return alive(by)
	}
	return err != nil
}

var errNoLocks = errors.New("the file system has no locks")

// flock locks a file without waiting.
func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EINVAL):
			return errNoLocks
		}
		return err
	}
}

// alive tells whether a process runs. One of another machine is taken to.
func alive(o Owner) bool {
	if host, err := os.Hostname(); err != nil || host != o.Host {
		return true
	}
	err := syscall.Kill(o.PID, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
