//go:build unix && !linux

package local

import "syscall"

// dieWithParent: there is no such service here; JPY_PARENT_PID has to do.
func dieWithParent(*syscall.SysProcAttr) {}

// awaitExit: waiting without reaping is not to be had here.
func awaitExit(int) bool { return false }
