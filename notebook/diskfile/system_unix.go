//go:build unix

package diskfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps an open from waiting at a FIFO that took a file's place.
const nonblock = syscall.O_NONBLOCK

// replaceable tells whether another file may take this one's place: it has no other name,
// and nothing hangs on it that a new file would not have.
func replaceable(path string, info fs.FileInfo) bool {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		return false
	}
	buf := make([]byte, 4096)
	n, err := unix.Llistxattr(path, buf)
	if err != nil {
		return !errors.Is(err, unix.ERANGE)
	}
	for name := range strings.SplitSeq(string(buf[:n]), "\x00") {
		// A security label comes with the folder; provenance is macOS's own.
		if name != "" && !strings.HasPrefix(name, "security.") && !strings.HasPrefix(name, "com.apple.") {
			return false
		}
	}
	return true
}

// keepOwner gives file the owner and group that info has.
func keepOwner(file *os.File, info fs.FileInfo) error {
	want, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := file.Stat()
	if err != nil {
		return err
	}
	if have, ok := now.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return file.Chown(int(want.Uid), int(want.Gid))
}

// replaceError marks what writing in place may get round: a folder that may not be
// written, a mount point, a name too long.
func replaceError(err error) error {
	for _, e := range []error{fs.ErrPermission, syscall.EROFS, syscall.EBUSY, syscall.EXDEV, syscall.ENAMETOOLONG, syscall.ENOTSUP} {
		if errors.Is(err, e) {
			return &cannotReplace{err}
		}
	}
	return err
}

// syncDir makes a rename last. File systems that cannot sync a folder say EINVAL.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // a folder may be writable and not readable
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
