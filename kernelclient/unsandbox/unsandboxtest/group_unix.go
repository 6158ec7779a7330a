//go:build unix

package unsandboxtest

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// inGroup makes a process the first of a group, which is killed as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killShell ends a shell and what it runs in the foreground of its terminal, which has a
// group of its own. They may have ended.
func killShell(pid int, terminal *os.File) {
	if raw, err := terminal.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			if group, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil && group > 1 {
				_ = syscall.Kill(-group, syscall.SIGKILL)
			}
		})
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
