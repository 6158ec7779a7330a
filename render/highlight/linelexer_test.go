package highlight

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLineLexerAgrees compares what is shown while editing with what is shown otherwise.
func TestLineLexerAgrees(t *testing.T) {
	for _, c := range []struct{ lang, text string }{
		{"python", "def f(): # c\n  x = '''a # no\nb'''; y = 1\n%time x\n!ls '''\nz"},
		{"ipython", "%%time\npass\n'''\n\\'''\nx\n'''\npass"},
		{"python", "%%bash\necho # x\n"},
		{"python", "%%no such\nx"},
		{"c", "/* a\nb */ int x;"},
		{"javascript", "x = `a\nb` // c\ny = 1"},
		{"no-such-lexer", "x = 1"},
		{"", "x\n\n"},
	} {
		lines := strings.Split(c.text, "\n")
		src, l := New(lines, c.lang), NewLineLexer(c.lang, lines[0])
		st := l.Start()
		for i, line := range lines {
			got, want := l.Spans(line, st), src.Spans(i)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %q: %v, want %v", c.lang, line, got, want)
			}
			st = l.Next(line, st)
		}
	}
}

// TestRough writes strings as s, comments as c and magic as d.
func TestRough(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"python", "a 'b' # c\n'''\n'#'\n''' x", "..sss.ccc|sss|sss|sss.." + "|"},
		{"python", "'a\nb", "ss|.|"},
		{"python", "%%time x\ny", "dddddddd|.|"},
		{"sql", "'a\n' -- x", "ss|s.cccc|"},
		{"lua", "--[[ a\nb ]] c", "cccccc|cccc..|"},
		{"markdown", "it's\n```py\nx\n```\ny", "....|sssss|s|sss|.|"},
		{"julia", "#= a\nb =# c'", "cccc|cccc...|"},
		{"", "", "|"},
	} {
		lines := strings.Split(c.text, "\n")
		l := NewLineLexer(c.lang, lines[0])
		st := l.Start()
		var b strings.Builder
		for _, line := range lines {
			at := 0
			for _, sp := range l.Rough(line, st) {
				mark := map[Kind]string{Plain: ".", String: "s", Comment: "c", Decorator: "d"}[sp.Kind]
				b.WriteString(strings.Repeat(mark, sp.End-at))
				at = sp.End
			}
			if at != len(line) {
				fmt.Fprintf(&b, "LOST:%s", line[at:])
			}
			b.WriteByte('|')
			st = l.Next(line, st)
		}
		if b.String() != c.want {
			t.Errorf("%s, %q: %s, want %s", c.lang, c.text, b.String(), c.want)
		}
	}
}
