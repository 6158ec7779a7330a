package local

import "golang.org/x/sys/unix"

// processStart is when a process began, in microseconds since 1970. Together with its
// number it names a process for good. ok is false where there is none.
func processStart(pid int) (start int64, ok bool) {
	const zombie = 5 // SZOMB in sys/proc.h
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return 0, false
	}
	return info.Proc.P_starttime.Nano() / 1000, true
}
