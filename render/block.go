package render

import (
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// Block is something drawn: a source, an output. It belongs to one goroutine.
type Block interface {
	// Height returns the number of lines at a width in cells, which is at least 1.
	Height(width int) int
	// Lines returns the lines from the from-th on, at most n. Each is at most width cells wide.
	Lines(width, from, n int) []string
}

// Estimator is a Block that can guess its height without drawing itself. The guess may
// change until Height is asked for.
type Estimator interface {
	Estimate(width int) int
}

// Estimate returns b's height, or a guess where the height costs much: for what is far
// from the screen.
func Estimate(b Block, width int) int {
	if e, ok := b.(Estimator); ok {
		return e.Estimate(width)
	}
	return b.Height(width)
}

// Sanitize returns s fit for one line of chrome: file names, kernel names.
func Sanitize(s string) string { return ansi.OneLine(s) }

// style makes of a theme's style what ansi draws with.
func style(s themes.Style) ansi.Style { return ansi.ParseStyle(s.Params()) }

func look(base themes.Style, th *themes.Theme) ansi.Look {
	return ansi.Look{Base: style(base), NoColor: th.NoColor}
}

// text is a Block of an ansi.Store.
type text struct {
	store ansi.Store
	look  ansi.Look
}

// newText draws what a program wrote, which is what s is, in a style.
func newText(s string, base themes.Style, th *themes.Theme) *text {
	t := &text{look: look(base, th)}
	_, _ = t.store.Write([]byte(s))
	return t
}

func (t *text) Height(width int) int { return t.store.Rows(max(width, 1)) }

func (t *text) Lines(width, from, n int) []string {
	return t.store.Lines(max(width, 1), from, n, t.look)
}

// lazy is a Block that is made when it is first drawn.
type lazy struct {
	make  func() Block
	guess func(width int) int
	block Block
}

func (l *lazy) get() Block {
	if l.block == nil {
		l.block = l.make()
		l.make = nil
	}
	return l.block
}

func (l *lazy) Height(width int) int              { return l.get().Height(width) }
func (l *lazy) Lines(width, from, n int) []string { return l.get().Lines(width, from, n) }

func (l *lazy) Estimate(width int) int {
	if l.block == nil {
		return l.guess(max(width, 1))
	}
	return Estimate(l.block, width)
}

// bytesGuess estimates the height of n bytes of text in lines of usual length.
func bytesGuess(n int64, width int) int {
	return int(n/int64(min(width, 40))) + 1
}

// stack is blocks one below the other.
type stack []Block

func (s stack) Height(width int) int {
	n := 0
	for _, b := range s {
		n += b.Height(width)
	}
	return n
}

func (s stack) Lines(width, from, n int) []string {
	var out []string
	for _, b := range s {
		if len(out) >= n {
			break
		}
		h := b.Height(width)
		if from >= h {
			from -= h
			continue
		}
		out = append(out, b.Lines(width, from, n-len(out))...)
		from = 0
	}
	return out
}

// gutter is a block with a mark at the left of each line, so that it stands out without colour too.
type gutter struct {
	Block
	mark string // drawn, one cell
}

// minGutter is the width below which there is no room for marks.
const minGutter = 8

func (g gutter) inner(width int) int {
	if width < minGutter {
		return width
	}
	return width - 2
}

func (g gutter) Height(width int) int   { return g.Block.Height(g.inner(width)) }
func (g gutter) Estimate(width int) int { return Estimate(g.Block, g.inner(width)) }

func (g gutter) Lines(width, from, n int) []string {
	lines := g.Block.Lines(g.inner(width), from, n)
	if width >= minGutter {
		for i, l := range lines {
			if l == "" {
				lines[i] = strings.TrimRight(g.mark, " ")
			} else {
				lines[i] = g.mark + " " + l
			}
		}
	}
	return lines
}

// folded shows the first and last lines of a block.
type folded struct {
	Block
	head, tail int
	style      themes.Style
}

// Folded returns b with only its first head and last tail lines at any width, and a line
// between that counts the others. A block that would not get shorter stays as it is, and
// a picture does.
func Folded(b Block, head, tail int, th themes.Theme) Block {
	if isDrawnPicture(b) {
		return b
	}
	return folded{b, max(head, 0), max(tail, 0), th.StandIn}
}

func (f folded) Height(width int) int {
	if e := endsOf(f.Block); e != nil {
		return len(f.join(e, width))
	}
	return min(f.Block.Height(width), f.head+f.tail+1)
}

func (f folded) Estimate(width int) int {
	return min(Estimate(f.Block, width), f.head+f.tail+1)
}

func (f folded) Lines(width, from, n int) []string {
	if e := endsOf(f.Block); e != nil {
		all := f.join(e, width)
		return all[min(from, len(all)):min(from+n, len(all))]
	}
	h := f.Block.Height(width)
	if h <= f.head+f.tail+1 {
		return f.Block.Lines(width, from, n)
	}
	var out []string
	end := min(from+n, f.head+f.tail+1)
	if from < f.head {
		out = f.Block.Lines(width, from, min(end, f.head)-from)
		from = f.head
	}
	if from == f.head && end > from {
		out = append(out, f.note(h-f.head-f.tail, width)...)
		from++
	}
	if end > from {
		out = append(out, f.Block.Lines(width, h-f.tail+from-f.head-1, end-from)...)
	}
	return out
}

// note is the line that stands for n others.
func (f folded) note(n, width int) []string {
	return newText(fmt.Sprintf("… %d lines …", n), f.style, &themes.Theme{}).Lines(width, 0, 1)
}

// join is all that is shown of a long text.
func (f folded) join(e *ends, width int) []string {
	out := e.first.Lines(width, 0, f.head)
	tail := e.last.Lines(width, max(e.last.Height(width)-f.tail, 0), f.tail)
	return append(append(out, f.note(e.lines-len(out)-len(tail), width)...), tail...)
}
