//go:build unix

package trash

import (
	"os"
	"path/filepath"
	"syscall"
)

func device(path string) (uint64, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true //nolint:unconvert,nolintlint // of another type on other systems
}

func sameDevice(a, b string) bool {
	x, okA := device(a)
	y, okB := device(b)
	return okA && okB && x == y
}

// topOf is the top of the file system that a path is on.
func topOf(path string) (string, error) {
	at := filepath.Dir(path)
	for at != filepath.Dir(at) && sameDevice(at, filepath.Dir(at)) {
		at = filepath.Dir(at)
	}
	return at, nil
}
