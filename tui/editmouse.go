package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/celllist"
)

// clickText takes a click on a cell's source: in edit mode it moves the cursor, a double
// click selects a word and a triple one a line. In command mode a double click edits. It
// reports whether the click was for the text.
func (m *Model) clickText(c tea.MouseClickMsg, at celllist.Anchor) bool {
	v := m.cells[at.Item]
	n := m.editing.clicks.count(c.X, c.Y, m.look.now())
	gutter := m.look.gutter(m.width)
	if c.X < gutter || at.Line >= v.sourceHeight(m.width) || m.editing.cell == nil && n < 2 {
		return false
	}
	again := v == m.editing.cell
	if !again {
		m.choose(at.Item)
		if !m.enterEdit() {
			return true
		}
	}
	pen, x := m.pen(), c.X-gutter
	_ = pen.Height(max(m.width-gutter, 1)) // it may not have been drawn yet
	switch {
	case n == 1 || !again:
		pen.Click(x, at.Line, c.Mod.Contains(tea.ModShift))
	case n == 2:
		pen.SelectWordAt(x, at.Line)
	default:
		pen.SelectLineAt(at.Line)
	}
	m.editing.burst.End()
	m.dropCompletion()
	m.penMoved()
	return true
}

// drag extends the selection of the text to where the mouse is.
func (m *Model) drag(c tea.MouseMotionMsg) {
	pen := m.pen()
	if pen == nil || c.Button != tea.MouseLeft || m.inTheWay() {
		return
	}
	at, ok := m.list.At(min(max(c.Y, 0), max(m.size.list-1, 0)))
	if !ok {
		return
	}
	y := at.Line
	switch {
	case at.Item < m.selected:
		y = 0
	case at.Item > m.selected:
		y = pen.Height(max(m.width-m.look.gutter(m.width), 1))
	}
	pen.Click(c.X-m.look.gutter(m.width), y, true)
	m.penMoved()
}

// sourceHeight is how many of the cell's rows are its source.
func (v *cellView) sourceHeight(width int) int {
	v.lay(width)
	if len(v.parts) == 0 {
		return 0
	}
	return v.parts[0].height
}
