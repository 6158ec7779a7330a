package diskfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file that is a mount point (a container's volume) cannot be replaced, only overwritten.
func TestBindMount(t *testing.T) {
	if os.Getenv("DISKFILE_TEST_MOUNT") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestBindMount$", "-test.v")
		cmd.Env = append(os.Environ(), "DISKFILE_TEST_MOUNT=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		switch {
		case strings.Contains(string(out), "--- SKIP") || len(out) == 0 && err != nil:
			t.Skip("no mount namespaces here: ", err, string(out))
		case err != nil:
			t.Fatalf("%v\n%s", err, out)
		}
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
