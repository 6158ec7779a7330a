package notebook

import (
	"fmt"
	"strings"
	"testing"
)

func TestHeadings(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"# One\ntext\n## Two ##\n###### Six\n####### no\n#no\n#", "1:One@0 2:Two@2 6:Six@3 1:@6"},
		{"Title\n=====\n\nSub\n---\n\n---\n- item\n", "1:Title@0 2:Sub@3"},
		{"```python\n# no\n```\n# yes\n~~~\n# no\n```\n~~~~\n# yes", "1:yes@3 1:yes@8"},
		{"    # code\n   # three blanks", "1:three blanks@1"},
		{"# C#\n# a # b #", "1:C#@0 1:a # b@1"},
		{"", ""},
	} {
		var got []string
		for _, h := range Headings(&Cell{Type: Markdown, Source: c.source}) {
			got = append(got, fmt.Sprintf("%d:%s@%d", h.Level, h.Text, h.Line))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.source, s, c.want)
		}
	}
	if Headings(&Cell{Type: Code, Source: "# comment"}) != nil {
		t.Error("a comment is no heading")
	}
}
