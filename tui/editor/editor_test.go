package editor

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// open makes an editor of text in which | is the cursor and ^, if there, the other end
// of the selection.
func open(t testing.TB, marked, language string) *Editor {
	t.Helper()
	cursor := strings.Index(strings.Replace(marked, "^", "", 1), "|")
	anchor := strings.Index(strings.Replace(marked, "|", "", 1), "^")
	text := strings.Replace(strings.Replace(marked, "|", "", 1), "^", "", 1)
	e := New(text, Options{Language: language})
	if cursor < 0 {
		t.Fatal("no cursor in ", marked)
	}
	e.SetCursor(e.PosOf(cursor))
	if anchor >= 0 {
		e.Select(e.PosOf(anchor), e.PosOf(cursor))
	}
	return e
}

// shown writes an editor as open reads it.
func shown(e *Editor) string {
	text := e.Text()
	c, a := e.Offset(e.cursor), e.Offset(e.anchor)
	switch {
	case a < c:
		return text[:a] + "^" + text[a:c] + "|" + text[c:]
	case a > c:
		return text[:c] + "|" + text[c:a] + "^" + text[a:]
	}
	return text[:c] + "|" + text[c:]
}

// check says what an edit must always keep.
func check(t testing.TB, e *Editor, before string, ed Edit) {
	t.Helper()
	for _, c := range ed.Changes {
		if c.From < 0 || c.To < c.From || c.To > len(before) {
			t.Fatalf("change %+v of %q", c, before)
		}
		before = before[:c.From] + c.Text + before[c.To:]
	}
	if got := strings.Join(e.lines, "\n"); got != before || e.Text() != before || e.Len() != len(before) {
		t.Fatalf("text %q (%q, %d), changes make %q", got, e.Text(), e.Len(), before)
	}
	for _, p := range []Pos{e.cursor, e.anchor} {
		if !isBoundary(e.lines[p.Line], p.Byte) {
			t.Fatalf("%v splits a cluster of %q", p, e.lines[p.Line])
		}
	}
	if strings.Contains(before, "\r") {
		t.Fatalf("%q has a CR", before)
	}
}

func isBoundary(line string, at int) bool {
	for line != "" && at > 0 {
		g, _ := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line, at = line[len(g):], at-len(g)
	}
	return at == 0
}

// do runs what a test table names; a text in quotes is typed key by key.
func do(t testing.TB, e *Editor, ops string) {
	t.Helper()
	for _, op := range strings.Fields(ops) {
		before := e.Text()
		var ed Edit
		switch op {
		case "enter":
			ed = e.Newline()
		case "back":
			ed = e.Backspace()
		case "del":
			ed = e.Delete()
		case "wordback":
			ed = e.DeleteWordBack()
		case "worddel":
			ed = e.DeleteWordForward()
		case "tostart":
			ed = e.DeleteToStart()
		case "toend":
			ed = e.DeleteToEnd()
		case "indent":
			ed = e.Indent()
		case "outdent":
			ed = e.Outdent()
		case "comment":
			ed = e.ToggleComment()
		case "up", "down":
			ed = e.MoveLines(op == "down")
		case "dup":
			ed = e.DuplicateLines()
		case "cut":
			_, ed = e.Cut()
		case "left":
			e.Left(false)
		case "right":
			e.Right(false)
		default:
			for _, r := range strings.ReplaceAll(op, "␣", " ") {
				before = e.Text()
				check(t, e, before, e.Insert(string(r)))
			}
			continue
		}
		check(t, e, before, ed)
	}
}

func table(t *testing.T, language string, rows [][3]string) {
	t.Helper()
	for _, row := range rows {
		e := open(t, row[0], language)
		do(t, e, row[1])
		if got := shown(e); got != row[2] {
			t.Errorf("%q, %s:\ngot  %q\nwant %q", row[0], row[1], got, row[2])
		}
	}
}

func TestNewline(t *testing.T) {
	table(t, "python", [][3]string{
		{"if a:|", "enter", "if a:\n    |"},
		{"if a: # why:|", "enter", "if a: # why:\n    |"},
		{"x = 1 # why:|", "enter", "x = 1 # why:\n|"},
		{"x = 'a:|", "enter", "x = 'a:\n|"},
		{"    x = 1|", "enter", "    x = 1\n    |"},
		{"    return x|", "enter", "    return x\n|"},
		{"        pass|", "enter", "        pass\n    |"},
		{"    returned = 1|", "enter", "    returned = 1\n    |"},
		{"f(|)", "enter", "f(\n    |\n)"},
		{"f(|", "enter", "f(\n    |"},
		{"if a:\n  b|", "enter", "if a:\n  b\n  |"},
		{"if a:\n  if b:|", "enter", "if a:\n  if b:\n    |"},
		{"if a:\n\tif b:|", "enter", "if a:\n\tif b:\n\t\t|"},
		{"    |", "enter", "\n    |"},
		{"foo |  bar", "enter", "foo \n|bar"},
		{"|    x", "enter", "\n|    x"},
		{"a = '''\n  x:|", "enter", "a = '''\n  x:\n  |"},
		{"a^b|c", "enter", "a\n|c"},
		{"def f(a):|", "enter if␣a: enter return␣[ enter", "def f(a):\n    if a:\n        return [\n            |\n        ]"},
	})
	table(t, "javascript", [][3]string{
		{"if (a) {|}", "enter", "if (a) {\n  |\n}"},
		{"a:|", "enter", "a:\n|"},
		{"  return|", "enter", "  return\n  |"},
	})
	table(t, "markdown", [][3]string{{"- a:|", "enter", "- a:\n|"}})
	table(t, "python", [][3]string{{"%%bash\nif x:|", "enter", "%%bash\nif x:\n|"}})
}

func TestClosing(t *testing.T) {
	table(t, "python", [][3]string{
		{"f|", "(", "f(|)"},
		{"f|", "()", "f()|"},
		{"f|", "([{}])", "f([{}])|"},
		{"f|x", "(", "f(|x"},
		{"f(a|)", ")", "f(a)|)"},
		{"f|", "(a,␣\"b\")", "f(a, \"b\")|"},
		{"|", "\"a\"", "\"a\"|"},
		{"|", "\"\"\"", "\"\"\"|\"\"\""},
		{"|", "\"\"\"doc\"\"\"", "\"\"\"doc\"\"\"|"},
		{"|", "f'", "f'|'"},
		{"# don|", "'t", "# don't|"},
		{"don|", "'t", "don't|"},
		{"'a\\|'", "'", "'a\\'|'"},
		{"f|", "( left )", "f)|(" + ")"},
		{"^ab|c", "(", "(^ab|)c"},
		{"^ab|c", "\"", "\"^ab|\"c"},
		{"^ab|c", "x", "x|c"},
		{"f(\n    |", ")", "f(\n)|"},
		{"    |", ")", "    )|"},
		{"|", "( back", "|"},
		{"|", "([ back", "(|)"},
		{"|", "([ back )", "()|"},
		{"|", "(ab back )", "(a)|"},
	})
	table(t, "markdown", [][3]string{{"|", "\"it", "\"it|"}, {"|", "[a](b)", "[a](b)|"}})
	table(t, "go", [][3]string{{"|", "`a`", "`a`|"}})
}

func TestErasing(t *testing.T) {
	table(t, "python", [][3]string{
		{"ab|c", "back", "a|c"},
		{"a\n|b", "back", "a|b"},
		{"|a", "back", "|a"},
		{"      |a", "back back", "|a"},
		{"\t\t|a", "back", "\t|a"},
		{"x    |a", "back", "x   |a"},
		{"(|)", "back", "|"},
		{"e\u0301|x", "back", "|x"},
		{"👨‍👩‍👧|x", "back", "|x"},
		{"|e\u0301x", "del", "|x"},
		{"a|\nb", "del", "a|b"},
		{"a|", "del", "a|"},
		{"a^b|c", "del", "a|c"},
		{"foo.bar  |x", "wordback", "foo.|x"},
		{"foo.|x", "wordback", "foo|x"},
		{"a\n|b", "wordback", "a|b"},
		{"|  foo.bar", "worddel", "|.bar"},
		{"a|\nb", "worddel", "a|b"},
		{"ab|c", "tostart", "|c"},
		{"ab|c", "toend", "ab|"},
		{"ab|\nc", "toend", "ab|c"},
		{"a\nb|b\nc", "cut", "a\n|c"},
		{"a\nb|b", "cut", "a|"},
		{"a^b|c", "cut", "a|c"},
	})
}

func TestLines(t *testing.T) {
	table(t, "python", [][3]string{
		{"a|", "indent", "a   |"},
		{"|a", "indent", "    |a"},
		{"^a\n\nb|", "indent", "^    a\n\n    b|"},
		{"a\n^b\n|c", "indent", "a\n^    b\n|c"},
		{"      a|", "outdent", "  a|"},
		{"\ta|", "outdent", "a|"},
		{"a|", "outdent", "a|"},
		{"a|", "comment", "# a|"},
		{"    a|", "comment comment", "    a|"},
		{"^  a\n\n    b|", "comment", "^  # a\n\n  #   b|"},
		{"^# a\nb|", "comment", "^# # a\n# b|"},
		{"#a|", "comment", "a|"},
		{"|", "comment", "# |"},
		{"a\nb|\nc", "up", "b|\na\nc"},
		{"a\nb|\nc", "down", "a\nc\nb|"},
		{"|a", "up down", "|a"},
		{"a\n^b\nc|\nd", "up", "^b\nc|\na\nd"},
		{"a|\nb", "dup", "a\na|\nb"},
		{"^a\nb|", "dup", "a\nb\n^a\nb|"},
		{"a\n|", "up", "|\na"},
	})
	table(t, "html", [][3]string{{"<b>|", "comment", "<!-- <b>| -->"}, {"<!-- <b>| -->", "comment", "<b>|"}})
	table(t, "sql", [][3]string{{"x|", "comment", "-- x|"}})
	table(t, "", [][3]string{{"x|", "comment", "x|"}})
	table(t, "python", [][3]string{{"%%javascript\nx|", "comment", "%%javascript\n// x|"}})
}

func TestCombiningMarkJoins(t *testing.T) {
	e := open(t, "ae|b", "")
	do(t, e, "\u0301")
	if shown(e) != "ae\u0301|b" || !e.Left(false) || e.Cursor() != (Pos{0, 1}) {
		t.Errorf("%q", shown(e))
	}
	e = open(t, "👨|👧", "")
	do(t, e, "\u200d")
	if shown(e) != "👨\u200d👧|" {
		t.Errorf("%q", shown(e))
	}
}

// TestControlsAreNotTyped: what unknown keys send is no text.
func TestControlsAreNotTyped(t *testing.T) {
	for _, keys := range []string{"\x00", "\x1c", "\x1b", "\u009b", ""} {
		e := open(t, "a^b|c", "")
		if ed := e.Insert(keys); shown(e) != "a^b|c" || ed.Changes != nil {
			t.Errorf("%q: %q", keys, shown(e))
		}
	}
}

func TestWordsInLongLines(t *testing.T) {
	e := New(strings.Repeat("漢", 200000)+" x", Options{})
	e.DocEnd(false)
	for _, want := range []int{600001, 0} {
		if e.WordLeft(false); e.Cursor().Byte != want {
			t.Errorf("at %d, want %d", e.Cursor().Byte, want)
		}
	}
}

func TestMovement(t *testing.T) {
	e := New("foo bar\n\tx e\u0301 漢\n\nlonger line", Options{})
	e.SetView(View{})
	e.Lines(80, 0, 10)
	steps := []struct {
		name string
		do   func() bool
		want Pos
		ok   bool
	}{
		{"left at start", func() bool { return e.Left(false) }, Pos{0, 0}, false},
		{"up at start", func() bool { return e.Up(false) }, Pos{0, 0}, false},
		{"word", func() bool { return e.WordRight(false) }, Pos{0, 3}, true},
		{"word", func() bool { return e.WordRight(false) }, Pos{0, 7}, true},
		{"down to the column", func() bool { return e.Down(false) }, Pos{1, 6}, true},
		{"empty line", func() bool { return e.Down(false) }, Pos{2, 0}, true},
		{"goal kept", func() bool { return e.Down(false) }, Pos{3, 7}, true},
		{"down at end", func() bool { return e.Down(false) }, Pos{3, 7}, false},
		{"page up", func() bool { return e.PageUp(2, false) }, Pos{1, 6}, true},
		{"right", func() bool { return e.Right(false) }, Pos{1, 7}, true},
		{"home", func() bool { e.Home(false); return true }, Pos{1, 1}, true},
		{"home again", func() bool { e.Home(false); return true }, Pos{1, 0}, true},
		{"home back", func() bool { e.Home(false); return true }, Pos{1, 1}, true},
		{"end", func() bool { e.End(false); return true }, Pos{1, 10}, true},
		{"right over the end", func() bool { return e.Right(false) }, Pos{2, 0}, true},
		{"word back", func() bool { return e.WordLeft(false) }, Pos{1, 7}, true},
		{"extend", func() bool { return e.PageDown(9, true) }, Pos{3, 8}, true},
		{"extend over the end", func() bool { return e.Down(true) }, Pos{3, 11}, true},
		{"collapse left", func() bool { return e.Left(false) }, Pos{1, 7}, true},
		{"doc end", func() bool { e.DocEnd(false); return true }, Pos{3, 11}, true},
		{"right at end", func() bool { return e.Right(false) }, Pos{3, 11}, false},
		{"enter", func() bool { e.Enter(false, 5); return true }, Pos{0, 5}, true},
	}
	for _, s := range steps {
		if ok := s.do(); ok != s.ok || e.Cursor() != s.want {
			t.Fatalf("%s: %v %v, want %v %v", s.name, ok, e.Cursor(), s.ok, s.want)
		}
	}
}

func TestSetText(t *testing.T) {
	for _, c := range []struct{ before, text, kept, restored string }{
		{"abc\ndef|", "abc\nX\ndef", "abc\nX\ndef|", "abc\nX\n|def"},
		{"a|bc", "abcd", "a|bcd", "abcd|"},
		{"abc|def", "adef", "a|def", "a|def"},
		{"ab|c", "ab\r\nc", "ab|\nc", "ab\n|c"},
		{"ab|c", "abc", "ab|c", "ab|c"},
		{"e|", "e\u0301", "e\u0301|", "e\u0301|"},
	} {
		for _, follow := range []bool{false, true} {
			e, want := open(t, c.before, ""), c.kept
			if follow {
				e.Restore(c.text)
				want = c.restored
			} else {
				e.SetText(c.text)
			}
			check(t, e, newlines(c.text), Edit{})
			if shown(e) != want {
				t.Errorf("%q to %q: %q, want %q", c.before, c.text, shown(e), want)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"f|(a[1], ')')", "0.1 0.11 true"},
		{"f(a[1], ')')|", "0.11 0.1 true"},
		{"f(a # )\n)|", "1.0 0.1 true"},
		{"'|('", ""},
		{"(|", ""},
		{"x = '''\n(\n'''\n|(\n)", "3.0 4.0 true"},
	} {
		e := open(t, c.text, "python")
		a, b, ok := e.MatchAt()
		got := ""
		if ok {
			got = place(a) + " " + place(b) + " true"
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func place(p Pos) string { return string(rune('0'+p.Line)) + "." + itoa(p.Byte) }

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
