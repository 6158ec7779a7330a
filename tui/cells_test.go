package tui_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// order fails unless the texts are on the screen in this order.
func (a *app) order(want ...string) {
	a.t.Helper()
	screen := a.Text()
	for _, w := range want {
		_, rest, found := strings.Cut(screen, w)
		if !found {
			a.t.Fatalf("no %q in order %q:\n%s", w, want, a.Text())
		}
		screen = rest
	}
}

func TestSeveralCells(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "three", "four"), script: echo, height: 40, width: 80})
	a.Type("J", "shift+down")
	a.shows("3 selected  3/4", "▌[ ]", "▎[ ]")
	a.Type("alt+down")
	a.order("four", "one", "two", "three", "3 selected")
	a.Type("alt+down")
	a.order("four", "one", "two", "three", "3 selected")
	a.Type("z")
	a.order("one", "two", "three", "four")
	a.hides("selected")
	a.Type("g", "g", "J", "x")
	a.order("three", "four", "1/2")
	a.Type("v")
	a.order("three", "one", "two", "four", "2 selected")
	a.Type("m")
	a.order("three", "[ ]", "four", "2 selected") // Markdown has no mark
	a.Type("y", "ctrl+e")
	a.order("ran one", "ran two", "2 selected")
	a.hides("ran three", "ran four")
	a.Type("delete")
	a.hides("ran one", "ran two")
	a.Type("z")
	a.shows("ran one", "ran two")
	a.Type("g", "g", "j", "J", "d", "d")
	a.hides("one", "two")
	a.Type("z")
	a.shows("ran one", "ran two")
	a.Type("ctrl+a")
	a.shows("4 selected")
	a.Type("shift+enter")
	a.shows("ran four", "5/5")
	a.Type("k", "K", "K", "J")
	a.shows("2 selected")
	a.Type("esc")
	a.hides("selected")
	a.Type("K")
	a.Type("j")
	a.hides("selected")
}

func TestMergeAndUndo(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "three"), script: echo})
	a.Type("R", "M")
	a.shows("1/2")
	a.order("one", "two", "ran one", "ran two", "three")
	a.Type("z")
	a.order("one", "ran one", "two", "ran two", "three", "1/3")
	a.Type("ctrl+a", "M")
	a.shows("1/1")
	a.Type("M")
	a.shows("no second cell")
}

func TestCopyReachesTheTerminalsClipboard(t *testing.T) {
	a := open(t, setup{file: file("one ≠ 1", "two"), script: echo})
	osc := func(text string) string {
		return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	}
	a.Type("J", "c")
	if !strings.Contains(string(a.Bytes()), osc("one ≠ 1\n\ntwo")) {
		t.Errorf("the sources were not copied: %q", a.Bytes())
	}
	a.Type("Y")
	a.shows("no output that can be copied")
	a.Type("R", "Y")
	a.shows("copied 2 lines of output")
	if !strings.Contains(string(a.Bytes()), osc("ran one ≠ 1\nran two")) {
		t.Errorf("the output was not copied: %q", a.Bytes())
	}
}

func TestEditedSinceRun(t *testing.T) {
	a := open(t, setup{file: file("one"), script: echo})
	a.Type("ctrl+e")
	a.hides("edited")
	a.Type("2", "y")
	a.shows("edited", "## one")
	a.Type("z", "z")
	a.hides("edited")
}

func TestQueueIsShownAndLeft(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "three", "four"), script: block})
	a.Keys("R")
	a.WaitFor("[*]")
	a.order("[*]", "[·]", "queued 1", "[·]", "queued 2", "queued 3")
	a.Keys("j", "j", "i", "i")
	a.WaitFor("not run")
	a.WaitScreen("a shorter queue", func(s string) bool { return !strings.Contains(s, "queued 3") })
	a.order("[*]", "queued 1", "not run", "queued 2")
	a.Keys("j", "K", "i", "i") // of a selection that one waiting cell and another belong to
	a.WaitScreen("a shorter queue", func(s string) bool { return !strings.Contains(s, "queued 1") || !strings.Contains(s, "queued 2") })
}

func TestFoldingTheSource(t *testing.T) {
	a := open(t, setup{file: file("first\nsecond\nthird\nfourth", "x")})
	a.Type("-")
	a.shows("first", "3 more lines; - shows them")
	a.hides("second")
	a.Type("-")
	a.shows("fourth")
}

func TestForms(t *testing.T) {
	doc := notebook.New()
	cell := notebook.NewCell{Type: notebook.Code, Source: "x", Outputs: []mime.Output{{Body: &mime.Data{Bundle: mime.Bundle{
		{Type: "text/html", Value: rawjson.Value(`"<b>rich</b>"`)}, {Type: "text/plain", Value: rawjson.Value(`"poor"`)},
	}}}}}
	if err := doc.Do("make", notebook.Insert{Cells: []notebook.NewCell{cell}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	a := open(t, setup{file: b.String()})
	for _, want := range []string{"text/html (1 of 2)", "text/plain (2 of 2)", "what reads best"} {
		a.Type(",")
		a.shows("shown as " + want)
	}
	a.Type("j", ",")
	a.shows("one form only")
}

func TestZeroCells(t *testing.T) { // A37
	text := testdata(t, "A37.ipynb")
	a := open(t, setup{file: text, script: echo})
	a.shows("no cells; b inserts one")
	for _, key := range []string{
		"d", "d", "M", "alt+up", "alt+down", "R", "<", ">", "shift+enter", "ctrl+j", "alt+enter", "x", "c", "v", "V", "Y", ",", "-",
		"J", "K", "ctrl+a", "g", "g", "G", "space", "pgup", "[", "]", "y", "m", "r", "1", "o", "O", "delete", "z", "Z", "i", "i", "e",
		"n", "N", "0", "R", "esc",
	} {
		a.Type(key)
	}
	a.shows("no cells")
	a.Type("s")
	if a.saved() != text {
		t.Errorf("saved:\n%s", a.saved())
	}
	a.Type("b")
	a.shows("[ ]", "1/1")
}

func TestKeysThatAreBoundNowhere(t *testing.T) { // C19, in command mode
	a := open(t, setup{file: file("one", "two")})
	for _, hex := range []string{"\x1b[15;2~", "\x1b[25~", "\x1b[120;6u", "\x1b[I", "\x1b[O", "\x00", "\x1c"} {
		a.Type(hex)
	}
	a.Type("\x1b[1;3A") // Alt-↑ at the top
	a.order("one", "two", "1/2")
	a.hides("●")
	if hit := regexp.MustCompile(`\[?(15;2~|25~|120;6u)`).FindString(a.Text()); hit != "" {
		t.Errorf("%q became text:\n%s", hit, a.Text())
	}
}

func TestManyCellsAtOnce(t *testing.T) {
	var sources []string
	for i := range 300 {
		sources = append(sources, fmt.Sprint("cell ", i))
	}
	a := open(t, setup{file: file(sources...)})
	a.Type("ctrl+a", "3")
	a.shows("300 selected", "### cell")
	a.Type("M")
	a.shows("1/1")
	a.Type("z", "z", "G")
	a.shows("cell 299", "300/300")
}

// withFormatter is a PATH with a black that runs a shell script.
func withFormatter(t *testing.T, script string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "black")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return []string{"PATH=" + dir + ":/usr/bin:/bin"}
}

func TestFormat(t *testing.T) {
	a := open(t, setup{file: file("x=1\ny=2", "%magic\nz=3", "md:# two"), env: withFormatter(t, "sed 's/=/ = /'")})
	a.Type("enter", "down", "end", "left", "esc", "F")
	a.shows("x = 1", "black formatted the cell")
	a.Type("enter")
	a.letters("_")
	a.has("x = 1\ny = _2", "%magic\nz=3", "# two")
	a.Type("ctrl+z", "ctrl+z")
	a.has("x=1\ny=2", "%magic\nz=3", "# two")
	a.Type("esc", "ctrl+a", "F")
	a.shows("black formatted the cell; the cell left alone: it has lines with magics")
	a.Type("z", "j", "j", "F")
	a.shows("only code")
	a.has("x=1\ny=2", "%magic\nz=3", "# two")
}

func TestFormattingIsDroppedWhenTypingWentOn(t *testing.T) {
	goOn := filepath.Join(t.TempDir(), "go on")
	if err := exec.Command("mkfifo", goOn).Run(); err != nil {
		t.Skip("no named pipes here")
	}
	a := open(t, setup{file: file("x=1"), env: withFormatter(t, "cat <'"+goOn+"'; echo late")})
	a.Keys("F")
	a.WaitFor("formatting…")
	a.Keys("enter", "y")
	a.WaitFor("yx=1")
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.WaitFor("edited meanwhile")
	a.WaitIdle()
	a.has("yx=1")
}

func TestFormattingNeedsAFormatter(t *testing.T) {
	a := open(t, setup{file: file("x=1"), env: []string{"PATH=" + t.TempDir()}})
	a.Type("F")
	a.shows("no formatter for Python was found: install ruff or black")
	a.has("x=1")
}
