package render

import (
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

func TestMarkdown(t *testing.T) {
	source, err := os.ReadFile("testdata/markdown.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		name  string
		width int
		th    themes.Theme
	}{{"markdown-60", 60, themes.Dark()}, {"markdown-20", 20, themes.Light()}, {"markdown-nocolor", 60, themes.NoColor()}} {
		b := Markdown(string(source), w.th)
		got := b.Lines(w.width, 0, b.Height(w.width))
		check(t, got, w.width)
		golden(t, w.name, strings.Join(got, "\n")+"\n")
	}
}

// TestMarkdownTooLong shows the source; a picture within does not make a text long.
func TestMarkdownTooLong(t *testing.T) {
	long := strings.Repeat("*word* ", 20_000)
	if got := lines(Markdown(long, themes.Dark()), 70); got[0] != strings.Repeat("*word* ", 10) {
		t.Errorf("%q", got[0])
	}
	picture := "*a* ![p](data:image/png;base64," + strings.Repeat("QUJD", 100_000) + ") b"
	got := strings.Join(lines(Markdown(picture, themes.Dark()), 70), " ")
	if len(got) > 100 || strings.Contains(got, "*a*") {
		t.Errorf("%.200q", got)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n```x\n\x1b]0;t\x07", "| a |\n|--|\n| b |", "> > > > > > - $a$ <br>", "[a]: b\n[a]", "1. a\n\n\t```\n"} {
		f.Add(s, uint8(20))
	}
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		w := int(width)%120 + 1
		b := Markdown(text, themes.Dark())
		got := b.Lines(w, 0, 10_000)
		check(t, got, w)
		if h := b.Height(w); h != len(got) && h < 10_000 {
			t.Errorf("%d lines, height %d", len(got), h)
		}
	})
}

func BenchmarkMarkdownCell(b *testing.B) {
	for b.Loop() {
		Markdown("## A heading\n\nSome *prose* with a [link](https://example.invalid) and `code`,\nas most cells have.\n", themes.Dark()).Height(100)
	}
}
