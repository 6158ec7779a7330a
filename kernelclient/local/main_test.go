//go:build unix

package local

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(hostsIn); dir != "" {
		hostUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

// bare is an environment with a home folder and nothing in it.
func bare(t testing.TB) (e environ, home string) {
	t.Helper()
	home = t.TempDir()
	return environ{"HOME=" + home, "PATH=" + filepath.Join(home, "empty")}, home
}

// write makes a file and its folders.
func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
