package editor

import (
	"strings"
	"testing"
)

func TestWrapKeepsWordsWhole(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"value = compute(alpha)", "value = \ncompute(\nalpha)"},
		{"one two three four", "one two \nthree four"},
		{"    return something", "    return \nsomething"},
		{"a = [1,2,3,4,5,6,7,8]", "a = [1,2,\n3,4,5,6,7,\n8]"},
		{"x averyveryverylongword", "x \naveryveryv\nerylongwor\nd"},
		{"            deep", "           \n deep"},
		{"exactlyten and", "exactlyten \nand"},
		{"漢字漢字漢 字字", "漢字漢字漢 \n字字"},
		{"word word\tword", "word word \nword"},
		{"tenletters ", "tenletters \n"},
		{"/a/b/cdefgh/ijklm", "/a/b/\ncdefgh/\nijklm"},
	} {
		e := New(c.text, Options{})
		e.SetView(View{Wrap: true})
		if got := plainRows(e, 11, 0, 99); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if h := e.Height(11); h != strings.Count(c.want, "\n")+1 {
			t.Errorf("%q: height %d", c.text, h)
		}
	}
}

// TestWrapLosesNothing joins the rows of random lines.
func TestWrapLosesNothing(t *testing.T) {
	text := strings.Repeat("fn(a, bb)\tccc 漢 dddd.eeeee e\u0301  ", 9)
	for width := 2; width < 90; width++ {
		e := New(text, Options{})
		e.SetView(View{Wrap: true})
		last := 0
		e.Height(width)
		for _, at := range append(e.breaks(text), len(text)) {
			if at < last || at == last && at != len(text) || snapByte(text, at) != at {
				t.Fatalf("width %d: a row ends at %d after %d", width, at, last)
			}
			last = at
		}
	}
}
