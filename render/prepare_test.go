package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/themes"
)

// A text that was drawn elsewhere is as if it had been drawn here, also where it grew
// meanwhile.
func TestPrepare(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "line %d \x1b[31m%s\x1b[0m\n", i, strings.Repeat("x", 90))
	}
	text := mime.TextOf(b.String())
	block := NewStream(text, false, themes.Dark())
	p := block.(*stream).prepare(60)
	text.Append("one more\n")
	p.Do()
	p.Done()
	want := NewStream(mime.TextOf(b.String()+"one more\n"), false, themes.Dark())
	if got := block.Height(60); got != want.Height(60) || p.Len() != int64(b.Len()) {
		t.Errorf("%d lines, want %d", got, want.Height(60))
	}
	from := want.Height(60) - 5
	is(t, "end", block.Lines(60, from, 5), want.Lines(60, from, 5)...)
	p.Done() // what was drawn stays
	is(t, "again", block.Lines(60, from, 5), want.Lines(60, from, 5)...)
}

// Only what is long and was never drawn needs it.
func TestPrepareWhatIsLong(t *testing.T) {
	if Prepare(NewStream(mime.TextOf("short"), false, themes.Dark()), 60) != nil {
		t.Error("a short text needs it")
	}
	block := NewStream(mime.TextOf(strings.Repeat(strings.Repeat("x", 4000)+"\n", endsFrom/4000+1)), true, themes.Dark())
	if Prepare(block, 60) == nil {
		t.Error("a long text does not need it")
	}
}
