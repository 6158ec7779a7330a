package tui_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/internal/screentest"
)

// sources saves the notebook and returns its cells' sources.
func (a *app) sources() []string {
	a.t.Helper()
	a.Type("ctrl+s")
	doc, err := notebook.Parse([]byte(a.saved()))
	if err != nil {
		a.t.Fatal(err)
	}
	var all []string
	for _, c := range doc.Cells() {
		all = append(all, c.Source)
	}
	return all
}

// has fails unless the cells have these sources.
func (a *app) has(want ...string) {
	a.t.Helper()
	if got := a.sources(); strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		a.t.Fatalf("the sources are %q, want %q", got, want)
	}
}

// letters types a text key by key.
func (a *app) letters(text string) {
	a.t.Helper()
	a.Type(strings.Split(text, "")...)
}

func TestEditInPlace(t *testing.T) {
	a := open(t, setup{file: file("x = 1", "y = 2"), script: echo})
	a.Type("enter")
	a.shows("EDIT", "Esc done")
	if x, y, shown := a.Cursor(); !shown || x != 11 || y != 0 {
		t.Errorf("the cursor is at %d,%d, shown: %v", x, y, shown)
	}
	a.Type("ctrl+end")
	a.letters("2")
	a.shows("x = 12", "● test.ipynb")
	a.Type("esc")
	a.hides("EDIT")
	if _, _, shown := a.Cursor(); shown {
		t.Error("the cursor is still shown")
	}
	a.has("x = 12", "y = 2")
	a.hides("●")
	a.Type("z")
	a.shows("x = 1\n")
	a.Type("Z", "enter", "ctrl+z")
	a.has("x = 1", "y = 2")
	a.Type("ctrl+y")
	a.shows("EDIT", "x = 12")
}

func TestEditKeys(t *testing.T) {
	for _, c := range []struct{ keys, from, want string }{
		{"ctrl+end enter p", "if x:", "if x:\n    p"},
		{"a ctrl+h b backspace c", "", "c"},
		{"ctrl+right space", "ab cd", "ab  cd"},
		{"alt+right space", "ab cd", "ab  cd"},
		{"ctrl+end ctrl+left space", "ab cd", "ab  cd"},
		{"ctrl+end ctrl+a #", "ab cd", "#ab cd"},
		{"ctrl+e #", "ab\ncd", "ab#\ncd"},
		{"down home #", "ab\ncd", "ab\n#cd"},
		{"end shift+left ctrl+x home ctrl+v", "ab", "ba"},
		{"shift+end ctrl+c end ctrl+v", "ab", "abab"},
		{"alt+c end ctrl+v", "ab\nc", "abab\n\nc"},
		{"ctrl+end ctrl+w", "ab cd", "ab "},
		{"ctrl+end left ctrl+u", "ab cd", "d"},
		{"right ctrl+k", "ab cd", "a"},
		{"tab x", "", "    x"},
		{"end tab", "a  ", "a   "},
		{"shift+tab", "    x", "x"},
		{"ctrl+_", "x", "# x"},
		{"ctrl+_ ctrl+_", "x", "x"},
		{"alt+down", "a\nb", "b\na"},
		{"down alt+up", "a\nb", "b\na"},
		{"alt+shift+down", "a\nb", "a\na\nb"},
		{"ctrl+shift+right delete", "ab cd", " cd"},
		{"(", "", "()"},
		{"( a )", "", "(a)"},
		{"shift+down delete", "a\nb", "b"},
	} {
		t.Run(c.keys, func(t *testing.T) {
			a := open(t, setup{file: file(c.from)})
			a.Type("enter")
			a.Type(strings.Fields(c.keys)...)
			a.has(c.want)
			for range len(strings.Fields(c.keys)) + 1 {
				a.Type("ctrl+z")
			}
			a.has(c.from)
		})
	}
}

func TestArrowsCrossCells(t *testing.T) {
	a := open(t, setup{file: file("one", "md:# two", "three")})
	a.Type("enter", "ctrl+end", "down")
	a.shows("2/3", "EDIT", "# two")
	a.letters("!")
	a.Type("end", "right")
	a.letters("3")
	a.Type("left", "left")
	a.letters("2")
	a.Type("up", "home", "left", "up")
	a.shows("1/3", "EDIT")
	a.has("one", "# t!wo2", "3three")
	a.Type("esc", "j", "enter", "esc", "enter")
	a.shows("EDIT")
}

func TestRunFromEditMode(t *testing.T) {
	for _, c := range []struct {
		key, position string
		stays         bool
	}{
		{"ctrl+j", "1/2", true},
		{"ctrl+enter", "1/2", true},
		{"shift+enter", "2/2", false},
		{"\x1b[27;2;13~", "2/2", false},
		{"alt+enter", "2/3", true},
	} {
		t.Run(c.key, func(t *testing.T) {
			a := open(t, setup{file: file("a", "b"), script: echo})
			a.Type("enter", "1", c.key)
			a.shows("ran 1a", c.position)
			a.hides("ran b")
			if c.stays {
				a.shows("EDIT")
			} else {
				a.hides("EDIT")
			}
		})
	}
}

func TestEditingGoesOnWhileCellsRun(t *testing.T) {
	a := open(t, setup{file: file("one", "two"), script: block})
	a.Keys("enter", "ctrl+j")
	a.WaitFor("[*]")
	a.Keys("x")
	a.WaitFor("xone")
	a.Keys("down")
	a.Keys("y")
	a.WaitFor("tywo")
	a.Keys("ctrl+c")
	a.WaitFor("KeyboardInterrupt")
	a.WaitIdle()
	a.shows("EDIT", "edited")
	a.has("xone", "tywo")
}

func TestPromptDoesNotTakeTheKeyboardFromTyping(t *testing.T) {
	a := open(t, setup{file: file("name", "two"), script: ask})
	a.Keys("enter", "ctrl+j")
	a.WaitFor("who?")
	a.WaitIdle()
	a.hides("EDIT") // nothing was typed since it was run
	a.Keys("Ann", "enter")
	a.WaitFor("hi Ann")
	a.WaitIdle()
	a.Type("j", "enter")
	a.Keys("esc", "k", "ctrl+j")
	a.WaitFor("who?")
	a.WaitIdle()
	a.shows("Enter answers")
}

// hexKeys are the lines "name hex" of a file of keys.
func hexKeys(t *testing.T, name string) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for line := range strings.Lines(testdata(t, name)) {
		f := strings.Fields(line)
		if len(f) != 2 || strings.HasPrefix(line, "#") {
			continue
		}
		seq, err := hex.DecodeString(f[1])
		if err != nil {
			t.Fatal(err)
		}
		keys[f[0]] = string(seq)
	}
	return keys
}

func TestModifiedEnters(t *testing.T) {
	keys := hexKeys(t, "C03.keys")
	for name, want := range map[string]string{
		"enter": "1/2", "shift-enter-csi-u": "2/2", "ctrl-enter-csi-u": "1/2", "shift-enter-modify-other": "2/2", "alt-enter": "2/3",
	} {
		a := open(t, setup{file: file("a", "b"), script: echo})
		a.Type("enter", "end", keys[name])
		a.shows(want)
		if name == "enter" {
			a.hides("ran")
			a.has("a\n", "b")
			continue
		}
		a.shows("ran a")
	}
}

func TestBracketedPaste(t *testing.T) {
	a := open(t, setup{file: file("")})
	a.Type("enter")
	a.Type(testdata(t, "C05.keys"))
	a.has(testdata(t, "C05.expected.txt"))
	a.hides("[*]", "[1]")
	a.Type("ctrl+z")
	a.has("")
}

func TestPasteWithoutBrackets(t *testing.T) {
	text := testdata(t, "C06.keys")
	a := open(t, setup{file: file("old"), script: echo})
	a.Type("enter", "ctrl+end")
	a.Type(text)
	a.has("old" + strings.ReplaceAll(text, "\r", "\n"))
	a.Type("ctrl+z")
	a.has("old")
	a.Type(strings.ReplaceAll(text, "\r", "\n")) // Ctrl-J is a line end here, and runs nothing
	a.has("old" + strings.ReplaceAll(text, "\r", "\n"))
	a.hides("[*]", "[1]")
}

func TestReportsAndUnboundKeysAreNoText(t *testing.T) {
	a := open(t, setup{file: file("left\nalone", "b")})
	a.Type("enter", "down")
	for name, seq := range hexKeys(t, "C18.keys") {
		a.Type(seq)
		if name == "truncated" {
			a.Type("M", "\x1b[<65;5;5")
			a.Type("M")
		}
	}
	a.Type("f2", "f2", "\x1b[[C")
	a.has("left\nalone", "b")
	for name, seq := range hexKeys(t, "C19.keys") {
		if name != "alt-up" && name != "ctrl-backslash" { // they are bound
			a.Type(seq)
		}
	}
	a.has("left\nalone", "b")
}

func TestEscapeAndAKeyInQuickSuccession(t *testing.T) {
	a := open(t, setup{file: file("one", "two")})
	a.Type("enter", "x", "\x1bj")
	a.shows("2/2")
	a.hides("EDIT")
	a.has("xone", "two")
}

func TestEditWithTheMouse(t *testing.T) {
	a := open(t, setup{file: file("alpha beta\ngamma", "second")})
	a.Type(screentest.Click(11, 3))
	a.shows("2/2")
	a.hides("EDIT")
	a.Type(screentest.Click(17, 0) + screentest.Click(17, 0))
	a.shows("1/2", "EDIT")
	a.letters("X")
	a.shows("alpha Xbeta")
	a.Type(screentest.Drag(11, 0, 14, 1), "-")
	a.has("-ma", "second")
	a.Type(screentest.Click(14, 2))
	a.letters("!")
	a.has("-ma", "sec!ond")
	a.Type(screentest.Click(2, 0))
	a.hides("EDIT")
	a.shows("1/2")
}

func TestSplitAtTheCursor(t *testing.T) {
	a := open(t, setup{file: file("one\ntwo")})
	a.Type("enter", "down", `ctrl+\`)
	a.shows("2/2", "EDIT")
	a.letters("2")
	a.has("one", "2two")
	a.Type("ctrl+z", "ctrl+z")
	a.has("one\ntwo")
	a.shows("EDIT", "1/1")
}

func TestLineNumbersAndWrapping(t *testing.T) {
	long := strings.Repeat("word ", 30) + "end"
	a := open(t, setup{file: file("first\n"+long, "b")})
	a.shows("end")
	a.Type("l")
	a.shows(" 1 first", " 2 word")
	a.Type("w")
	a.hides("end\n")
	a.Type("enter", "down", "end")
	a.shows("end")
	a.Type("esc", "w", "l")
	a.hides(" 1 first")
	a.shows("end")
}

func TestReadOnlyIsNotEdited(t *testing.T) {
	a := open(t, setup{file: strings.Replace(file("one"), `"nbformat": 4`, `"nbformat": 5`, 1)})
	a.Type("enter", "x")
	a.shows("read-only")
	a.hides("EDIT")
}

func TestBytesPerTypedCharacter(t *testing.T) {
	a := open(t, setup{file: wide(), width: 200, height: 50})
	a.Type("enter", "x", "end")
	for _, c := range []struct {
		at     string
		budget int
	}{{"end", 100}, {"home", 1000}} {
		a.Type(c.at, "a")
		if n := a.written(func() { a.Type("b") }); n > c.budget || n == 0 {
			t.Errorf("a character at %s: %d bytes, the budget is %d", c.at, n, c.budget)
		}
	}
}

func TestCopiedTextGoesToTheTerminalsClipboard(t *testing.T) {
	a := open(t, setup{file: file("alpha beta")})
	a.Type("enter", "ctrl+shift+right", "alt+c")
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("alpha")); !strings.Contains(string(a.Bytes()), want) {
		t.Error("nothing was sent")
	}
	a.shows("copied")
}

func TestLinuxConsoleF1InEditMode(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("enter", "\x1b[[A")
	a.shows("Everywhere")
	a.Type("q")
	a.shows("EDIT")
	a.has("one")
}

// TestEditedFramesAgreeWithAFullRedraw guards the renderer's differences and the cursor:
// after random keys the screen must be what a repaint shows, and the text what was saved.
func TestEditedFramesAgreeWithAFullRedraw(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 7))
	a := open(t, setup{file: file("def f(a):\n\treturn 'wide 漢字 e\u0301'\n# 👍 done", "md:# two\n\ntext", "three"), script: echo, width: 60})
	keys := []string{
		"a", "(", "'", "漢", "\u0301", "enter", "tab", "backspace", "delete", "left", "right", "up", "down", "home", "end", "ctrl+left", "shift+right",
		"shift+down", "ctrl+x", "ctrl+v", "ctrl+z", "ctrl+y", "ctrl+w", "ctrl+k", "alt+up", "alt+down", "alt+shift+down", "ctrl+_", "ctrl+j",
		`ctrl+\`, "esc", "l", "w", "enter", screentest.Click(15, 1), screentest.Drag(12, 0, 30, 2), screentest.Wheel(5, 5, 1), screentest.Paste("two\n\tlines"),
	}
	a.Type("enter")
	for step := range 120 {
		key := keys[rnd.IntN(len(keys))]
		a.Type(key)
		if step%5 != 0 {
			continue
		}
		if strings.Contains(a.Text(), "q closes") {
			a.Type("q")
		}
		a.Type("f2", "f2", "shift+left") // the last takes the hint away
		before := a.Text()
		a.Type("ctrl+l")
		if after := a.Text(); before != after {
			t.Fatalf("seed %d, step %d, %q: the screen was\n%s\nand a redraw is\n%s", seed, step, key, before, after)
		}
	}
	if len(a.sources()) == 0 {
		t.Error("all cells are gone")
	}
}

func TestNobodyIsSuspendedWithoutAShell(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("ctrl+z")
	a.shows("no shell")
}

func TestSplitAtTheStartGoesOnInTheCode(t *testing.T) {
	a := open(t, setup{file: file("x = 1"), script: echo})
	a.Type("ctrl+j", "enter", "ctrl+home", `ctrl+\`)
	a.shows("[1]", "ran x = 1", "2/2", "EDIT")
	a.letters("y")
	a.has("", "yx = 1")
}

func TestPaletteHasTheActionsOfEditMode(t *testing.T) {
	a := open(t, setup{file: file("x = 1"), script: echo})
	a.Type("ctrl+p")
	a.letters("split the cell at")
	a.shows("split the cell at the cursor  Edit mode")
	a.Type("esc", "enter", "right", "ctrl+p")
	a.letters("split the cell at")
	a.shows("split the cell at the cursor")
	a.Type("enter")
	a.has("x", " = 1")
	a.Type("esc", "h") // the list of keys is as it was
	a.shows("Everywhere")
}

// The cursor stays in sight of who edits, however much the cell prints.
func TestTallOutputLeavesTheCursorInSight(t *testing.T) {
	tall := func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: strings.Repeat("line\n", 35) + "end\n"})
		return kernelclient.Outcome{Reason: event.Done}
	}
	a := open(t, setup{file: file("one = 1\ntwo = 2"), script: tall})
	a.Type("enter", "down", "ctrl+j")
	a.WaitFor("idle")
	a.WaitIdle()
	if _, y, shown := a.Cursor(); !shown || y != 0 {
		t.Errorf("the cursor is in row %d, shown: %v", y, shown)
	}
	a.shows("two = 2", "EDIT", "line")
	a.letters("# more")
	a.shows("two = 2")
	a.Type("esc", "ctrl+j")
	a.shows("end")
}

func TestMarksOfARunAreOfCodeCellsOnly(t *testing.T) {
	a := open(t, setup{file: file("one", "two"), script: block})
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.Keys("i", "i")
	a.WaitFor("stopped")
	a.WaitIdle()
	a.Type("m")
	a.hides("stopped", "edited")
}

// The mouse is held below the window, and then above it.
func TestDraggingBeyondTheEdgeScrolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		for i := range 60 {
			lines = append(lines, fmt.Sprintf("line%02d", i))
		}
		a := open(t, setup{file: file(strings.Join(lines, "\n"), "second")})
		a.Type("enter", screentest.Press(15, 2), screentest.Motion(15, 23))
		a.hides("line40")
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		a.shows("line59")
		a.hides("second") // the text goes no farther
		a.Type(screentest.Motion(15, 0))
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		a.shows("line00")
		a.Type(screentest.Release(15, 0))
		time.Sleep(time.Second)
		a.letters("-")
		a.has("line-"+strings.Join(lines[2:], "\n")[4:], "second")
	})
}

// To run a cell of prose is to show it as it reads, also where it stays selected.
func TestRunStayShowsMarkdown(t *testing.T) {
	for _, key := range []string{"ctrl+j", "ctrl+enter"} {
		a := open(t, setup{file: file("md:# Head *line*", "b")})
		a.Type("enter")
		a.shows("EDIT", "# Head *line*")
		a.Type(key)
		a.hides("EDIT", "# Head *line*")
		a.shows("Head line", "1/2")
	}
}
