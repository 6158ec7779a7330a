package render

import (
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/themes"
)

var longSource = strings.Repeat("r = f(x, 'text', 3.14)  # note\n", 5000)

// BenchmarkSourceFirst is the first look at the middle of a cell of 5,000 lines.
func BenchmarkSourceFirst(b *testing.B) {
	for b.Loop() {
		s := Source(longSource, "python", themes.Dark())
		s.Lines(100, s.Height(100)/2, 50)
	}
}

// BenchmarkSourceAgain is every later look.
func BenchmarkSourceAgain(b *testing.B) {
	s := Source(longSource, "python", themes.Dark())
	for b.Loop() {
		s.Lines(100, s.Height(100)/2, 50)
	}
}

// BenchmarkStreamGrows is a frame while output floods: 7,000 lines come, 50 are drawn.
func BenchmarkStreamGrows(b *testing.B) {
	text := mime.NewText(nil)
	s := NewStream(text, false, themes.Dark())
	piece := strings.Repeat(strings.Repeat("x", 69)+"\n", 7000)
	n := 0
	for b.Loop() {
		if n++; n%300 == 0 {
			text = mime.NewText(nil)
			s = NewStream(text, false, themes.Dark())
		}
		text.Append(piece)
		s.Lines(100, s.Height(100)-50, 50)
	}
}

// BenchmarkOneLineOf50MB is a single line without end, drawn at its tail.
func BenchmarkOneLineOf50MB(b *testing.B) {
	text := mime.TextOf(strings.Repeat("0123456789", 5<<20))
	b.SetBytes(50 << 20)
	for b.Loop() {
		s := NewStream(text, false, themes.Dark())
		s.Lines(100, s.Height(100)-50, 50)
	}
}

// BenchmarkWideLineOf50MB is the same with wide characters.
func BenchmarkWideLineOf50MB(b *testing.B) {
	text := mime.TextOf(strings.Repeat("世界", 50<<20/6))
	b.SetBytes(50 << 20)
	for b.Loop() {
		s := NewStream(text, false, themes.Dark())
		s.Lines(101, s.Height(101)-50, 50)
	}
}

// BenchmarkColoured is text with a colour for every word.
func BenchmarkColoured(b *testing.B) {
	text := mime.TextOf(strings.Repeat("\x1b[31mred\x1b[0m and \x1b[1;38;5;75mblue\x1b[m words in a line of output\n", 200_000))
	b.SetBytes(text.Len())
	for b.Loop() {
		s := NewStream(text, false, themes.Dark())
		s.Lines(100, s.Height(100)-50, 50)
	}
}

// BenchmarkProgress is a bar that is drawn over and over.
func BenchmarkProgress(b *testing.B) {
	text := mime.TextOf(strings.Repeat("\r 42%|████████████▌                 | 42/100 [00:01<00:01, 40.00it/s]", 25_000))
	b.SetBytes(text.Len())
	for b.Loop() {
		NewStream(text, false, themes.Dark()).Height(100)
	}
}

// BenchmarkShow prints 100 MB of output.
func BenchmarkShow(b *testing.B) {
	text := mime.TextOf(strings.Repeat(strings.Repeat("x", 69)+"\n", 100<<20/70))
	b.SetBytes(text.Len())
	for b.Loop() {
		cells := []Cell{{Type: "code", Outputs: []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: text}}}}}
		if err := Notebook(io.Discard, cells, ShowOptions{Width: 100, Theme: themes.Dark()}); err != nil {
			b.Fatal(err)
		}
	}
}
