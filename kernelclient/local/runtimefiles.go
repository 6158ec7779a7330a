package local

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// privateDir makes a folder that only this user can enter, and its parents.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder for kernel files: %w", err)
	}
	return nil
}

// newID is a random name for what belongs to one kernel.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// newKey is a random key for signing messages.
func newKey() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// maxSocketPath is how long a unix socket's path may be, without its final NUL byte.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// ipcDir makes a private folder for five sockets and returns it with their common prefix
// ("ip" of the connection file; a socket is PREFIX-PORT). ok is false where sockets are
// not to be had or every path would be too long: then the kernel gets tcp.
func ipcDir(e environ) (dir, prefix string, ok bool) {
	if runtime.GOOS == "windows" {
		return "", "", false
	}
	for _, parent := range []string{e.get("XDG_RUNTIME_DIR"), e.get("TMPDIR"), "/tmp"} {
		// MkdirTemp adds at most 10 digits; then come "/k" and "-5".
		if !filepath.IsAbs(parent) || len(filepath.Join(parent, "nbterm-"))+10+len("/k-5") > maxSocketPath() {
			continue
		}
		dir, err := os.MkdirTemp(parent, "nbterm-") // 0700
		if err == nil {
			return dir, filepath.Join(dir, "k"), true
		}
	}
	return "", "", false
}
