//go:build unix

package isolate

import (
	"os"
	"syscall"
)

// Ended says how a process ended: by a signal, or 0 and its exit status. boxed says that
// Start put it behind bubblewrap, which tells of signals as shells do.
func Ended(s *os.ProcessState, boxed bool) (signal syscall.Signal, code int) {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal(), 0
	}
	if code := s.ExitCode(); !boxed || code <= 128 || code > 128+64 {
		return 0, code
	}
	return syscall.Signal(s.ExitCode() - 128), 0
}
