//go:build unix

package localfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func makeFile(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func list(t *testing.T, f *FS, dir string, opt fswatch.ListOptions) map[string]fswatch.Entry {
	t.Helper()
	entries, err := f.List(t.Context(), dir, opt)
	must(t, err)
	all := map[string]fswatch.Entry{}
	for _, e := range entries {
		all[strings.TrimPrefix(e.Path, dir+"/")] = e
	}
	return all
}

// Links to themselves, in circles, upwards and to nowhere are listed with what is wrong.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{
		"self": "self", "here": ".", "a/b/up": "../..", "x": "y", "y": "x", "broken": "nowhere", "file": "ok.ipynb",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755))
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	makeFile(t, dir+"/ok.ipynb", "12345")
	f := open(t, Options{Root: dir})
	real, err := filepath.EvalSymlinks(dir)
	must(t, err)
	for _, quick := range []bool{false, true} {
		all := list(t, f, dir, fswatch.ListOptions{Depth: 100, Quick: quick})
		if len(all) != 10 {
			t.Errorf("%d entries: %v", len(all), all)
		}
		for name, want := range map[string]fswatch.Entry{
			"self":   {Type: fswatch.TypeNone, Problem: fswatch.Invalid, Target: dir + "/self"},
			"x":      {Type: fswatch.TypeNone, Problem: fswatch.Invalid, Target: dir + "/x"},
			"broken": {Type: fswatch.TypeNone, Problem: fswatch.NotFound, Target: dir + "/broken"},
			"here":   {Type: fswatch.TypeDir, Target: real},
			"a/b/up": {Type: fswatch.TypeDir, Target: real},
			"file":   {Type: fswatch.TypeFile, Target: real + "/ok.ipynb"},
		} {
			if e := all[name]; !e.Link || e.Type != want.Type || e.Problem != want.Problem || e.Target != want.Target {
				t.Errorf("quick %v: %s is %+v", quick, name, e)
			}
		}
	}
	if n := len(list(t, f, dir+"/here/a/b/up/here", fswatch.ListOptions{})); n != 8 {
		t.Errorf("%d entries behind links", n)
	}
	_, err = f.List(t.Context(), dir+"/self", fswatch.ListOptions{})
	if !errors.Is(err, fswatch.Invalid) {
		t.Error(err)
	}
	_, err = f.List(t.Context(), dir+"/broken", fswatch.ListOptions{})
	if !errors.Is(err, fswatch.NotFound) {
		t.Error(err)
	}
}

func TestPipesAndSocketsAreNeverOpened(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(dir+"/pipe", 0o600))
	must(t, os.Symlink("pipe", dir+"/link"))
	f := open(t, Options{Root: dir})
	for _, name := range []string{"pipe", "link", "/dev/null"} {
		if _, _, err := f.Open(t.Context(), name, fswatch.Range{}); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		_, err := f.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("x"), Size: -1}}, fswatch.WriteOptions{})
		if !errors.Is(err, fswatch.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e, err := f.Stat(t.Context(), "pipe"); err != nil || e.Type != fswatch.TypeOther {
		t.Errorf("%+v, %v", e, err)
	}
}

// What was written through a link is at its target, and the link stays.
func TestWritingThroughLinks(t *testing.T) {
	for _, confined := range []bool{false, true} {
		dir := t.TempDir()
		makeFile(t, dir+"/real/file", "old")
		must(t, os.Symlink("real/file", dir+"/link"))
		must(t, os.Symlink(dir+"/real", dir+"/absolute"))
		must(t, os.Symlink("real/new", dir+"/dangling"))
		f := open(t, Options{Root: dir, Confined: confined})
		for _, name := range []string{"link", "dangling"} {
			_, err := f.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("x"), Size: -1}}, fswatch.WriteOptions{New: true})
			if !errors.Is(err, fswatch.Exists) {
				t.Errorf("%s as a new file: %v", name, err)
			}
		}
		for _, name := range []string{"link", "dangling", "absolute/other"} {
			_, err := f.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("in " + name), Size: -1}}, fswatch.WriteOptions{})
			must(t, err)
		}
		for name, want := range map[string]string{"file": "in link", "new": "in dangling", "other": "in absolute/other"} {
			if data, err := os.ReadFile(dir + "/real/" + name); err != nil || string(data) != want {
				t.Errorf("confined %v: %s is %q, %v", confined, name, data, err)
			}
		}
		for _, name := range []string{"link", "dangling"} {
			if _, err := os.Readlink(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// A file with two names stays one file, and keeps its mode.
func TestWritingKeepsHardLinks(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, dir+"/a", "old")
	must(t, os.Chmod(dir+"/a", 0o640))
	must(t, os.Link(dir+"/a", dir+"/b"))
	f := open(t, Options{Root: dir})
	_, err := f.Write(t.Context(), []fswatch.File{{Path: "a", Body: strings.NewReader("new"), Size: 3}}, fswatch.WriteOptions{})
	must(t, err)
	if data, _ := os.ReadFile(dir + "/b"); string(data) != "new" {
		t.Errorf("its other name has %q", data)
	}
	if info, err := os.Stat(dir + "/a"); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if all := list(t, f, dir, fswatch.ListOptions{}); len(all) != 2 {
		t.Errorf("%v", all)
	}
}

// No path, no link and no race leads out of a confined root.
func TestNothingLeadsOut(t *testing.T) {
	base := t.TempDir()
	dir, secret := base+"/root", base+"/secret"
	makeFile(t, secret+"/file", "secret")
	makeFile(t, dir+"/inside/file", "mine")
	for link, target := range map[string]string{"up": "..", "abs": secret, "file": secret + "/file", "deep": "inside/../../secret", "in": dir + "/inside"} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	f := open(t, Options{Root: dir, Confined: true})
	for _, p := range []string{"../secret/file", secret + "/file", "up/secret/file", "abs/file", "file", "deep/file", dir + "/../secret/file", "inside/../../secret/file", "/etc/passwd"} {
		if r, _, err := f.Open(t.Context(), p, fswatch.Range{}); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("open %s: %v, %v", p, r, err)
		}
		_, err := f.Write(t.Context(), []fswatch.File{{Path: p, Body: strings.NewReader("x"), Size: 1}}, fswatch.WriteOptions{})
		if !errors.Is(err, fswatch.Invalid) {
			t.Errorf("write %s: %v", p, err)
		}
		if _, err := f.Move(t.Context(), "inside/file", p, fswatch.MoveOptions{Replace: true}); err == nil && p != "file" {
			t.Errorf("move to %s works", p)
		}
		if _, err := os.Stat(dir + "/inside/file"); err != nil { // moving replaced the link itself
			must(t, os.Rename(dir+"/file", dir+"/inside/file"))
			must(t, os.Symlink(secret+"/file", dir+"/file"))
		}
	}
	for _, p := range []string{"..", "up", "abs", base, "/"} {
		if _, err := f.List(t.Context(), p, fswatch.ListOptions{}); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("list %s: %v", p, err)
		}
		if _, err := f.Watch(t.Context(), p, fswatch.WatchOptions{}); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("watch %s: %v", p, err)
		}
		if _, err := f.Mkdir(t.Context(), p+"/new"); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("mkdir %s: %v", p, err)
		}
	}
	for _, p := range []string{"up", "abs", "deep"} { // the link goes, not what it leads to
		must(t, f.Remove(t.Context(), p))
	}
	if data, err := os.ReadFile(secret + "/file"); err != nil || string(data) != "secret" {
		t.Errorf("outside there is %q, %v", data, err)
	}
	r, _, err := f.Open(t.Context(), dir+"/in/file", fswatch.Range{})
	if err != nil { // an absolute link that stays inside works
		t.Fatal(err)
	}
	_ = r.Close()
}

// While a folder is swapped for a link that leads out, nothing outside is ever written.
func TestNoRaceLeadsOut(t *testing.T) {
	base := t.TempDir()
	dir, secret := base+"/root", base+"/secret"
	makeFile(t, secret+"/file", "secret")
	makeFile(t, dir+"/d/file", "mine")
	must(t, os.Symlink(secret, dir+"/out"))
	f := open(t, Options{Root: dir, Confined: true})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(dir+"/d", dir+"/kept")
			_ = os.Rename(dir+"/out", dir+"/d")
			_ = os.Rename(dir+"/d", dir+"/out")
			_ = os.Rename(dir+"/kept", dir+"/d")
		}
	}()
	for i := range 200 {
		_, _ = f.Write(t.Context(), []fswatch.File{{Path: "d/file", Body: strings.NewReader("x"), Size: 1}}, fswatch.WriteOptions{})
		_, _ = f.Mkdir(t.Context(), "d/new")
		_ = f.Remove(t.Context(), "d/new")
		if i%10 == 0 {
			if r, _, err := f.Open(t.Context(), "d/file", fswatch.Range{}); err == nil {
				data := make([]byte, 10)
				n, _ := r.Read(data)
				_ = r.Close()
				if string(data[:n]) == "secret" {
					t.Error("what is outside was read")
				}
			}
		}
	}
	close(stop)
	<-done
	items, err := os.ReadDir(secret)
	if err != nil || len(items) != 1 {
		t.Errorf("outside there is %v, %v", items, err)
	}
	if data, _ := os.ReadFile(secret + "/file"); string(data) != "secret" {
		t.Errorf("outside there is %q", data)
	}
}

// Of many who make a new file, just one does.
func TestOnlyOneMakesANewFile(t *testing.T) {
	f := open(t, Options{Root: t.TempDir()})
	results := make(chan error)
	for range 8 {
		go func() {
			_, err := f.Write(t.Context(), []fswatch.File{{Path: "a", Body: strings.NewReader("x"), Size: 1}}, fswatch.WriteOptions{New: true})
			results <- err
		}()
	}
	made := 0
	for range 8 {
		switch err := <-results; {
		case err == nil:
			made++
		case !errors.Is(err, fswatch.Exists):
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d made it", made)
	}
}

// The root, and what it lies in, is not deleted by any name.
func TestRootStays(t *testing.T) {
	base := t.TempDir()
	dir := base + "/root/dir"
	makeFile(t, dir+"/x", "x")
	must(t, os.Symlink(base, base+"/alias"))
	f := open(t, Options{Root: dir})
	for _, p := range []string{"", ".", "/", "..", dir, dir + "/", base, base + "/alias/root", dir + "/../../root"} {
		if err := f.Remove(t.Context(), p); !errors.Is(err, fswatch.Invalid) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if _, err := os.Stat(dir + "/x"); err != nil {
		t.Error(err)
	}
}

func TestEntryOfTheSystem(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, dir+"/a", "12345")
	when := time.Date(1965, 3, 4, 5, 6, 7, 89, time.UTC)
	must(t, os.Chtimes(dir+"/a", when, when))
	must(t, os.Chmod(dir+"/a", 0o751|os.ModeSetuid))
	f := open(t, Options{Root: dir})
	e, err := f.Stat(t.Context(), dir+"/./a")
	must(t, err)
	if e.Path != dir+"/./a" || e.Mode.String() != "urwxr-x--x" || !e.ModTime.Equal(when) || e.Owner == "" {
		t.Errorf("%+v", e)
	}
}
