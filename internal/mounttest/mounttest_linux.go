// Package mounttest lets a test mount what it likes. It is for tests of all rooms.
package mounttest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const child = "NBTERM_TEST_MOUNTS"

// Alone runs the calling test once more, in a process whose mounts nobody else sees, and
// reports its failure or skip as this one's. True: this is that process.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(child) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), child+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(out), "--- SKIP") || len(out) == 0 && err != nil:
		t.Skip("no mounts of its own here: ", err, string(out))
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}
