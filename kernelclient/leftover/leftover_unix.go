//go:build unix

package leftover

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// unnamed ends the name of what is not locked yet. It is locked before it gets its real
	// name, so that nobody sees it unlocked while its maker lives.
	unnamed = ".new"
	// unnamedFor is how long something may be unnamed before its maker must have been killed.
	unnamedFor = time.Minute
)

// Claim says that the maker of a file or folder lives.
type Claim struct{ held *os.File }

// Make has create make a file or folder and puts it at path, claimed. On file systems
// without locks it is there all the same, but nobody will ever remove it for its maker.
func Make(path string, create func(path string) error) (*Claim, error) {
	if err := create(path + unnamed); err != nil {
		return nil, err
	}
	held, err := open(path + unnamed)
	if err == nil {
		_ = lock(held)
		if err = os.Rename(path+unnamed, path); err != nil {
			_ = held.Close() // nothing was written through it
		}
	}
	if err != nil {
		_ = os.Remove(path + unnamed)
		return nil, fmt.Errorf("claiming %s: %w", path, err)
	}
	return &Claim{held}, nil
}

// File is the claim as an open file. A process that inherits it upholds the claim as long as
// it lives. Only Close may close it; nil for a nil Claim.
func (c *Claim) File() *os.File {
	if c == nil {
		return nil
	}
	return c.held
}

// Take claims what is there already: what a process left that its maker was not. It is nil
// where somebody else holds the claim, as a child of the maker may, or nothing is there.
func Take(path string) *Claim {
	held, err := open(path)
	if err != nil {
		return nil
	}
	if lock(held) != nil {
		_ = held.Close() // nothing was written through it
		return nil
	}
	return &Claim{held}
}

// Close gives the claim up; what it was for should be removed before. A nil Claim is closed.
func (c *Claim) Close() {
	if c != nil {
		_ = c.held.Close() // nothing was written through it
	}
}

// Sweep removes what Make has put into dir under names that begin with prefix and end with
// suffix, if it is this user's and its maker is gone. It reads dir once. What cannot be
// removed stays.
func Sweep(dir, prefix, suffix string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // those before an error count
	for _, name := range names {
		named := strings.TrimSuffix(name, unnamed)
		if strings.HasPrefix(named, prefix) && strings.HasSuffix(named, suffix) {
			sweep(filepath.Join(dir, name), name != named)
		}
	}
}

func sweep(path string, isUnnamed bool) {
	f, err := open(path)
	if err != nil {
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.IsDir() && !fi.Mode().IsRegular() {
		return
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || st.Uid != uint32(os.Geteuid()) || isUnnamed && time.Since(fi.ModTime()) < unnamedFor {
		return
	}
	if lock(f) != nil {
		return // its maker lives
	}
	if fi.IsDir() {
		names, _ := f.Readdirnames(-1)
		for _, name := range names {
			_ = os.Remove(filepath.Join(path, name)) // no folder with something in it was ever ours
		}
	}
	_ = os.Remove(path)
}

// open opens what is to be locked, for writing where it can: some network file systems
// lock nothing else. It follows no link and waits for nobody.
func open(path string) (*os.File, error) {
	const flags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0)
	if errors.Is(err, syscall.EISDIR) {
		f, err = os.OpenFile(path, os.O_RDONLY|flags, 0)
	}
	return f, err
}

// lock locks without waiting. The lock goes with its file's last descriptor, and children
// that are started inherit none.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
