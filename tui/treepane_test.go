package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/tui/internal/screentest"
)

// row is the text of a line of the screen, up to the rule beside the tree.
func (a *app) row(n int) string {
	line, _, _ := strings.Cut(strings.Split(a.Text(), "\n")[n], "│")
	return strings.TrimRight(line, " ")
}

// rows fails unless the tree's rows are these.
func (a *app) rows(want ...string) {
	a.t.Helper()
	for i, w := range append(want, "") {
		if got := a.row(i + 1); got != w {
			a.t.Errorf("row %d of the tree is %q, not %q:\n%s", i, got, w, a.Text())
			return
		}
	}
}

func TestTreeOpensBesideTheNotebook(t *testing.T) {
	a := open(t, setup{file: file("one"), beside: map[string]string{"src/a.py": "", "src/deep/b.py": "", ".hidden": "", "z.txt": ""}})
	a.hides("z.txt")
	a.Type("ctrl+b")
	a.shows("│▌[ ] │ one", "Enter opens", "2/3")
	a.rows(" + src/", "▌  test.ipynb", "   z.txt")
	a.Type("k", "l")
	a.rows("▌- src/", "   + deep/", "     a.py", "   test.ipynb", "   z.txt")
	a.Type("l", "enter", "down")
	a.rows(" - src/", "   - deep/", "▌      b.py", "     a.py", "   test.ipynb", "   z.txt")
	a.Type("h", "h", "h", "h")
	a.rows("▌+ src/", "   test.ipynb", "   z.txt")
	a.Type(".")
	a.rows("▌+ src/", "   .hidden", "   test.ipynb", "   z.txt")
	a.Type("esc", "b")
	a.shows("2/2", "Ctrl-R run")
	a.Type("t", "G", "u")
	if !strings.Contains(a.Text(), "▌- "+filepath.Base(filepath.Dir(a.path))) {
		t.Errorf("the cursor is not on the former root:\n%s", a.Text())
	}
	a.Type("ctrl+b")
	a.hides("z.txt", "│▌")
	a.Type("enter", "x", "ctrl+b") // from edit mode
	a.shows("z.txt", "Enter opens")
	a.quits(t, 0, "ctrl+q", "d")
}

func TestTreeFilters(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"alpha.ipynb": file("a"), "data/x.csv": "", "many/beta.ipynb": file("b")}})
	a.Type("/")
	a.letters("ALPHA")
	a.rows("▌  alpha.ipynb")
	a.Type("esc")
	a.rows(" + data/", " + many/", "   alpha.ipynb", "▌  test.ipynb") // where it was
	a.Type("/", "nothing", "enter")
	a.shows("nothing is called", "/nothing  0/0")
	a.Type("esc")
	a.rows(" + data/", " + many/", "   alpha.ipynb", "▌  test.ipynb")
	a.Type("/", "a", "enter", "esc") // Enter took what was found
	a.rows("▌+ data/", " + many/", "   alpha.ipynb", "   test.ipynb")
	a.Type("esc")
	a.shows("Ctrl-R run")
}

func TestTreeOpensNotebooksInTabs(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"b.ipynb": file("second"), "c.ipynb": file("third")}})
	a.Type("g", "g", "enter")
	a.shows("│ second", " 1 test.ipynb  2 b.ipynb", "Ctrl-R run")
	a.Type("b", "g", "t")
	a.shows("│ one", "●b.ipynb")
	a.Type("g", "T", "t", "j", "enter")
	a.shows("│ third", "3 c.ipynb")
	a.Type("t", "g", "g", "enter") // it is open already
	a.shows("│ second", "3 c.ipynb")
	a.Type("g", "c")
	a.shows("b.ipynb has unsaved changes")
	a.Type("esc")
	a.shows("│ second")
	a.Type("ctrl+q")
	a.shows("b.ipynb has unsaved changes")
	a.Type("esc", "g", "c", "d")
	a.shows("│ third", " 1 test.ipynb  2 c.ipynb")
	a.hides("second")
	a.Type("t", "G", "o") // it is open already too: it only shows
	a.shows("│ one")
	a.Type("b", "g", "t", "b")
	a.Type("q", "s")
	a.shows("c.ipynb has unsaved changes", "third")
	a.quits(t, 0, "s")
	if got := a.saved(); strings.Count(got, "cell_type") != 2 {
		t.Errorf("the first notebook was not saved: %s", got)
	}
}

// A notebook takes the place of another: what is unsaved is asked about.
func TestTreeReplacesTheNotebook(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"b.ipynb": file("second")}})
	a.Type("esc", "b", "t", "g", "g", "o")
	a.shows("test.ipynb has unsaved changes")
	a.Type("d")
	a.shows("│ second", "b.ipynb  no kernel")
	a.hides(" 1 ", "one")
	a.quits(t, 0, "q")
}

// Each tab runs its own kernel, also while another one shows.
func TestTabsRunAside(t *testing.T) {
	a := open(t, setup{file: file("one"), script: echo, tree: true, beside: map[string]string{"b.ipynb": file("second")}})
	a.Type("g", "g", "enter")
	a.Keys("ctrl+j", "g", "t", "ctrl+j", "g", "T")
	a.WaitFor("ran second")
	a.Type("g", "t")
	a.WaitFor("ran one")
	a.quits(t, 0, "q", "d", "d")
}

func TestTreeFollowsTheDisk(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, watch: true, beside: map[string]string{"src/a.py": ""}})
	a.Type("g", "g", "l")
	a.rows("▌- src/", "     a.py", "   test.ipynb")
	a.make(map[string]string{"src/new.py": "", "x.txt": ""})
	a.WaitFor("new.py ~")
	a.WaitFor("x.txt ~")
	a.Type("R")
	a.WaitScreen("no marks", func(s string) bool { return !strings.Contains(s, "~") })
	if err := os.RemoveAll(filepath.Join(filepath.Dir(a.path), "src")); err != nil {
		t.Fatal(err)
	}
	a.WaitScreen("no src", func(s string) bool { return !strings.Contains(s, "src/") })
	a.WaitIdle()
	a.rows("▌  test.ipynb", "   x.txt")
}

// counted are this machine's files, and how often a folder was listed.
type counted struct {
	*localfs.FS
	lists atomic.Int32
}

func (c *counted) List(ctx context.Context, dir fswatch.Path, o fswatch.ListOptions) ([]fswatch.Entry, error) {
	c.lists.Add(1)
	return c.FS.List(ctx, dir, o)
}

// Of a folder that may have 100,000 entries only those are looked at that changed.
func TestTreeLooksAtWhatChanged(t *testing.T) {
	local, err := localfs.New(localfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := &counted{FS: local}
	if watch, err := local.Notifier(); err != nil {
		t.Skip("the system does not tell of changes: ", err)
	} else {
		_ = watch.Close()
	}
	a := open(t, setup{file: file("one"), tree: true, watch: true, files: files})
	a.make(map[string]string{"b.txt": ""})
	a.WaitFor("b.txt ~")
	lists := files.lists.Load()
	a.make(map[string]string{"a.txt": ""})
	a.WaitFor("a.txt ~")
	if err := os.Rename(a.at("b.txt"), a.at("c.txt")); err != nil {
		t.Fatal(err)
	}
	a.WaitFor("c.txt ~")
	a.WaitScreen("no b.txt", func(s string) bool { return !strings.Contains(s, "b.txt") })
	a.rows("   a.txt ~", "   c.txt ~", "▌  test.ipynb")
	if now := files.lists.Load(); now != lists {
		t.Errorf("the folder was listed %d times more", now-lists)
	}
}

func TestTreeOnANarrowScreen(t *testing.T) {
	a := open(t, setup{file: file("one"), width: 40, height: 12, beside: map[string]string{"b.ipynb": file("second")}})
	a.Type("t")
	a.rows("   b.ipynb", "▌  test.ipynb")
	a.hides("│")
	a.Type("esc")
	a.shows("one")
	a.hides("b.ipynb")
	a.Type("t", "k", "enter")
	a.shows("second")
	a.hides("+", "   b.ipynb")
}

func TestTreeTakesTheMouse(t *testing.T) {
	a := open(t, setup{file: file("one", "two"), tree: true, beside: map[string]string{"src/a.py": "", "b.ipynb": file("second")}})
	a.Type("esc", screentest.Click(4, 1))
	a.rows("▌- src/", "     a.py", "   b.ipynb", "   test.ipynb")
	a.Type(screentest.Click(4, 3))
	a.rows(" - src/", "     a.py", "▌  b.ipynb", "   test.ipynb")
	a.Type(screentest.Click(40, 2))
	a.shows("2/2")
	a.Type("enter", screentest.Click(39, 0))
	if x, _, shown := a.Cursor(); !shown || x != 35 {
		t.Errorf("the cursor is at column %d", x)
	}
	a.Type("esc", screentest.Click(4, 3)+screentest.Click(4, 3))
	a.shows("│ second")
}

// Over SSH the tree waits until it is asked for.
func TestTreeOverSSH(t *testing.T) {
	for _, sign := range []string{"SSH_TTY=/dev/pts/9", "SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"} {
		a := open(t, setup{file: file("one"), tree: true, env: []string{sign}, notices: []string{"this file is odd"}, beside: map[string]string{"b.ipynb": ""}})
		a.Type("j") // no passing hint, which other news would cover
		a.shows("over SSH", "t shows it", "(1/2)")
		a.hides("b.ipynb")
		a.Type("t")
		a.shows("b.ipynb", "this file is odd")
		a.hides("over SSH")
	}
}

// A file that is no notebook says so, and the tree stays at hand.
func TestTreeBesideABrokenFile(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"bad.ipynb": `{"not": "one"}`, "c.ipynb": file("third")}})
	a.Type("g", "g", "enter")
	a.shows("bad.ipynb does not open as a notebook", "2 bad.ipynb", "q quit")
	a.Type("t")
	a.shows(" bad.ipynb  no notebook · unchanged")
	a.Type("j", "enter") // it gives way
	a.shows("third", " 1 test.ipynb  2 c.ipynb")
	a.Type("t", "k", "enter", "q")
	a.hides("bad.ipynb does")
	a.shows("third")
	a.Type("t", "enter", screentest.Click(4, 3))
	a.rows("   bad.ipynb", "   c.ipynb", "▌  test.ipynb")
}
