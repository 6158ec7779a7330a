package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/builtin"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/kernelclient/leftover"
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

// Names of what belongs to a kernel; whoever makes another one must let sweep know.
const (
	filesPrefix      = "kernel-nbterm-" // then an id
	connectionSuffix = ".json"
	logSuffix        = ".log"
	socketsPrefix    = "nbterm-ipc-" // then socketsID bytes of an id
	socketsID        = 10
	socketName       = "k" // then "-1" to "-5"
)

// socketParents are the folders that may hold the one of the sockets.
func socketParents(e environ) []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	var dirs []string
	for _, d := range []string{e.get("XDG_RUNTIME_DIR"), e.get("TMPDIR"), "/tmp"} {
		if filepath.IsAbs(d) && !slices.Contains(dirs, filepath.Clean(d)) {
			dirs = append(dirs, filepath.Clean(d))
		}
	}
	return dirs
}

// ipcDir makes a private folder for five sockets that begin with socketName ("ip" of the
// connection file; a socket is PREFIX-PORT). ok is false where sockets are not to be had
// or every path would be too long: then the kernel gets tcp.
func ipcDir(e environ) (dir string, claim *leftover.Claim, ok bool) {
	for _, parent := range socketParents(e) {
		dir := filepath.Join(parent, socketsPrefix+newID()[:socketsID])
		if len(filepath.Join(dir, socketName+"-5")) > maxSocketPath() {
			continue
		}
		claim, err := leftover.Make(dir, func(path string) error { return os.Mkdir(path, 0o700) })
		if err == nil {
			return dir, claim, true
		}
	}
	return "", nil, false
}

// sweeping is a launcher that also removes what killed programs of ours have left of their
// kernels, while the new kernel starts up: it takes no time of it.
type sweeping struct {
	jupyter.Launcher
	env  environ
	logs string
}

// Launch implements jupyter.Launcher.
func (s sweeping) Launch(ctx context.Context, retry int) (jupyter.Kernel, error) {
	k, err := s.Launcher.Launch(ctx, retry)
	for _, dir := range socketParents(s.env) {
		leftover.Sweep(dir, socketsPrefix, "")
	}
	leftover.Sweep(s.env.runtimeDir(), filesPrefix, connectionSuffix)
	leftover.Sweep(s.logs, filesPrefix, logSuffix)
	leftover.Sweep(s.logs, builtin.LogPrefix, logSuffix)
	return k, err
}
