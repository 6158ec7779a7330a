package builtin

import "golang.org/x/sys/unix"

// awaitExit waits until a child of this process has ended, and leaves it to be reaped.
// It reports whether it could.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}
