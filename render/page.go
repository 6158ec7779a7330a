package render

import (
	"github.com/nbterm/nbterm/render/table"
	"github.com/nbterm/nbterm/themes"
)

// page draws the parts of an HTML page.
func page(parts []table.Part, th *themes.Theme) Block {
	var all stack
	for _, p := range parts {
		if p.Table == nil {
			all = append(all, newText(p.Text, th.Text, th))
			continue
		}
		if p.Table.Caption != "" {
			all = append(all, newText(p.Table.Caption, th.Strong, th))
		}
		all = append(all, &grid{t: p.Table, th: *th})
	}
	return all
}

// grid is a Block of a table.
type grid struct {
	t    *table.Table
	th   themes.Theme
	skip int // columns that were scrolled away

	layout table.Layout // for width, if that is not 0
	width  int
}

func (g *grid) at(width int) table.Layout {
	if width = max(width, 1); g.width != width {
		g.layout, g.width = g.t.Layout(width, g.skip, &g.th), width
	}
	return g.layout
}

func (g *grid) Height(width int) int { return g.at(width).Height() }

func (g *grid) Lines(width, from, n int) []string {
	l := g.at(width)
	var out []string
	for i := from; i < min(from+n, l.Height()); i++ {
		out = append(out, l.Line(i))
	}
	return out
}

// pan implements panner. It goes by columns, to the last one at most.
func (g *grid) pan(by int) bool {
	if g.width == 0 || by > 0 && !g.layout.More() {
		return false
	}
	before := g.skip
	g.skip = max(g.skip+by, 0)
	g.width = 0
	return g.skip != before
}

// panner is a Block that may be wider than the screen.
type panner interface{ pan(by int) bool }

// Pan scrolls what is drawn in b sideways by columns of a table, to the right if by is
// positive. It is false where nothing moved: nothing is cut off there, or b was not drawn.
func Pan(b Block, by int) bool {
	p, ok := b.(panner)
	return ok && p.pan(by)
}

func (l *lazy) pan(by int) bool { return l.block != nil && Pan(l.block, by) }

func (s stack) pan(by int) bool {
	moved := false
	for _, b := range s {
		moved = Pan(b, by) || moved
	}
	return moved
}
