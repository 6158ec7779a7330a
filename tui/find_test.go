package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/tui/internal/screentest"
)

func TestFind(t *testing.T) {
	a := open(t, setup{file: file("alpha = 1", "md:# Beta\n\nalpha and *gamma*", "print(ALPHA)"), script: echo})
	a.Type("ctrl+f", "alp")
	a.shows("Find: alp", "1 of 3", "1/3")
	if x, y, shown := a.Cursor(); !shown || x != len("Find: alp") || y != 22 {
		t.Errorf("the cursor is at %d,%d, shown: %v", x, y, shown)
	}
	a.Type("enter")
	a.shows("2 of 3", "2/3")
	a.Type("down", "down")
	a.shows("1 of 3", "1/3")
	a.Type("up")
	a.shows("3 of 3", "3/3")
	a.Type("alt+c")
	a.shows("[case]", "1 of 2")
	a.Type("alt+w")
	a.shows("[word]", "not found")
	a.Type("ha")
	a.shows("1 of 2")
	a.Type("alt+w", "alt+c", "ctrl+u", "a.*a")
	a.shows("not found")
	a.Type("alt+r")
	a.shows("[regexp]", "1 of 3")
	a.Type("(")
	a.shows("not a regular expression")
	a.Type("esc")
	a.hides("Find:")
	a.Type("n")
	a.shows("nothing was searched for")
}

func TestSearchAsInVi(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "one", "three one"), script: echo})
	a.Type("/", "one")
	a.hides("Tab replace")
	a.Type("enter")
	a.hides("Find:")
	a.shows("1/4")
	a.Type("n")
	a.shows("one: 2 of 3", "3/4")
	a.Type("n", "n")
	a.shows("1 of 3", "1/4")
	a.Type("N")
	a.shows("3 of 3", "4/4")
	a.Type("k", "k", "n")
	a.shows("2 of 3", "3/4")
	a.Type("g", "g", "a", "n") // cells moved meanwhile
	a.shows("1 of 3", "2/5")
	a.Type("G", "ctrl+e", "n", "n")
	a.shows("4 of 4", "5/5")     // in the new output
	a.Type("esc", "g", "g", "n") // the marks went, not the search
	a.shows("one: 1 of 4", "2/5")
	a.Type("esc", "N")
	a.shows("one: 4 of 4", "5/5")
	a.Type("/", "esc", "g", "g", "n")
	a.shows("one: 1 of 4", "2/5")
	a.Type("/", "nosuch", "enter")
	a.shows("not found: nosuch")
}

func long(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "\x1b[32mline\x1b[0m %d of a long text that is broken over two rows of a screen with 80 columns\n", i)
	}
	f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: b.String()})
	return kernelclient.Outcome{Reason: event.Done}
}

func TestTheViewFollowsHits(t *testing.T) {
	source := strings.Repeat("x = 1\n", 100) + "needle = 2\n" + strings.Repeat("y = 1\n", 100)
	a := open(t, setup{file: file(source, "md:"+strings.Repeat("text\n\n", 50)+"a *pin* here"), script: long})
	a.Type("/", "needle", "enter")
	a.shows("needle = 2")
	a.Type("/", "pin", "enter")
	a.shows("a pin here")
	a.Type("g", "g", "ctrl+e", "o")
	a.Type("/", "line 1234", "enter") // in a folded output
	a.shows("line 1234 of")
	a.Type("o", "/", "line 2999", "enter")
	a.shows("line 2999 of")
	a.Type("g", "g", "-", "/", "needle", "enter")
	a.shows("needle = 2")
}

func TestReplace(t *testing.T) {
	a := open(t, setup{file: file("cat = 1\nprint(cat)", "cat", "md:concatenate"), script: echo})
	a.Type("f", "cat")
	a.shows("Find: cat", "1 of 4", "Alt-R regexp  Tab replace")
	a.Type(strings.Repeat("s", 40))
	a.hides("Tab replace")
	a.Type("ctrl+u", "cat", "tab", "dog")
	a.hides("Tab replace")
	a.shows("Find: cat", "Replace by: dog", "1 of 4", "Enter one  Alt-A all")
	a.Type("enter")
	a.shows("dog = 1", "print(cat)", "1 of 3")
	a.Type("alt+w", "alt+a")
	a.shows("print(dog)", "concatenate", "replaced 2 in 2 cells")
	a.Type("esc", "z")
	a.shows("dog = 1", "print(cat)")
	a.Type("z")
	a.shows("cat = 1")
	a.Type("Z", "Z")
	a.shows("print(dog)")
	a.Type("f", "dog", "tab", "dogdog", "enter", "enter", "enter", "enter") // never what was put in
	a.shows("dogdog = 1", "print(dogdog)")
	a.hides("dogdogdog")
}

func TestReplaceLeavesOutputsAlone(t *testing.T) {
	a := open(t, setup{file: file("a1", "b"), script: echo})
	a.Type("R", "f", `(\w)1`, "alt+r", "tab", "$1-2", "enter")
	a.shows("a-2", "ran a1")
	a.Type("alt+a")
	a.shows("nothing to replace", "ran a1")
}

func TestFindMarksHits(t *testing.T) {
	a := open(t, setup{file: file("abc abc", "abc"), script: echo})
	plain := a.Styles()
	a.Type("/", "abc", "enter")
	if a.Styles() == plain {
		t.Error("hits are not marked")
	}
	a.shows("abc abc")
	a.Type("esc")
	if a.Styles() != plain {
		t.Error("hits stay marked")
	}
}

func TestPaletteAndCommandLine(t *testing.T) {
	a := open(t, setup{file: file("one", "md:# First\n\ntext\n\n## Second", "a\nb\nc"), script: echo})
	a.Type("ctrl+p")
	a.shows("> ", "actions and headings", "save")
	a.Type(screentest.Click(5, 10), screentest.Wheel(5, 10, 2), screentest.Wheel(5, 10, -3))
	a.shows("actions and headings", "Enter chooses", "1/3")
	a.Type("run all", "enter")
	a.shows("ran one")
	a.hides("actions and headings")
	a.Type("p", "second")
	a.shows("§ Second", "cell 2")
	a.Type("enter")
	a.shows("2/3")
	a.Type(":", "3", "enter")
	a.shows("3/3")
	a.Type(":", "99")
	a.shows("go to cell 3 of 3")
	a.Type("esc", ":", "1:1")
	a.shows("go to line 1 of cell 1")
	a.Type("enter")
	a.shows("1/3")
	a.Type(":", "outline", "enter")
	a.shows("§ First", "§ Second")
	a.Type("down", "up", "enter")
	a.shows("2/3")
	a.Type("G", ":", "split 2", "enter")
	a.shows("4/4")
	a.Type("z", "G", ":", "nosuch")
	a.shows("there is no such command")
	a.Type("enter", "esc")
	a.hides("nosuch")
	a.Type(":", "w", "enter")
	a.shows("saved test.ipynb")
	a.quits(t, 0, ":", "q", "enter")
}

// What was called by name comes first the next time.
func TestPaletteRemembers(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "md:# Head")})
	a.Type("ctrl+p")
	a.hides("recently used")
	a.Type("lastcell", "enter") // letters in order
	a.shows("3/3")
	a.Type("ctrl+p", "tfc", "esc", "ctrl+p", "first cell", "enter")
	a.shows("1/3")
	a.Type("ctrl+p")
	a.order("recently used", "▌ first cell", "gg Home", "last cell", "G End", "all", "save")
	a.Type("down", "enter")
	a.shows("3/3")
	a.Type(":")
	a.order("recently used", "▌ last cell", "first cell", "all")
	a.Type("cell")
	a.hides("recently used")
	a.order("last cell", "first cell", "previous cell")
}

func TestJumpToALineOfALongCell(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "v%d = %s\n", i+1, strings.Repeat("x", 100))
	}
	a := open(t, setup{file: file("one", b.String())})
	a.Type(":", "2:400", "enter")
	a.shows("v400 =", "2/2")
	a.Type(":", "line 17", "enter")
	a.shows("v17 =")
	a.hides("v400 =")
	a.Type(":", ":444", "enter")
	a.shows("v444 =")
}

func TestPickerOnSmallScreens(t *testing.T) {
	a := open(t, setup{file: file("one"), width: 20, height: 5})
	for _, s := range [][2]int{{1, 1}, {3, 2}, {10, 3}, {300, 60}, {20, 5}} {
		a.resize(s[0], s[1])
		a.Type("ctrl+p", "down", "pgdown", "up", "pgup", "esc", "f", "one", "tab", "x", "esc", ":", "1", "esc")
	}
	a.shows("one")
}
