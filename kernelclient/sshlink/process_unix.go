//go:build unix

package sshlink

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart keeps the terminal's keys from ssh: Ctrl-C is for the kernel.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Standard is standard input and output for Serve. Closing them ends a read or a write that
// waits; those of package os would wait on, as long as the line is dead.
func Standard() (in, out *os.File) { return polled(os.Stdin), polled(os.Stdout) }

func polled(f *os.File) *os.File {
	fd := f.Fd()
	if syscall.SetNonblock(int(fd), true) != nil {
		return f
	}
	return os.NewFile(fd, f.Name())
}

// interrupted tells whether Ctrl-C ended a process.
func interrupted(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGINT
}

// lent is the terminal while ssh has it to ask something, or nothing.
type lent struct{ tty *os.File }

// lend gives ssh the terminal, if there is one that this process has. It is to be taken back.
func lend(cmd *exec.Cmd) lent {
	apart(cmd)
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return lent{}
	}
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		_ = tty.Close() // a background job has nothing to give
		return lent{}
	}
	cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(tty.Fd())
	return lent{tty}
}

// back takes the terminal back. It may be called again.
func (l *lent) back() {
	if l.tty == nil {
		return
	}
	signal.Ignore(syscall.SIGTTOU) // whoever takes the terminal from behind would be stopped
	_ = unix.IoctlSetPointerInt(int(l.tty.Fd()), unix.TIOCSPGRP, unix.Getpgrp())
	signal.Reset(syscall.SIGTTOU)
	_ = l.tty.Close() // nothing was written
	l.tty = nil
}
