package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render"
)

// pagerItems offer to show an output of the selected cell in the pane, whole and with
// search: the longest first, as that is what the cell folds.
func (m *Model) pagerItems() []item {
	c := m.cell()
	if c == nil {
		return nil
	}
	c.decode()
	width := max(m.size.page-m.look.gutter(m.size.page), 1)
	var out []item
	for n, pieces := range c.pieces() {
		lines := render.Count(c.order[n], width)
		name := "pager: output"
		if len(c.order) > 1 {
			name = fmt.Sprintf("pager: output %d of %d", n+1, len(c.order))
		}
		out = append(out, item{
			name: name, detail: "Outputs", right: fmt.Sprintf("%d lines", lines),
			do: func() tea.Cmd {
				b := m.look.outputs(pieces)
				return m.whole([]render.Block{b}, m.width, func() tea.Cmd {
					m.openPager(b)
					return nil
				})
			},
		})
	}
	return out
}

// pieces are the outputs of each block of the cell, in the form that is shown.
func (v *cellView) pieces() [][]mime.Output {
	var all []mime.Output
	for _, o := range v.shown() {
		all = append(all, mime.Output{Body: v.bodies[identity(o)]})
	}
	all = inForm(all, v.form)
	var out [][]mime.Output
	for _, n := range v.counts {
		out = append(out, all[:n])
		all = all[n:]
	}
	return out
}

// openPager shows a block in the pane, over as much of the screen as it needs.
func (m *Model) openPager(b render.Block) {
	render.Expand(b, true)
	m.pane = &pane{block: b, tall: true}
	m.keys.Reset()
	m.layout()
	m.scrollPane(0)
	m.dirty = true
}
