package editor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

// bench opens a text as a program does that is about to draw 50 of its rows.
func bench(text string, wrap bool) *Editor {
	e := New(text, Options{Language: "python"})
	e.SetView(View{Wrap: wrap, Numbers: true, Focused: true, Palette: NewPalette(themes.Dark())})
	e.SetCursor(Pos{e.LineCount() / 2, 3})
	frame(e)
	return e
}

// frame does what is done for each new frame.
func frame(e *Editor) {
	_ = e.Height(120)
	_, y := e.CursorXY(120)
	e.Lines(120, max(0, y-25), 50)
}

// texts have 20,000 lines: one that is highlighted, one that is too long for it.
func texts() map[string]string {
	return map[string]string{
		"short": strings.Repeat("x = f(1)\n", 20000),
		"long":  strings.Repeat("    value = compute(alpha, beta) + '漢字' # why\n", 20000),
	}
}

// BenchmarkKey20000Lines is one typed character, the text for the document, and the frame.
func BenchmarkKey20000Lines(b *testing.B) {
	for name, text := range texts() {
		for _, wrap := range []bool{false, true} {
			b.Run(name+map[bool]string{true: "/wrap", false: "/cut"}[wrap], func(b *testing.B) {
				e := bench(text, wrap)
				for i := 0; b.Loop(); i++ {
					if i%60 == 59 {
						e.Newline()
					}
					e.Insert("y")
					_ = e.Text()
					frame(e)
				}
			})
		}
	}
}

// BenchmarkEnds20000Lines goes to the start, types, goes to the end, types.
func BenchmarkEnds20000Lines(b *testing.B) {
	e := bench(texts()["long"], true)
	for b.Loop() {
		e.DocStart(false)
		e.Insert("'")
		frame(e)
		e.DocEnd(false)
		e.Insert("(")
		frame(e)
	}
}

// BenchmarkPageDown shows 50 lines that were not shown before.
func BenchmarkPageDown(b *testing.B) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "    value%d = compute(alpha, beta) # 1\n", i)
	}
	e := bench(text.String(), false)
	e.DocStart(false)
	for b.Loop() {
		if !e.PageDown(50, false) {
			e.DocStart(false)
		}
		e.colours.recent, e.colours.older = nil, nil
		frame(e)
	}
}

// BenchmarkPaste2MB pastes and draws.
func BenchmarkPaste2MB(b *testing.B) {
	for name, text := range map[string]string{
		"lines":    strings.Repeat("    value = compute(alpha, beta) # why\r\n", 2<<20/40),
		"one line": strings.Repeat("0123456789", 2<<20/10),
		"wide":     strings.Repeat("漢字かな e\u0301\n", 2<<20/18),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e := bench("x = 1\n", true)
				e.Paste(text)
				_ = e.Text()
				frame(e)
			}
		})
	}
}

// BenchmarkKeyIn2MBLine types at the end of a very long line.
func BenchmarkKeyIn2MBLine(b *testing.B) {
	for name, text := range map[string]string{"ascii": "0123456789", "wide": "漢字"} {
		b.Run(name, func(b *testing.B) {
			e := bench(strings.Repeat(text, 2<<20/len(text)), true)
			e.DocEnd(false)
			for b.Loop() {
				e.Insert("y")
				frame(e)
			}
		})
	}
}
