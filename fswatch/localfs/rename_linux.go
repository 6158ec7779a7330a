package localfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames to a name that nothing has. Where the system can, in one step.
func renameNew(d disk, from, to string) error {
	if _, whole := d.(wholeDisk); whole {
		err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	if _, err := d.Lstat(to); err == nil {
		return os.ErrExist
	}
	return d.Rename(from, to)
}
