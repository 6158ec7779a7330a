//go:build !linux

package localfs

import "os"

// renameNew renames to a name that nothing has, as far as can be seen beforehand.
func renameNew(d disk, from, to string) error {
	if _, err := d.Lstat(to); err == nil {
		return os.ErrExist
	}
	return d.Rename(from, to)
}
