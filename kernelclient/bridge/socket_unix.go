//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/kernelclient"
)

// socket is a unix socket that is listened on. Its lock keeps its name ours while it is.
type socket struct {
	net.Listener
	path string
	node fs.FileInfo
	lock *os.File
}

// listen makes the place's socket in the first folder that can hold it.
func (p Place) listen() (*socket, error) {
	var errs []error
	for _, dir := range p.socketDirs() {
		if err := privateFolder(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, name := range p.socketNames() {
			s, err := listenAt(filepath.Join(dir, name))
			if err == nil {
				return s, nil
			}
			errs = append(errs, err)
		}
	}
	return nil, fmt.Errorf("the host process finds no place for its socket: %w", errors.Join(errs...))
}

// socketDirs are the folders that may hold the socket. The one in /tmp is for users
// without a runtime folder, and for the time after a logout that removed it.
func (p Place) socketDirs() []string {
	var dirs []string
	if p.Runtime != "" {
		dirs = append(dirs, filepath.Join(p.Runtime, "nbterm"))
	}
	return append(dirs, "/tmp/nbterm-"+strconv.Itoa(os.Getuid()))
}

// privateFolder makes a folder that only this user can enter. One that is there must be
// just that: in /tmp anybody may have made it.
func privateFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !fi.IsDir() || !ok || int(st.Uid) != os.Getuid() || fi.Mode().Perm()&0o077 != 0 {
		return &kernelclient.Error{
			Kind: kernelclient.Permission, What: dir + " is not a folder that only you can enter",
			Next: "remove it, or set XDG_RUNTIME_DIR to a folder of your own",
		}
	}
	return nil
}

// listenAt listens at a path that no living host process has. The folder keeps others out
// before the socket's own mode does.
func listenAt(path string) (_ *socket, err error) {
	lock, err := tryLock(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	node, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &socket{Listener: l, path: path, node: node, lock: lock}, nil
}

// intact tells whether clients still find the socket at its path: a logout may remove the
// whole runtime folder, a cleaner of /tmp the socket.
func (s *socket) intact() bool {
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(now, s.node)
}

// Accept lets in nobody but this user.
func (s *socket) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if checkPeer(c) == nil {
			return c, nil
		}
		_ = c.Close() // it was not ours to talk to
	}
}

// Close removes the socket and gives its name free.
func (s *socket) Close() error {
	return errors.Join(s.Listener.Close(), s.lock.Close())
}

// dialSocket connects to a host process and makes sure that it is this user's.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkPeer(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// checkPeer tells whether the other end of a connection belongs to this user.
func checkPeer(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("%T is no unix connection", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var peerErr error
	if err := raw.Control(func(fd uintptr) { uid, peerErr = peerUID(int(fd)) }); err != nil {
		return err
	}
	if peerErr != nil {
		return fmt.Errorf("asking who is at the other end of the socket: %w", peerErr)
	}
	if uid != os.Geteuid() {
		return &kernelclient.Error{
			Kind: kernelclient.Permission, What: fmt.Sprintf("the socket belongs to the user with the number %d", uid),
			Next: "nothing was sent to it; --no-host works without it",
		}
	}
	return nil
}

// tryLock locks a file, which it makes, for as long as it stays open, or fails at once with errLocked.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errLocked
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, f.Close()))
	}
	return f, nil
}
