//go:build unix

package leftover

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func empty(path string) error { return os.WriteFile(path, nil, 0o600) }

func folder(path string) error {
	return errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "k-1"), nil, 0o600))
}

// left lists what is in dir after a sweep.
func left(t *testing.T, dir string) []string {
	t.Helper()
	Sweep(dir, "ours-", ".x")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func expect(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := left(t, dir); !slices.Equal(got, want) {
		t.Errorf("left %v, not %v", got, want)
	}
}

func TestOnlyWhatNobodyHolds(t *testing.T) {
	dir := t.TempDir()
	file, err := Make(dir+"/ours-file.x", empty)
	if err != nil {
		t.Fatal(err)
	}
	socks, err := Make(dir+"/ours-folder.x", folder)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "ours-file.x", "ours-folder.x")
	file.Close()
	expect(t, dir, "ours-folder.x")
	socks.Close()
	expect(t, dir)
	(*Claim)(nil).Close()
}

func TestOthersThings(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	err := errors.Join(empty(dir+"/ours-1.y"), empty(dir+"/theirs-1.x"), empty(away+"/target"),
		os.Symlink(away+"/target", dir+"/ours-link.x"), os.MkdirAll(dir+"/ours-deep.x/a/b", 0o700))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ours-1.y", "ours-deep.x", "ours-link.x", "theirs-1.x"}
	if os.Geteuid() == 0 {
		if err := errors.Join(empty(dir+"/ours-2.x"), os.Chown(dir+"/ours-2.x", 65534, 65534)); err != nil {
			t.Fatal(err)
		}
		want = slices.Insert(want, 1, "ours-2.x")
	}
	expect(t, dir, want...)
	if _, err := os.Stat(away + "/target"); err != nil {
		t.Error(err)
	}
	Sweep(dir+"/nowhere", "ours-", ".x")
}

// What has no name yet may be somebody's who is about to lock it.
func TestUnnamed(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * unnamedFor)
	err := errors.Join(empty(dir+"/ours-new.x.new"), empty(dir+"/ours-old.x.new"), os.Chtimes(dir+"/ours-old.x.new", old, old))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "ours-new.x.new")
}

func TestMakeThatFails(t *testing.T) {
	dir := t.TempDir()
	wrong := errors.New("wrong")
	if _, err := Make(dir+"/ours-1.x", func(string) error { return wrong }); !errors.Is(err, wrong) {
		t.Error(err)
	}
	if _, err := Make(dir+"/ours-2.x", func(string) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := folder(dir + "/ours-3.x"); err != nil { // in the way
		t.Fatal(err)
	}
	if _, err := Make(dir+"/ours-3.x", empty); err == nil {
		t.Error("made over another thing")
	}
	if got := left(t, dir); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}
