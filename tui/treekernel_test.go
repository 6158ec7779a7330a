package tui_test

import (
	"path/filepath"
	"testing"
)

func TestTreeInsertsCode(t *testing.T) {
	a := open(t, setup{file: file("data = ", "md:prose"), tree: true, beside: map[string]string{"in/a b.csv": "x"}})
	a.Type("esc", "g", "g", "enter", "end", "esc", "t", "g", "g", "l", "j", "i")
	a.shows(`data = open("in/a b.csv")`, "EDIT")
	a.Type("esc", "j", "t", "i") // below prose a new cell takes it
	a.shows("3/3", "prose")
	a.Type("esc")
	a.quits(t, 0, "q", "d")
}

func TestTreeGoesToTheKernelsFolder(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"in/x": ""}})
	a.Type("u")
	a.shows("- " + filepath.Base(filepath.Dir(a.path)) + "/")
	a.Type("C")
	a.rows("▌+ in/", "   test.ipynb")
	a.shows("it will begin here")
}

func TestTreeOpensAShell(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true, beside: map[string]string{"in/x": ""}})
	a.Type("g", "g", "!")
	a.shows(" 2 shell.ipynb", "Ctrl-R run")
	if a.there("in/shell.ipynb") {
		t.Error("it was written before anybody saved it")
	}
}

func TestTreeMarksRunningNotebooks(t *testing.T) {
	a := open(t, setup{file: file("one"), script: echo, tree: true, beside: map[string]string{"b.ipynb": "", "c.ipynb": ""}, running: []string{"c.ipynb"}})
	a.rows("   b.ipynb", "   c.ipynb *", "▌  test.ipynb")
	a.Type("esc", "ctrl+j")
	a.WaitFor("ran one")
	a.WaitIdle()
	a.rows("   b.ipynb", "   c.ipynb *", "   test.ipynb *")
}
