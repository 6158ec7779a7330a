package tui

import "testing"

func TestSnippets(t *testing.T) {
	for _, c := range []struct {
		language, path string
		folder         bool
		want           string
	}{
		{"python", `a "b"<é>.csv`, false, `open("a \"b\"<é>.csv")`},
		{"", "x", false, `open("x")`},
		{"python", "dir", true, `"dir"`},
		{"R", "x.txt", false, `readLines("x.txt")`},
		{"bash", "it's", false, `cat 'it'\''s'`},
		{"shell", "dir", true, `ls 'dir'`},
		{"javascript", "x", false, `require("fs").readFileSync("x", "utf8")`},
		{"prolog", "x", false, `"x"`},
	} {
		if got := snippet(c.language, c.path, c.folder); got != c.want {
			t.Errorf("%s: %s, not %s", c.language, got, c.want)
		}
	}
}
