package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/celllist"
)

// clickText takes a click on a cell's source: in edit mode it moves the cursor, a double
// click selects a word and a triple one a line. In command mode a double click edits. It
// reports whether the click was for the text.
func (m *Model) clickText(c tea.MouseClickMsg, at celllist.Anchor) bool {
	v := m.cells[at.Item]
	n := m.editing.clicks.count(c.X, c.Y, m.look.now())
	gutter := m.look.gutter(m.size.page)
	if c.X < gutter || at.Line >= v.sourceHeight(m.size.page) || m.editing.cell == nil && n < 2 {
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
	_ = pen.Height(max(m.size.page-gutter, 1)) // it may not have been drawn yet
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

// dragPause is the time between two lines when the mouse is held at the window's edge.
const dragPause = 40 * time.Millisecond

// dragging is the mouse held down in a text.
type dragging struct {
	held  bool
	x, y  int
	timed bool // a draggedMsg is on its way
}

// draggedMsg comes when the mouse was at the edge for dragPause.
type draggedMsg struct{}

// drag extends the selection of the text to where the mouse is. At the window's edge it
// goes on until the mouse moves away or is let go.
func (m *Model) drag(c tea.MouseMotionMsg) tea.Cmd {
	d := &m.editing.drag
	if m.pen() == nil || c.Button != tea.MouseLeft || m.inTheWay() {
		return nil
	}
	d.held, d.x, d.y = true, c.X-m.columnOfPage(), c.Y
	m.dragTo()
	return m.timeDrag()
}

// timeDrag waits at the edge, unless that is done already.
func (m *Model) timeDrag() tea.Cmd {
	d := &m.editing.drag
	if m.atEdge() == 0 || d.timed {
		return nil
	}
	d.timed = true
	return m.jobs.after(dragPause, draggedMsg{})
}

// atEdge is where the text should go: 1 down, -1 up, 0 nowhere.
func (m *Model) atEdge() int {
	switch y := m.editing.drag.y; {
	case y >= m.size.list:
		return 1
	case y <= 0:
		return -1
	}
	return 0
}

// dragged scrolls by a line, as far as the text goes.
func (m *Model) dragged() tea.Cmd {
	d, by := &m.editing.drag, m.atEdge()
	d.timed = false
	if !d.held || m.pen() == nil || by == 0 || m.inTheWay() {
		return nil
	}
	edge := 0
	if by > 0 {
		edge = m.size.list - 1
	}
	if at, ok := m.list.At(edge); !ok || at.Item != m.selected || at.Line == 0 && by < 0 ||
		by > 0 && at.Line >= m.cells[at.Item].sourceHeight(m.size.page)-1 || !m.list.Scroll(by) {
		return nil
	}
	m.dragTo()
	return m.timeDrag()
}

// dragTo extends the selection to where the mouse is held.
func (m *Model) dragTo() {
	d, pen := m.editing.drag, m.pen()
	at, ok := m.list.At(min(max(d.y, 0), max(m.size.list-1, 0)))
	if !ok {
		return
	}
	y := at.Line
	switch {
	case at.Item < m.selected:
		y = 0
	case at.Item > m.selected:
		y = pen.Height(max(m.size.page-m.look.gutter(m.size.page), 1))
	}
	pen.Click(d.x-m.look.gutter(m.size.page), y, true)
	m.penMoved()
}

// release lets go of the mouse.
func (m *Model) release() { m.editing.drag.held = false }

// sourceHeight is how many of the cell's rows are its source.
func (v *cellView) sourceHeight(width int) int {
	v.lay(width)
	if len(v.parts) == 0 {
		return 0
	}
	return v.parts[0].height
}
