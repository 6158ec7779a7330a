package fswatch

import (
	"errors"

	"golang.org/x/sys/unix"
)

var errNetwork = errors.New("a network file system does not report what other machines do")

// Reports tells whether the system knows of all changes in a folder: nil, or why it does not.
// Of those that other machines make on a shared file system it does not (linux/magic.h).
func Reports(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return err
	}
	switch uint32(st.Type) {
	case 0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x65735546, 0x01021997, 0x00C36400, 0x0BD00BD0, 0x47504653, 0x5346414F:
		return errNetwork // NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, Lustre, GPFS, AFS
	}
	return nil
}
