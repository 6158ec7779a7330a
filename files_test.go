//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notebookFile copies a notebook of testdata to a fresh folder.
func notebookFile(t *testing.T, name string) (path, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), filepath.Base(name))
	put(t, path, string(data))
	return path, string(data)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// gone waits until no text of words is on the screen.
func (x *terminal) gone(words ...string) {
	x.t.Helper()
	x.wait("no more "+strings.Join(words, ", "), func(screen string) bool {
		for _, w := range words {
			if strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

func TestMergeConflict(t *testing.T) { // A19
	path, before := notebookFile(t, "broken/A19.ipynb")
	x := open(t, path)
	x.see("does not open as a notebook", "merge conflict", "line 26", "v view as text", "q quit")
	x.keys("sv")
	x.see("26 <<<<<<< ours")
	x.keys("q")
	if status := x.exit(); status != 2 || get(t, path) != before || strings.Contains(x.raw(), "goroutine") {
		t.Errorf("status %d, file %q", status, get(t, path))
	}
	if after := x.raw()[strings.LastIndex(x.raw(), "\x1b[?1049l"):]; !strings.Contains(after, "merge conflict") {
		t.Errorf("nothing stays to be read: %q", after)
	}
}

func TestFileCutOff(t *testing.T) { // A20
	path, before := notebookFile(t, "broken/A20.ipynb")
	checkpoints := filepath.Join(filepath.Dir(path), ".ipynb_checkpoints")
	if err := os.Mkdir(checkpoints, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(checkpoints, "A20-checkpoint.ipynb"), get(t, code(t, "1")))
	put(t, path+"~", before) // as broken: not named
	x := open(t, path)
	x.see("ends too early", "461", "v view as text", "A20-checkpoint.ipynb")
	x.gone("ipynb~")
	x.keys("\x13Sq")
	if status := x.exit(); status != 2 || get(t, path) != before {
		t.Errorf("status %d, file %q", status, get(t, path))
	}
}

// ordinary makes a command one of a user to whom file modes apply, and gives it a folder.
func ordinary(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	self, err := os.ReadFile(cmd.Path)
	program := filepath.Join(dir, "nbterm")
	err = errors.Join(err, os.WriteFile(program, self, 0o755))
	for _, tree := range []string{dir, cmd.Dir} {
		err = errors.Join(err, os.Chmod(filepath.Dir(tree), 0o755), filepath.WalkDir(tree, func(p string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(p, nobody, nobody))
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = program
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func TestReadOnlyFile(t *testing.T) { // A24
	path, before := notebookFile(t, "cases/A24.ipynb")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	cmd := nbterm(t, path)
	ordinary(t, cmd, filepath.Dir(path))
	x := start(t, cmd)
	x.see("A24.ipynb [read-only]", "is read-only")
	x.keys("\x1b[27ub") // Escape, and a new cell
	x.see("● A24.ipynb")
	x.keys("s")
	x.see("not saved", "permission denied", "chmod u+w", "● A24.ipynb [read-only]")
	if get(t, path) != before {
		t.Error("the file changed")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	x.keys("\x1b[27us")
	x.see("saved A24.ipynb")
	x.gone("●", "[read-only]")
	if get(t, path) == before {
		t.Error("the second save wrote nothing")
	}
	// Save as another name, where this one may not be written.
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	x.keys("bS\x15" + filepath.Join(filepath.Dir(path), "other.ipynb") + "\r")
	x.see("saved other.ipynb")
	x.quit()
}

func TestAnotherProgramWrites(t *testing.T) { // A27
	path := code(t, "answer = 42", "x")
	edit := func(to string) string {
		return regexp.MustCompile(`answer = \d+`).ReplaceAllString(get(t, path), "answer = "+to)
	}
	atomic := func(text string) {
		put(t, path+".t", text)
		if err := os.Rename(path+".t", path); err != nil {
			t.Fatal(err)
		}
	}
	x := open(t, path)
	x.see("answer = 42")
	put(t, path, edit("43")) // in place
	x.see("answer = 43", "reloaded")
	atomic(edit("44"))
	x.see("answer = 44")
	x.keys("b")
	x.see("● n.ipynb")
	if now := time.Now(); os.Chtimes(path, now, now) != nil {
		t.Fatal("touch")
	}
	put(t, path, get(t, path))
	x.keys("\x1b[I") // the terminal comes to the front: it looks now
	put(t, path, edit("45"))
	x.see("another program changed", "m mine", "t theirs", "c compare")
	atomic(edit("46"))
	atomic(edit("47"))
	x.keys("c")
	x.see("+ answer = 47", "- answer = 44")
	x.keys("t")
	x.see("answer = 4")
	x.gone("●", "another program", "answer = 44")
	x.keys("z")
	x.see("answer = 44", "●")
	x.quit()
}

func TestTerminated(t *testing.T) { // C14
	path := code(t, "kept = 1")
	x := open(t, path)
	x.see("kept = 1")
	x.keys("b")
	x.see("●")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := x.exit(); status != 143 {
		t.Errorf("status %d", status)
	}
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?1002h": "\x1b[?1002l", "\x1b[?1004h": "\x1b[?1004l", "\x1b[?2004h": "\x1b[?2004l"} {
		if raw := x.raw(); strings.LastIndex(raw, off) < strings.LastIndex(raw, on) || !strings.Contains(raw, on) {
			t.Errorf("%q is not taken back", on)
		}
	}
	if !strings.Contains(x.text(), "are kept in") {
		t.Errorf("it does not say where the changes are:\n%s", x.text())
	}
	y := openIn(t, x.home, path)
	y.see("unsaved changes", "1 cell differs", "r restore")
	y.keys("r")
	y.see("● n.ipynb", "1/2")
	y.keys("s")
	y.gone("●")
	y.quit()
	if n := strings.Count(get(t, path), "cell_type"); n != 2 {
		t.Errorf("%d cells", n)
	}
}
