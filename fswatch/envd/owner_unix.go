//go:build unix

package envd

import (
	"io/fs"
	"syscall"
)

// ids are the numeric owner and group.
func ids(info fs.FileInfo) (uid, gid uint32, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return st.Uid, st.Gid, true
}
