package render

import (
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
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

// TestAttachedPictures is case A29: a picture is drawn, or named with its size.
func TestAttachedPictures(t *testing.T) {
	text, size := pictureText(t, "image/png")
	attached := rawjson.Value(`{"dot.png": {"image/png": ` + string(rawjson.Quote(text)) + `}, "x.svg": {"image/svg+xml": "<svg/>"}}`)
	source := "See ![a dot](attachment:dot.png) here.\n\n![x](attachment:x.svg) ![gone](attachment:gone.png)\n\n" +
		"- ![a dot](attachment:dot.png)\n\n<img src=\"data:image/png;base64," + strings.ReplaceAll(text, "\n", "") + "\">"
	want := []string{
		"See [dot.png 640x480] here.", "", "[dot.png 640x480, image/png, " + size + "]", "",
		"[x.svg] [gone.png, not attached]", "", "[x.svg, image/svg+xml, 6 B]", "", "• [dot.png 640x480]", "",
		"[640x480, image/png, " + size + "]",
	}
	is(t, "named", lines(MarkdownWith(source, attached, themes.NoColor(), nil), 60), want...)
	drawn := MarkdownWith(source, attached, themes.Dark(), nil)
	if got := strings.Join(drawn.Lines(60, 0, 100), "\n"); strings.Count(got, "48;2;0;0;0") < 2*20 || !strings.Contains(got, "[dot.png 640x480, image/png") {
		t.Errorf("not drawn: %q", got)
	}
	check(t, drawn.Lines(20, 0, 100), 20)
}

// TestTablesInMarkdown: as narrow as their texts, which are wrapped where they have no room.
func TestTablesInMarkdown(t *testing.T) {
	long := strings.Repeat("word ", 13) + "end"
	source := "| name | n |\n|:--:|---|\n| **a** `b` c | 1 |\n| [d](http://e) | 22 |\n\nbelow\n\n| x | y |\n|---|---|\n| " + long + " | z |\n"
	is(t, "narrow", lines(Markdown(source, themes.NoColor()), 100),
		"name    n", "─────────", "a b c   1", "  d    22", "", "below", "",
		"x"+strings.Repeat(" ", 69)+"y", strings.Repeat("─", 71), long+"  z")
	b := Markdown(source, themes.NoColor())
	got := lines(b, 30)
	check(t, b.Lines(30, 0, 100), 30)
	if all := strings.Join(got, " "); strings.Count(all, "word") != 13 || !strings.Contains(all, "end") {
		t.Errorf("not all is shown:\n%s", strings.Join(got, "\n"))
	}
}

func TestFormulasInMarkdown(t *testing.T) {
	source := "Let $x_1 \\le 5$ cost $5 and $6:\n\n\\begin{align}\na &= b^2 \\\\\n  &\\neq c\n\\end{align}\n\n$$\\foo$$\n\n`$x_1$`\n"
	is(t, "formulas", lines(Markdown(source, themes.NoColor()), 60),
		"Let x₁ ≤ 5 cost $5 and $6:", "", "  a = b²", "  ≠ c", "", "  $$\\foo$$", "", "$x_1$")
}
