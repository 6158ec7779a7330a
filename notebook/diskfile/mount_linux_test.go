package diskfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/internal/mounttest"
)

// A file that is a mount point (a container's volume) cannot be replaced, only overwritten.
func TestBindMount(t *testing.T) {
	if !mounttest.Alone(t) {
		return
	}
	dir, f := setup(t, "old and long")
	real := filepath.Join(t.TempDir(), "real")
	if err := os.WriteFile(real, []byte("old and long"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(real, f.Path, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("cannot mount: ", err)
	}
	defer func() { _ = syscall.Unmount(f.Path, syscall.MNT_DETACH) }()
	_, g, err := Read(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	g.StateDir = f.StateDir
	if err := g.Save(saying("new")); err != nil {
		t.Fatal(err)
	}
	if content(t, real) != "new" || content(t, f.Path) != "new" {
		t.Errorf("%q behind the mount", content(t, real))
	}
	only(t, dir, "a.ipynb")
	only(t, filepath.Join(f.StateDir, "recovery"))
}
