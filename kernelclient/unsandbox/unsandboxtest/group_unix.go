//go:build unix

package unsandboxtest

import (
	"os/exec"
	"syscall"
)

// inGroup makes a process the first of a group, which is killed as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killShell ends a shell and what it runs.
func killShell(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may have ended
