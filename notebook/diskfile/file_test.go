package diskfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func saying(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// setup writes a file and reads it through this package.
func setup(t *testing.T, text string) (dir string, f *File) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "a.ipynb")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	data, f, err := Read(path)
	if err != nil || string(data) != text {
		t.Fatalf("%q %v", data, err)
	}
	f.StateDir = filepath.Join(t.TempDir(), "state")
	return dir, f
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// only checks what is in a folder, hidden files too.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && len(names) > 0 {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

func TestSaveReplaces(t *testing.T) {
	dir, f := setup(t, "old")
	path := filepath.Join(dir, "a.ipynb")
	before, _ := os.Stat(path)
	if err := f.Save(saying("new")); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(path)
	if content(t, path) != "new" || os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Error("not replaced, or with another mode", after.Mode())
	}
	only(t, dir, "a.ipynb")
	only(t, filepath.Join(f.StateDir, "recovery"))
	if err := f.Save(saying("newer")); err != nil || content(t, path) != "newer" {
		t.Error("second save:", err)
	}
}

func TestFailedWriteLeavesTheOldContent(t *testing.T) {
	dir, f := setup(t, "old")
	broken := errors.New("no more")
	err := f.Save(func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half", 1<<20))
		return broken
	})
	if !errors.Is(err, broken) || content(t, f.Path) != "old" {
		t.Error(err)
	}
	only(t, dir, "a.ipynb")
	if changed, err := f.Changed(); changed || err != nil {
		t.Error(changed, err)
	}
}

func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	f := New(filepath.Join(dir, "n.ipynb"))
	if f.Exists() || f.Sum() != nil {
		t.Error("it does not exist yet")
	}
	if changed, err := f.Changed(); changed || err != nil {
		t.Error(changed, err)
	}
	if err := f.Save(saying("x")); err != nil || !f.Exists() {
		t.Fatal(err)
	}
	if err := f.Save(saying("y")); err != nil || content(t, f.Path) != "y" {
		t.Fatal(err)
	}
	err := New(f.Path).Save(saying("z"))
	if !errors.Is(err, fs.ErrExist) || content(t, f.Path) != "y" {
		t.Error("another's file was overwritten:", err)
	}
	if changed, err := New(f.Path).Changed(); !changed || err != nil {
		t.Error(changed, err)
	}
}

func TestChanged(t *testing.T) {
	_, f := setup(t, "same")
	now := time.Now()
	check := func(what string, want bool) {
		t.Helper()
		if got, err := f.Changed(); err != nil || got != want {
			t.Errorf("%s: changed %v, %v", what, got, err)
		}
	}
	check("nothing", false)
	if err := os.Chtimes(f.Path, now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	check("touch", false)
	if err := os.WriteFile(f.Path, []byte("same"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("the same content again", false)
	if err := os.WriteFile(f.Path, []byte("diff"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("other content of the same length", true)
	if err := f.Save(saying("mine")); err != nil {
		t.Fatal(err)
	}
	check("our own save", false)
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	check("deleted", true)
}

// A file as of another content: all that was written since is a change.
func TestAsOf(t *testing.T) {
	_, old := setup(t, "old")
	began := old.Sum()
	if err := os.WriteFile(old.Path, []byte("new one"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, now, err := Read(old.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		content string
		file    *File
		want    State
	}{
		{"new one", now.AsOf(began), Modified},
		{"new one", now.AsOf(now.Sum()), Same},
		{"new one", now.AsOf(nil), Modified},
		{"old", now.AsOf(began), Same},
		{"old", now.AsOf(now.Sum()), Modified},
	} {
		if err := os.WriteFile(now.Path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := c.file.State(); got != c.want || err != nil {
			t.Errorf("%q as of %x: %v %v, want %v", c.content, c.file.Sum(), got, err, c.want)
		}
	}
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Read(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	err := New(filepath.Join(dir, "no", "x.ipynb")).Save(saying("x"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "mkdir -p "+filepath.Join(dir, "no")) {
		t.Error(err)
	}
	if _, _, err := Read(dir); !errors.Is(err, ErrDirectory) {
		t.Error(err)
	}
	if err := New(dir).Save(saying("x")); !errors.Is(err, ErrDirectory) {
		t.Error(err)
	}
}
