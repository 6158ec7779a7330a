package local

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// writes tells of writes to one file by inotify, so that a kernel that says nothing costs
// no wake-up. Events that were not read yet are one event.
type writes struct{ f *os.File }

func watchWrites(path string) (*writes, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	w := &writes{f: os.NewFile(uintptr(fd), "inotify")}
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY); err != nil {
		_ = w.f.Close()
		return nil, fmt.Errorf("inotify: %w", err)
	}
	return w, nil
}

// next waits for a write since the last call. It fails once the watch is closed.
func (w *writes) next() error {
	var b [4096]byte
	_, err := w.f.Read(b[:])
	return err
}

func (w *writes) close() { _ = w.f.Close() }
