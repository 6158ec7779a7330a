//go:build unix && !linux

package builtin

// awaitExit does nothing where the end of a process cannot be seen without reaping it: its
// group gets no signal then before it ended, and one that was reaped is left alone.
func awaitExit(int) {}
