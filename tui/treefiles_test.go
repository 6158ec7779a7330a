package tui_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// at is the path of something beside the notebook.
func (a *app) at(name string) string { return filepath.Join(filepath.Dir(a.path), name) }

func (a *app) there(name string) bool {
	_, err := os.Lstat(a.at(name))
	return err == nil
}

func TestNewNotebookAndFolder(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"Untitled.ipynb": "", "sub/x": ""}})
	a.Type("A", "deep", "enter")
	a.rows("▌+ deep/", " + sub/", "   test.ipynb", "   Untitled.ipynb")
	if !a.there("deep") {
		t.Fatal("no folder was made")
	}
	a.shows("made the folder deep", "z takes it back")
	a.Type("z")
	if a.there("deep") {
		t.Error("the folder was not taken back")
	}
	a.Type("G", "a")
	a.shows("new notebook: Untitled1.ipynb")
	a.Type("ctrl+u", "sub/mine", "enter")
	a.shows("2 mine.ipynb", "Ctrl-R run")
	if !a.there("sub/mine.ipynb") {
		t.Error("no notebook was made")
	}
	a.Type("t", "G", "a", "2", "enter") // typed behind the name that is proposed
	a.shows("Untitled1.ipynb2.ipynb")
	if !a.there("Untitled1.ipynb2.ipynb") {
		t.Error("the notebook was made under a name that the tree takes for none")
	}
	a.Type("t")
	a.shows("- sub/", "mine.ipynb")
	a.hides("~")
}

// What is new belongs into the folder at the cursor, as what is pasted does.
func TestNewInACollapsedFolder(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"sub/Untitled.ipynb": "", "x.txt": "1"}})
	a.Type("g", "g", "A")
	a.shows("new folder in sub/:")
	a.Type("deep", "enter")
	a.rows(" - sub/", "▌  + deep/", "     Untitled.ipynb", "   test.ipynb", "   x.txt")
	a.Type("h", "h", "a")
	a.shows("new notebook in sub/: Untitled.ipynb")
	a.Type("enter")
	a.shows("2 Untitled1.ipynb")
	if !a.there("sub/Untitled1.ipynb") {
		t.Error("it was made elsewhere")
	}
	a.Type("t", "G", "c", "g", "g", "h", "v")
	a.rows(" - sub/", "   + deep/", "     Untitled.ipynb", "     Untitled1.ipynb", "▌    x.txt", "   test.ipynb", "   x.txt")
}

// A mark says that somebody else changed something. What is taken back is our own doing.
func TestUndoLeavesNoMark(t *testing.T) {
	var bin string
	a := open(t, setup{file: file("one"), tree: true, watch: true, beside: map[string]string{"b.txt": "1"}, trash: func(path string) (func() error, error) {
		bin = filepath.Join(t.TempDir(), "x")
		return func() error { return os.Rename(bin, path) }, os.Rename(path, bin)
	}})
	a.Type("g", "g", "r", "ctrl+u", "c.txt", "enter")
	a.rows("▌  c.txt", "   test.ipynb")
	a.Type("z")
	a.rows("▌  b.txt", "   test.ipynb")
	a.Type("d")
	a.rows("▌  test.ipynb")
	a.Type("z")
	a.rows("▌  b.txt", "   test.ipynb")
}

func TestRenameFollowsTheOpenNotebook(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, watch: true, beside: map[string]string{"other.ipynb": file("other"), "dir/x": ""}})
	a.Type("esc", "b", "t", "r", "ctrl+u", "new.ipynb", "enter")
	a.shows("renamed test.ipynb to new.ipynb", "● new.ipynb", "   other.ipynb", "▌  new.ipynb")
	a.hides("was renamed", "deleted")
	a.Type("esc", "s")
	a.shows("saved new.ipynb")
	if a.there("test.ipynb") || !a.there("new.ipynb") {
		t.Error("it was saved under its old name")
	}
	a.Type("t", "r", "ctrl+u", "other.ipynb", "enter")
	a.shows("other.ipynb exists already", "o replace it")
	a.Type("esc")
	a.shows("▌  new.ipynb")
	a.Type("x", "g", "g", "l", "v")
	a.shows("moved new.ipynb to")
	if !a.there("dir/new.ipynb") {
		t.Error("it was not moved")
	}
	a.Type("z")
	a.shows("taken back: moved new.ipynb")
	if !a.there("new.ipynb") {
		t.Error("the move was not taken back")
	}
	a.Type("esc", "b", "s")
	a.shows("saved new.ipynb")
	if a.there("dir/new.ipynb") {
		t.Error("the notebook did not come back with its file")
	}
}

// What cannot be typed as it is must not be renamed by an Enter.
func TestRenameKeepsANameThatIsNotChanged(t *testing.T) {
	for _, name := range []string{"two\nlines", "bad\xff", " spaces "} {
		a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{name: "x"}})
		a.Type("g", "g", "r")
		a.shows("rename to:")
		a.Type("enter")
		a.hides("rename to:", "renamed")
		if !a.there(name) {
			t.Errorf("%q was renamed", name)
		}
	}
}

func TestDeleteAsksWithoutATrash(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"dir/x": "", "y.txt": ""}})
	a.Type("G", "d")
	a.shows("there is no trash here; y.txt would be gone for good", "y delete")
	a.Type("esc")
	if !a.there("y.txt") {
		t.Fatal("it was deleted unasked")
	}
	a.Type("d", "y")
	a.shows("deleted y.txt")
	a.Type("g", "g", "d")
	a.shows("dir and all that is in it")
	a.Type("y", "z")
	a.shows("cannot be taken back", "gone for good")
	if a.there("dir") || a.there("y.txt") {
		t.Error("something is still there")
	}
	a.rows("▌  test.ipynb")
}

func TestDeleteToTheTrash(t *testing.T) {
	var bin string
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"dir/x": ""}, trash: func(path string) (func() error, error) {
		if strings.HasSuffix(path, "test.ipynb") {
			return nil, errors.New("a test's trash takes no notebooks")
		}
		bin = filepath.Join(t.TempDir(), "x")
		return func() error { return os.Rename(bin, path) }, os.Rename(path, bin)
	}})
	a.Type("g", "g", "d")
	a.shows("dir is in the trash; z takes it back")
	a.rows("▌  test.ipynb")
	a.Type("z")
	a.shows("taken back", "dir/")
	if !a.there("dir/x") {
		t.Error("it did not come back")
	}
	a.Type("G", "d")
	a.shows("would be gone for good")
}

func TestCopyAndPaste(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"dir/x.txt": "1"}})
	a.Type("v")
	a.shows("nothing was copied")
	a.Type("g", "g", "l", "j", "c", "v")
	a.rows(" - dir/", "▌    x-copy.txt", "     x.txt", "   test.ipynb")
	a.Type("k", "h", "c", "G", "v")
	a.shows("+ dir-copy/", "copied dir to")
	if !a.there("dir-copy/x-copy.txt") {
		t.Error("the folder was not copied with all that is in it")
	}
	a.Type("y")
	if !strings.Contains(string(a.Bytes()), "\x1b]52;c;") {
		t.Error("the path was not copied")
	}
}

func TestTreePreviews(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"a.csv": "name,size\nx,1\n", "b.bin": "\x00\x01", "c.py": "print(1)\n"}})
	a.Type("g", "g", "enter")
	a.shows("a.csv · 1 rows, 2 columns, 14 B", "name", "q closes")
	a.Type("q", "j", "enter")
	a.shows("b.bin · binary, 2 B", "00000000  00 01")
	a.Type("q", "j", "enter")
	a.shows("c.py · 9 B", "print(1)")
	a.Type("q")
	a.shows("▌  c.py", "Enter opens")
}
