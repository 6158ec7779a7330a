package editor

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/themes"
)

var onlySGR = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func plainRows(e *Editor, width, from, n int) string {
	rows := e.Lines(width, from, n)
	for i, r := range rows {
		rows[i] = onlySGR.ReplaceAllString(r, "")
	}
	return strings.Join(rows, "\n")
}

func TestDrawing(t *testing.T) {
	for _, c := range []struct {
		name, text string
		view       View
		width      int
		want       string
	}{
		{"tabs", "a\tb\n\tc", View{}, 20, "a   b\n    c"},
		{"controls", "a\x1b[2Jb\x7f\u202ec\xff", View{}, 20, "a␛[2Jb␡\ufffdc\ufffd"},
		{"wrap", "abcdefgh", View{Wrap: true}, 5, "abcd\nefgh"},
		{"wrap wide", "abc漢d", View{Wrap: true}, 5, "abc\n漢d"},
		{"wrap tab", "abc\td", View{Wrap: true}, 5, "abc \nd"},
		{"empty", "", View{Wrap: true}, 5, ""},
		{"numbers", "a\nb", View{Numbers: true}, 20, " 1 a\n 2 b"},
		{"numbers wrapped", "abcdefgh", View{Numbers: true, Wrap: true}, 8, " 1 abcd\n   efgh"},
		{"too narrow for numbers", "abcd", View{Numbers: true}, 6, "abcd"},
		{"cut", "abcdefgh\nx", View{}, 5, "abcde\nx"},
		{"cut wide", "abcd漢", View{}, 5, "abcd "},
		{"one column", "漢a", View{Wrap: true}, 1, "?\na"},
	} {
		e := New(c.text, Options{})
		e.SetView(c.view)
		if got := plainRows(e, c.width, 0, 99); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if h := e.Height(c.width); h != strings.Count(c.want, "\n")+1 {
			t.Errorf("%s: height %d", c.name, h)
		}
	}
}

func TestSidewaysScroll(t *testing.T) {
	e := New(strings.Repeat("0123456789", 5)+"\n\ta"+strings.Repeat("漢", 30)+"\nx", Options{})
	e.SetView(View{})
	e.End(false)
	x, y := e.CursorXY(11)
	if got := plainRows(e, 11, 0, 3); x != 8 || y != 0 || got != "23456789\n 漢漢漢漢漢\n" {
		t.Errorf("%d %d %q", x, y, got)
	}
	e.Home(false)
	if x, _ := e.CursorXY(11); x != 0 || plainRows(e, 11, 0, 1) != "01234567890" {
		t.Errorf("back: %d %q", x, plainRows(e, 11, 0, 1))
	}
}

func TestStyles(t *testing.T) {
	th := themes.Dark()
	e := open(t, "if ^(a|):\n  'x'", "python")
	e.SetView(View{Palette: NewPalette(th), Focused: true})
	sel := func(s themes.Style) themes.Style { return th.Selection.Over(s) }
	pair := themes.Style{Bold: true, Underline: true}
	got := strings.Join(e.Lines(40, 0, 9), "\n")
	e.ClearSelection()
	want := th.Keyword.Render("if") + " " + sel(pair).Render("(") + sel(themes.Style{}).Render("a") +
		pair.Render(")") + ":\n  " + th.String.Render("'x'")
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	e = open(t, "^a\n|b", "")
	e.SetView(View{Palette: NewPalette(th)})
	if got := strings.Join(e.Lines(40, 0, 9), "\n"); got != sel(themes.Style{}).Render("a ")+"\nb" {
		t.Errorf("%q", got)
	}
}

// TestColoursFollow opens and closes a long string above drawn lines.
func TestColoursFollow(t *testing.T) {
	th := themes.Dark()
	e := New("\nif a:\n  pass\n'''\nx", Options{Language: "python"})
	e.SetView(View{Palette: NewPalette(th)})
	fresh := func() string {
		f := New(e.Text(), Options{Language: "python"})
		f.SetView(View{Palette: NewPalette(th)})
		return strings.Join(f.Lines(40, 0, 99), "\n")
	}
	for _, op := range []func(){
		func() { e.Put(Typing, "", "'''") },
		func() { e.Put(Typing, "", "\n\n") },
		func() { e.SetCursor(Pos{2, 0}); e.Put(Typing, "", "'''") },
		func() { e.SelectAll(); e.Backspace() },
		func() { e.Put(Typing, "", "%%html\n<b>") },
		func() { e.DocStart(false); e.Delete() },
	} {
		op()
		if got, want := strings.Join(e.Lines(40, 0, 99), "\n"), fresh(); got != want {
			t.Fatalf("%q:\ngot  %q\nwant %q", e.Text(), got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	text := "a\tb漢c👨‍👩‍👧 e\u0301\n\n" + strings.Repeat("long line ", 5) + "\n漢漢漢漢漢\t\t漢"
	for _, wrap := range []bool{false, true} {
		for _, width := range []int{7, 10, 11, 200} {
			e := New(text, Options{})
			e.SetView(View{Wrap: wrap, Numbers: width == 11})
			lastX, lastY := -1, 0
			for {
				x, y := e.CursorXY(width)
				if wrap && (y < lastY || y == lastY && x <= lastX) {
					t.Errorf("wrap %v width %d: %v is drawn at %d,%d after %d,%d", wrap, width, e.Cursor(), x, y, lastX, lastY)
				}
				if got := e.PosAt(x, y); got != e.Cursor() && x < width-1 {
					t.Errorf("wrap %v width %d: %v is drawn at %d,%d, where %v is", wrap, width, e.Cursor(), x, y, got)
				}
				lastX, lastY = x, y
				if !e.Right(false) {
					break
				}
			}
			if lastY != e.Height(width)-1 {
				t.Errorf("wrap %v width %d: ends on row %d of %d", wrap, width, lastY, e.Height(width))
			}
		}
	}
}

// TestUpDownPassesAllRows goes down and up again in narrow views.
func TestUpDownPassesAllRows(t *testing.T) {
	text := "a\tb漢c👨‍👩‍👧 e\u0301\n\n" + strings.Repeat("long line ", 5) + "\n漢漢漢漢漢\t\t漢"
	for width := 6; width < 30; width++ {
		for start := range 5 {
			e := New(text, Options{})
			e.SetView(View{Wrap: true})
			e.Height(width)
			e.Enter(false, start)
			for _, dir := range []func(bool) bool{e.Down, e.Up} {
				n := 1
				for ; dir(false); n++ {
					if n > 99 {
						t.Fatalf("width %d: stuck at %v", width, e.Cursor())
					}
				}
				if n != e.Height(width) {
					t.Errorf("width %d: %d steps for %d rows", width, n, e.Height(width))
				}
			}
		}
	}
}

func TestMouse(t *testing.T) {
	e := New("foo.bar  baz\nx", Options{})
	e.SetView(View{Numbers: true})
	e.Lines(40, 0, 9)
	e.Click(3+4, 0, false)
	e.Click(3+99, 1, true)
	if got := shown(e); got != "foo.^bar  baz\nx|" {
		t.Error(got)
	}
	e.SelectWordAt(3+5, 0)
	if got := e.SelectedText(); got != "bar" {
		t.Error(got)
	}
	e.SelectLineAt(0)
	if got := e.SelectedText(); got != "foo.bar  baz\n" {
		t.Error(got)
	}
	e.Click(0, 99, false)
	if e.Cursor() != (Pos{1, 0}) {
		t.Error(e.Cursor())
	}
}

// TestHeightFollows keeps the counted rows beside those of a fresh editor.
func TestHeightFollows(t *testing.T) {
	e := New("", Options{})
	e.SetView(View{Wrap: true, Numbers: true})
	for i := range 300 {
		e.Put(Typing, "", fmt.Sprintf("%s\n", strings.Repeat("x", i%50)))
		if i%3 == 0 {
			e.Up(false)
		}
		f := New(e.Text(), Options{})
		f.SetView(View{Wrap: true, Numbers: true})
		if e.Height(20) != f.Height(20) {
			t.Fatalf("step %d: %d rows, want %d", i, e.Height(20), f.Height(20))
		}
		f.SetCursor(e.Cursor())
		x, y := e.CursorXY(20)
		if fx, fy := f.CursorXY(20); x != fx || y != fy {
			t.Fatalf("step %d: cursor at %d,%d, want %d,%d", i, x, y, fx, fy)
		}
	}
}

func TestRowsAreBounded(t *testing.T) {
	e := New("漢字漢字漢字漢字\tabc\x1b]0;x\x07"+strings.Repeat("e\u0301", 40)+"\u0301\n\u0301", Options{Language: "python"})
	e.SelectAll()
	for _, wrap := range []bool{false, true} {
		for width := 1; width < 60; width++ {
			e.SetView(View{Wrap: wrap, Numbers: width%2 == 0, Palette: NewPalette(themes.Dark()), Focused: true})
			for _, row := range e.Lines(width, 0, 999) {
				bare := onlySGR.ReplaceAllString(row, "")
				if ansi.StringWidth(bare) > width || strings.ContainsAny(bare, "\x1b\x07\t\n") {
					t.Errorf("width %d: %q", width, row)
				}
				if strings.Contains(row, "\x1b") && !strings.HasSuffix(strings.TrimRight(row, " "), "\x1b[m") && strings.LastIndex(row, "\x1b[m") < strings.LastIndex(row, "\x1b[") {
					t.Errorf("width %d: %q leaves a style on", width, row)
				}
			}
		}
	}
}
