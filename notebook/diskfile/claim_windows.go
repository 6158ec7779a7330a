package diskfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// claim makes a file that claimed tells as somebody's until it is closed, or its process
// ends in whatever way.
func claim(path string, text []byte) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = lock(file); err == nil {
		_, err = file.Write(text)
	}
	if err != nil {
		_ = file.Close() // the first error is the one to tell
		return nil, err
	}
	return file, nil
}

// claimed tells whether the file's maker still lives.
func claimed(path string, _ Owner) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	return lock(file) != nil
}

// lock locks a byte far behind the file's end: locked bytes cannot be read by others.
func lock(file *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 20}
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
