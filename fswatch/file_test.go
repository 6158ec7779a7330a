package fswatch

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type watched struct {
	*FileWatcher
	t *testing.T
}

func watch(t *testing.T, path string) watched {
	t.Helper()
	f := WatchFile(path)
	t.Cleanup(func() { _ = f.Close() })
	w := watched{f, t}
	w.told()
	return w
}

// told waits for a change.
func (w watched) told() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	if err := w.Next(ctx); err != nil {
		w.t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// An editor that saves by renaming is noticed each time, and stays noticed.
func TestFileThatIsReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ipynb")
	write(t, path, "0")
	w := watch(t, path)
	if mode, why := w.Mode(); mode != ModePush {
		t.Skip("no reports here:", why)
	}
	for range 3 {
		write(t, filepath.Join(dir, "4913"), "new")
		rename(t, path, path+"~")
		rename(t, filepath.Join(dir, "4913"), path)
		w.told()
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.told()
	write(t, path, "again")
	w.told()
}

func TestFileBehindALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	target := filepath.Join(elsewhere, "real.ipynb")
	write(t, target, "0")
	link := filepath.Join(dir, "link.ipynb")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	w := watch(t, link)
	write(t, target, "1")
	w.told()
}

// Where the folder goes away, looking takes over, and reports come back with the folder.
func TestFolderThatIsReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.ipynb")
	write(t, path, "0")
	w := watch(t, path)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for mode, _ := w.Mode(); mode != ModePoll; mode, _ = w.Mode() {
		w.told()
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, "1")
	for mode, _ := w.Mode(); mode != ModePush; mode, _ = w.Mode() {
		w.told()
	}
}

// A folder that came back before the first look is watched again all the same.
func TestFolderThatIsBackAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	write(t, path, "0")
	f := &FileWatcher{path: path, ready: make(chan struct{}, 1), quit: make(chan struct{})}
	if !f.poll(true) {
		t.Error("it does not try")
	}
}

func TestOtherFilesDoNotMatter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ipynb")
	write(t, path, "0")
	w := watch(t, path)
	write(t, filepath.Join(dir, "b.ipynb"), "x")
	write(t, path, "1") // a change of b would be told before this one's, and the channel holds one
	w.told()
	select {
	case <-w.ready:
		t.Error("another file's change was told")
	default:
	}
	_ = w.Close()
	if err := w.Next(t.Context()); err != io.EOF {
		t.Error(err)
	}
}
