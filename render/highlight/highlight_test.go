package highlight

import (
	"fmt"
	"strings"
	"testing"
)

// show writes lines as "kind:text" parts.
func show(text, language string) string {
	lines := strings.Split(text, "\n")
	s := New(lines, language)
	var b strings.Builder
	for i, line := range lines {
		at := 0
		for _, sp := range s.Spans(i) {
			fmt.Fprintf(&b, "%s:%s ", [...]string{"_", "kw", "str", "num", "com", "fn", "type", "blt", "op", "dec"}[sp.Kind], line[at:sp.End])
			at = sp.End
		}
		if at != len(line) {
			fmt.Fprintf(&b, "LOST:%s", line[at:])
		}
		b.WriteString("|")
	}
	return b.String()
}

func TestSpans(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"python", "def f(): # c", "kw:def _:  fn:f _:():  com:# c |"},
		{"python", "x = '''a # no\nb'''; y = 1", "_:x  op:= _:  str:'''a # no |str:b''' _:; y  op:= _:  num:1 |"},
		{"python", "x = \"it's '''\" # '''\npass", "_:x  op:= _:  str:\"it's '''\" _:  com:# ''' |kw:pass |"},
		{"python", "'''\n\\'''\nx\n'''\npass", "str:''' |str:\\''' |str:x |str:''' |kw:pass |"},
		{"python", "%%unknownmagic\nbody", "dec:%%unknownmagic |_:body |"},
		{"python", "%%time\npass", "dec:%%time |kw:pass |"},
		{"python", "%matplotlib inline\n  !ls | x\nx = (y\n % 2)", "dec:%matplotlib inline |dec:  !ls | x |_:x  op:= _: (y |_:  op:% _:  num:2 _:) |"},
		{"c", "/* a\nb */ int x;", "com:/* a |com:b */ _:  type:int _: x; |"},
		{"no-such-lexer", "x = 1", "_:x = 1 |"},
		{"", "x", "_:x |"},
		{"python", "", "_: |"},
	} {
		if got := show(c.text, c.lang); got != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.lang, c.text, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	text := strings.Repeat("pass\n", Limit/5+1)
	if got := show(text, "python"); strings.Contains(got, "kw:") {
		t.Error("a source beyond the limit is highlighted")
	}
}

func FuzzSpans(f *testing.F) {
	f.Add("x = '''\n\\", "python")
	f.Add("/*\n\n", "c")
	f.Add("%%html\n<p", "python")
	f.Fuzz(func(t *testing.T, text, lang string) {
		if strings.ContainsRune(text, '\r') { // chroma makes newlines of them
			t.Skip()
		}
		if got := show(text, lang); strings.Contains(got, "LOST") && !strings.Contains(text, "LOST") {
			t.Errorf("%s: %q", lang, got)
		}
	})
}

func BenchmarkPython50Of5000Lines(b *testing.B) {
	lines := strings.Split(strings.Repeat("r = f(x, 'text', 3.14)  # note\n", 5000), "\n")
	for b.Loop() {
		s := New(lines, "python")
		for i := 2500; i < 2550; i++ {
			s.Spans(i)
		}
	}
}
