package render

import (
	"strings"

	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/render/markdown"
	"github.com/nbterm/nbterm/themes"
)

// prose is a Block of Markdown, drawn for one width at a time.
type prose struct {
	source string
	th     themes.Theme
	drawn  Block
	width  int // that it was drawn for
}

// Markdown returns the drawing of Markdown. It is drawn when it is first asked for its
// height or lines at a width; Estimate costs nothing.
func Markdown(source string, th themes.Theme) Block {
	return &prose{source: source, th: th}
}

func (p *prose) at(width int) Block {
	if p.drawn == nil || p.width != width {
		var all stack
		for i, part := range markdown.Split(ansi.Strip(p.source)) {
			if i > 0 {
				all = append(all, newText("\n", themes.Style{}, &p.th))
			}
			all = append(all, p.part(part, width))
		}
		p.drawn, p.width = all, width
	}
	return p.drawn
}

// part draws prose by Glamour and code as the source of a cell is.
func (p *prose) part(part markdown.Part, width int) Block {
	if part.Code {
		th := p.th
		th.Text = th.CodeBlock
		return gutter{Source(part.Text, part.Language, th), " "}
	}
	out, err := markdown.Render(part.Text, width, &p.th)
	if err != nil { // too long or too odd: the source is readable too
		out = part.Text
	}
	return newText(out, themes.Style{}, &p.th)
}

func (p *prose) Height(width int) int { return p.at(max(width, 1)).Height(width) }

func (p *prose) Lines(width, from, n int) []string {
	return p.at(max(width, 1)).Lines(width, from, n)
}

func (p *prose) Estimate(width int) int {
	if p.drawn != nil && p.width == width {
		return p.drawn.Height(width)
	}
	return strings.Count(p.source, "\n") + len(p.source)/max(width, 1) + 1
}
