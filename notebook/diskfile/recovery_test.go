package diskfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// owner registers a program that has path open.
func owner(t *testing.T, state, path string) *Recovery {
	t.Helper()
	r, err := OpenRecovery(state, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// die lets go of a registration as the end of a process does.
func (r *Recovery) die() { _ = r.held.Close() }

func others(t *testing.T, r *Recovery) (int, []Lost) {
	t.Helper()
	living, lost, err := r.Others()
	if err != nil {
		t.Fatal(err)
	}
	return len(living), lost
}

func TestRecoveryOfAProgramThatIsGone(t *testing.T) {
	dir, f := setup(t, "disk")
	first := owner(t, f.StateDir, f.Path)
	for _, text := range []string{"one", "two"} {
		if err := first.Write(f.Sum(), saying(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, first.Copy()); got != "two" || !strings.HasSuffix(first.Copy(), "-a.ipynb") {
		t.Errorf("%q in %s", got, first.Copy())
	}
	second := owner(t, f.StateDir, filepath.Join(dir, ".", "a.ipynb"))
	if n, lost := others(t, second); n != 1 || len(lost) != 0 {
		t.Errorf("while the first lives: %d, %v", n, lost)
	}
	first.die()
	n, lost := others(t, second)
	if n != 0 || len(lost) != 1 || content(t, lost[0].Copy) != "two" || len(lost[0].Base) != 64 || lost[0].PID != os.Getpid() {
		t.Fatalf("after its end: %d, %+v", n, lost)
	}
	if all, err := Copies(f.StateDir, f.Path); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
	if err := lost[0].Remove(); err != nil {
		t.Error(err)
	}
	if n, lost := others(t, second); n != 0 || len(lost) != 0 {
		t.Errorf("after its removal: %d, %v", n, lost)
	}
	if err := second.Close(true); err != nil {
		t.Error(err)
	}
	only(t, filepath.Join(f.StateDir, "recovery"))
}

func TestRecoveryIsOfOneFile(t *testing.T) {
	dir, f := setup(t, "disk")
	link := filepath.Join(t.TempDir(), "link.ipynb")
	if err := os.Symlink(f.Path, link); err != nil {
		t.Skip(err)
	}
	a, b, c := owner(t, f.StateDir, f.Path), owner(t, f.StateDir, link), owner(t, f.StateDir, filepath.Join(dir, "b.ipynb"))
	if n, _ := others(t, a); n != 1 {
		t.Errorf("%d others have it open", n) // one process counts once
	}
	if n, _ := others(t, c); n != 0 {
		t.Errorf("%d have another file open", n)
	}
	seen := map[string]bool{}
	for _, r := range []*Recovery{a, b, c} {
		if err := r.Write(nil, saying("x")); err != nil || seen[r.Copy()] {
			t.Errorf("%v %s", err, r.Copy())
		}
		seen[r.Copy()] = true
		if err := r.Clear(); err != nil || r.Copy() != "" {
			t.Error(err)
		}
		if err := r.Close(false); err != nil {
			t.Error(err)
		}
	}
	only(t, filepath.Join(f.StateDir, "recovery"))
}

// A program that was killed before there was a copy leaves nothing to offer, nor litter.
func TestRecoveryWithoutACopy(t *testing.T) {
	_, f := setup(t, "disk")
	owner(t, f.StateDir, f.Path).die()
	r := owner(t, f.StateDir, f.Path)
	if n, lost := others(t, r); n != 0 || len(lost) != 0 {
		t.Errorf("%d %v", n, lost)
	}
	if err := r.Close(false); err != nil {
		t.Error(err)
	}
	only(t, filepath.Join(f.StateDir, "recovery"))
}

func TestRecoveryIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no modes here")
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o755); err != nil {
		t.Fatal(err)
	}
	r := owner(t, state, "x")
	defer r.Close(false)
	if err := r.Write(nil, saying("secret")); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{r.Copy(): 0o600, r.Copy() + described: 0o600, state: 0o700, filepath.Dir(r.Copy()): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
}

// The lock of a registration does not pass to programs that are started meanwhile.
func TestRecoveryLockIsNotInherited(t *testing.T) {
	_, f := setup(t, "disk")
	r := owner(t, f.StateDir, f.Path)
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = child.Wait() }()
	defer func() { _ = child.Process.Kill() }()
	r.die()
	next := owner(t, f.StateDir, f.Path)
	defer next.Close(false)
	if n, _ := others(t, next); n != 0 {
		t.Errorf("%d others", n)
	}
}

func TestState(t *testing.T) {
	dir, f := setup(t, "disk")
	look := func(want State) {
		t.Helper()
		if got, err := f.State(); got != want || err != nil {
			t.Errorf("%v %v, want %v", got, err, want)
		}
	}
	look(Same)
	if err := os.WriteFile(f.Path, []byte("disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	look(Same)
	if err := os.WriteFile(f.Path, []byte("kisd"), 0o600); err != nil {
		t.Fatal(err)
	}
	look(Modified)
	if kept, err := KeepOld(f.StateDir, f.Path); err != nil || content(t, kept) != "kisd" {
		t.Error(kept, err)
	}
	moved := filepath.Join(dir, "moved.ipynb")
	if err := os.Rename(f.Path, moved); err != nil {
		t.Fatal(err)
	}
	look(Missing)
	if got := f.NewName(); got != moved {
		t.Errorf("renamed to %q", got)
	}
	if err := os.Mkdir(f.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	look(NotFile)
	n := New(filepath.Join(dir, "new.ipynb"))
	if got, err := n.State(); got != Same || err != nil {
		t.Error(got, err)
	}
}

func TestUnfinishedSaves(t *testing.T) {
	dir, f := setup(t, "disk")
	tmp, err := createTemp(f.Path, false)
	if err != nil {
		t.Fatal(err)
	}
	_ = tmp.Close()
	if left := Unfinished(f.Path); len(left) != 0 {
		t.Errorf("one that may be under way: %q", left)
	}
	old := time.Now().Add(-2 * time.Minute)
	if err := os.Chtimes(tmp.Name(), old, old); err != nil {
		t.Fatal(err)
	}
	if left := Unfinished(f.Path); len(left) != 1 || left[0] != tmp.Name() {
		t.Errorf("%q, want %s", left, tmp.Name())
	}
	if left := Unfinished(filepath.Join(dir, "b.ipynb")); len(left) != 0 {
		t.Errorf("another file's: %q", left)
	}
}
