package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

func TestFoldOfALongText(t *testing.T) {
	for _, stderr := range []bool{false, true} {
		text := longText(t)
		b := NewStream(text, stderr, themes.NoColor())
		mark := ""
		if stderr {
			mark = stderrMark + " "
		}
		f := Folded(b, 2, 3, themes.NoColor())
		want := []string{
			mark + "line 0 " + strings.Repeat("x", 80), mark + "line 1 " + strings.Repeat("x", 80), "… 119995 lines …",
			mark + "line 119997 " + strings.Repeat("x", 80), mark + "line 119998 " + strings.Repeat("x", 80), mark + "no line end",
		}
		is(t, "folded", lines(f, 120), want...)
		if got := f.Lines(120, 1, 2); len(got) != 2 || got[0] != want[1] || ansi.Strip(got[1]) != want[2] {
			t.Errorf("its middle: %q", got)
		}
		if n := Count(b, 120); n != 120_000 {
			t.Errorf("%d lines are counted", n)
		}
		inner := b
		if g, ok := b.(gutter); ok {
			inner = g.Block
		}
		if s := inner.(*stream); s.read != 0 {
			t.Errorf("%d bytes were drawn for a fold", s.read)
		}
		text.Append(" until now\nlast")
		is(t, "grown", lines(Folded(b, 2, 2, themes.NoColor()), 120), want[0], want[1], "… 119997 lines …", mark+"no line end until now", mark+"last")
		if n := Count(b, 120); n != 120_001 {
			t.Errorf("%d lines when all was drawn", n)
		}
	}
}

// longText has 120,000 lines, the last without an end.
func longText(t *testing.T) *mime.Text {
	text := mime.NewText(nil)
	for i := range 119_999 {
		text.Append(fmt.Sprintf("line %d %s\n", i, strings.Repeat("x", 80)))
	}
	if text.Append("no line end"); text.Len() < endsFrom {
		t.Fatalf("%d bytes are not enough", text.Len())
	}
	return text
}

// A bar that is drawn over and over is long, but one line.
func TestFoldOfALongBar(t *testing.T) {
	text := mime.TextOf(strings.Repeat("\r 42%|####      | 42/100", endsFrom/20))
	f := Folded(NewStream(text, false, themes.NoColor()), 2, 2, themes.NoColor())
	is(t, "bar", lines(f, 80), " 42%|####      | 42/100")
	if e := readEnds(text.View(), ansi.Look{}); e != nil {
		t.Error("it has ends of its own")
	}
}
