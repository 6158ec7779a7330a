//go:build unix

package localfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// follower reads a stream until something was told.
type follower struct {
	fswatch.Stream
	t   *testing.T
	all []string
}

func follow(t *testing.T, f *FS, dir string, opt fswatch.WatchOptions) *follower {
	t.Helper()
	s, err := f.Watch(t.Context(), dir, opt)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	if mode, why := s.Mode(); mode != fswatch.ModePush {
		t.Skip("no reports here:", why)
	}
	return &follower{Stream: s, t: t}
}

func (w *follower) until(what string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 60*time.Second)
	defer cancel()
	for !slices.Contains(w.all, what) {
		events, err := w.Next(ctx)
		if err != nil {
			w.t.Fatalf("%s: %v after %q", what, err, w.all[:min(50, len(w.all))])
		}
		for _, e := range events {
			w.all = append(w.all, string(e.Op)+" "+e.Name)
		}
	}
}

// Whatever is put into a folder while it is new is told, be it before it is watched.
func TestWholeTreeAtOnce(t *testing.T) {
	dir := t.TempDir()
	w := follow(t, open(t, Options{}), dir, fswatch.WatchOptions{Recursive: true})
	makeFile(t, dir+"/new/x/y/deep.txt", "1")
	for _, name := range []string{"create new", "create new/x", "create new/x/y", "create new/x/y/deep.txt", "write new/x/y/deep.txt"} {
		w.until(name)
	}
	elsewhere := t.TempDir()
	makeFile(t, elsewhere+"/tree/a/b.txt", "1")
	must(t, os.Rename(elsewhere+"/tree", dir+"/moved"))
	w.until("create moved/a/b.txt")
	must(t, os.Rename(dir+"/moved", elsewhere+"/away"))
	w.until("rename moved")
	makeFile(t, elsewhere+"/away/a/ghost", "x")
	makeFile(t, dir+"/end", "x")
	w.until("create end")
	if i := slices.IndexFunc(w.all, func(s string) bool { return strings.Contains(s, "ghost") }); i >= 0 {
		t.Errorf("what was moved out is told: %s", w.all[i])
	}
	if n := count(w.all, "rename moved"); n != 1 {
		t.Errorf("moving out was told %d times: %q", n, w.all)
	}
}

func count(all []string, what string) (n int) {
	for _, s := range all {
		if s == what {
			n++
		}
	}
	return n
}

// A folder that goes away and comes back is told, and watched again.
func TestRootIsMadeAnew(t *testing.T) {
	for _, recursive := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "d")
		makeFile(t, dir+"/sub/old", "x")
		w := follow(t, open(t, Options{}), dir, fswatch.WatchOptions{Recursive: recursive})
		must(t, os.RemoveAll(dir))
		w.until("remove .")
		makeFile(t, dir+"/sub/new", "x")
		w.until("create .")
		w.until("create sub")
		w.all = nil
		makeFile(t, dir+"/after", "x")
		w.until("create after")
		must(t, os.Rename(dir, dir+"2"))
		w.until("rename .")
	}
}

// An editor that saves by renaming: the file is told each time, the watch is not lost.
func TestSavingByRename(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, dir+"/a.ipynb", "0")
	w := follow(t, open(t, Options{}), dir, fswatch.WatchOptions{})
	for i := range 3 {
		text := strconv.Itoa(i + 1)
		makeFile(t, dir+"/4913", text)
		must(t, os.Rename(dir+"/a.ipynb", dir+"/a.ipynb~"))
		must(t, os.Rename(dir+"/4913", dir+"/a.ipynb"))
		must(t, os.Remove(dir+"/a.ipynb~"))
		w.until("create a.ipynb")
		w.until("remove a.ipynb~")
		w.all = nil
	}
}

// After a storm of writes the last state is told, or that events were lost.
func TestStormOfWrites(t *testing.T) {
	dir := t.TempDir()
	f := open(t, Options{})
	w := follow(t, f, dir, fswatch.WatchOptions{Recursive: true})
	watcher := fswatch.NewWatcher(f)
	defer watcher.Close()
	watcher.Want([]fswatch.Path{dir})
	if _, err := watcher.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i := range 5_000 {
		makeFast(t, dir+"/s"+strconv.Itoa(i%50), strconv.Itoa(i))
	}
	makeFile(t, dir+"/last", "x")
	w.until("create last")
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	told := 0
	for {
		c, err := watcher.Next(ctx)
		must(t, err)
		told++
		if len(c.Dirty) != 1 || c.Dirty[0] != dir {
			t.Fatalf("%+v", c)
		}
		if _, err := f.Stat(ctx, dir+"/last"); err == nil {
			break
		}
	}
	if limit := 3 + int(time.Since(began)/quietTime); told > limit {
		t.Errorf("told %d times, want %d at most", told, limit)
	}
}

// quietTime is what lies between two changes that a Watcher tells, after the first.
const quietTime = 200 * time.Millisecond

func makeFast(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	must(t, err)
	_, err = file.WriteString(text)
	must(t, err)
	must(t, file.Close())
}

// watches counts what this process watches with the system.
func watches(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fdinfo/*")
	must(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			n += strings.Count(string(data), "inotify wd:")
		}
	}
	return n
}

// A Watcher watches the wanted folders, and nothing of the 30,000 below.
func TestOnlyWantedFoldersAreWatched(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("watches can be counted on Linux only")
	}
	dir := t.TempDir()
	for i := range 300 {
		must(t, os.MkdirAll(dir+"/node_modules/p"+strconv.Itoa(i)+"/lib", 0o755))
	}
	before := watches(t)
	w := fswatch.NewWatcher(open(t, Options{}))
	defer w.Close()
	w.Want([]fswatch.Path{dir, dir + "/node_modules", dir + "/node_modules/p1"})
	for seen := 0; seen < 3; {
		c, err := w.Next(t.Context())
		must(t, err)
		seen += len(c.Dirty)
	}
	if n := watches(t) - before; n != 3 {
		t.Errorf("%d folders are watched, want 3", n)
	}
	w.Want([]fswatch.Path{dir, dir + "/nowhere"})
	for {
		c, err := w.Next(t.Context())
		must(t, err)
		if slices.Contains(c.Dirty, dir+"/nowhere") {
			break
		}
	}
	if n := watches(t) - before; n != 1 {
		t.Errorf("%d folders are watched, want 1", n)
	}
}

// A folder that another name leads to is told by the names it was wanted by.
func TestFolderWithTwoNames(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/real", 0o755))
	must(t, os.Symlink("real", dir+"/link"))
	w := fswatch.NewWatcher(open(t, Options{}))
	defer w.Close()
	want := []fswatch.Path{dir + "/link", dir + "/real"}
	w.Want(want)
	untilDirty(t, w, want...)
	makeFile(t, dir+"/real/x", "x")
	untilDirty(t, w, want...)
	w.Want(want[:1])
	makeFile(t, dir+"/real/y", "x")
	untilDirty(t, w, want[0])
}

// Who shows a folder of 100,000 entries is told which of them changed.
func TestWatcherNamesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	f, err := New(Options{Root: dir})
	must(t, err)
	w := fswatch.NewWatcher(f)
	defer w.Close()
	w.Want([]fswatch.Path{dir})
	first, err := w.Next(t.Context())
	must(t, err)
	if len(first.Dirty) != 1 || first.Names != nil {
		t.Errorf("at first %+v", first)
	}
	makeFile(t, dir+"/one", "x")
	must(t, os.Rename(dir+"/one", dir+"/two"))
	told := map[string]bool{}
	for !told["one"] || !told["two"] {
		c, err := w.Next(t.Context())
		must(t, err)
		names, ok := c.Names[dir]
		if !ok {
			t.Fatalf("%+v", c)
		}
		for _, name := range names {
			told[name] = true
		}
	}
	if len(told) != 2 {
		t.Errorf("told of %v", told)
	}
}

func untilDirty(t *testing.T, w fswatch.Watcher, dirs ...fswatch.Path) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for left := slices.Clone(dirs); len(left) > 0; {
		c, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("%v, waiting for %q", err, left)
		}
		left = slices.DeleteFunc(left, func(d fswatch.Path) bool { return slices.Contains(c.Dirty, d) })
	}
}

// Wanted folders that are moved or made anew are told, with those below.
func TestWantedFoldersMove(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, dir+"/a/b/x", "x")
	w := fswatch.NewWatcher(open(t, Options{}))
	defer w.Close()
	w.Want([]fswatch.Path{dir, dir + "/a", dir + "/a/b"})
	untilDirty(t, w, dir, dir+"/a", dir+"/a/b")
	must(t, os.Rename(dir+"/a", dir+"/z"))
	untilDirty(t, w, dir, dir+"/a", dir+"/a/b")
	makeFile(t, dir+"/a/b/y", "y")
	untilDirty(t, w, dir+"/a", dir+"/a/b")
	makeFile(t, dir+"/a/b/z", "z")
	untilDirty(t, w, dir+"/a/b")
}

// Where being told is switched off, all is looked at, by streams and watchers.
func TestSwitchedOff(t *testing.T) {
	dir := t.TempDir()
	f := open(t, Options{Poll: true})
	if f.Capabilities().Push {
		t.Error("it promises to tell")
	}
	s, err := f.Watch(t.Context(), dir, fswatch.WatchOptions{})
	must(t, err)
	defer s.Close()
	if mode, why := s.Mode(); mode != fswatch.ModePoll || !errors.Is(why, errPoll) {
		t.Errorf("%v, %v", mode, why)
	}
	w := fswatch.NewWatcher(f)
	defer w.Close()
	w.Want([]fswatch.Path{dir})
	untilDirty(t, w, dir)
	makeFile(t, dir+"/x", "x")
	untilDirty(t, w, dir)
	if mode, why := w.Mode(); mode != fswatch.ModePoll || !errors.Is(why, errPoll) {
		t.Errorf("%v, %v", mode, why)
	}
	events, err := s.Next(t.Context())
	if err != nil || events[0].Name != "x" {
		t.Errorf("%v, %v", events, err)
	}
}

// Closing the files ends their watches.
func TestCloseEndsWatches(t *testing.T) {
	f := open(t, Options{})
	w := follow(t, f, t.TempDir(), fswatch.WatchOptions{})
	must(t, f.Close())
	if _, err := w.Next(t.Context()); err == nil {
		t.Error("it goes on")
	}
	if _, err := f.Watch(t.Context(), t.TempDir(), fswatch.WatchOptions{}); err == nil {
		t.Error("another watch can be had")
	}
}
