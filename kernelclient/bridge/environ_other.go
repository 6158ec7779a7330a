//go:build !linux

package bridge

import "os"

// environOf is the environment for a restart: another process's own cannot be read here.
func environOf(int) []string { return os.Environ() }
