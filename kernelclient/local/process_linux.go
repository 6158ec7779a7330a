package local

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the system kill the kernel when we die, however we die. Kernels that
// read JPY_PARENT_PID notice by themselves, seconds later; others never would. What a cell
// has started (a child that sleeps on) lives on then: the signal goes to the kernel alone
// and is not inherited, and a process of ours that would watch the group could itself be
// killed, or outlive everything.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitExit waits until the process has ended but leaves it to be reaped. It reports
// whether it could.
func awaitExit(pid int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}
