//go:build unix

package localfs

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/fswatch"
)

// names remembers what users and groups are called: each question reads a file.
type names struct {
	mu     sync.Mutex // guards both
	users  map[uint32]string
	groups map[uint32]string
}

// of is what a user and a group are called: names, or numbers that have none.
func (n *names) of(uid, gid uint32) (owner, group string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.users == nil {
		n.users, n.groups = map[uint32]string{}, map[uint32]string{}
	}
	owner, ok := n.users[uid]
	if !ok {
		owner = strconv.Itoa(int(uid))
		if u, err := user.LookupId(owner); err == nil {
			owner = u.Username
		}
		n.users[uid] = owner
	}
	group, ok = n.groups[gid]
	if !ok {
		group = strconv.Itoa(int(gid))
		if g, err := user.LookupGroupId(group); err == nil {
			group = g.Name
		}
		n.groups[gid] = group
	}
	return owner, group
}

// ids are the user and the group that a file belongs to.
func ids(info fs.FileInfo) (uid, gid uint32, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return st.Uid, st.Gid, true
}

// mayRead asks the system whether this process may read a file, or list and enter a folder.
func mayRead(path fswatch.Path, folder bool) bool {
	mode := uint32(unix.R_OK)
	if folder {
		mode |= unix.X_OK
	}
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}

// soleName tells whether no other name leads to a file.
func soleName(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink <= 1
}

// likeOwner gives a new file the owner and the group of an old one.
func likeOwner(file *os.File, old fs.FileInfo) error {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == syscall.Geteuid() && int(st.Gid) == syscall.Getegid() {
		return nil
	}
	return file.Chown(int(st.Uid), int(st.Gid))
}
