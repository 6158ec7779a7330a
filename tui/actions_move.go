package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/keymap"
)

func (m *Model) moveActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.Next:     quietly(func() { m.selectCell(m.selected + 1) }),
		keymap.Previous: quietly(func() { m.selectCell(m.selected - 1) }),
		keymap.First:    quietly(func() { m.selectCell(0); m.list.Top() }),
		keymap.Last:     quietly(func() { m.selectCell(len(m.cells) - 1); m.list.Bottom() }),
		keymap.PageDown: quietly(func() { m.scroll(max(m.size.list-2, 1)) }),
		keymap.PageUp:   quietly(func() { m.scroll(-max(m.size.list-2, 1)) }),
		keymap.LineDown: quietly(func() { m.scroll(1) }),
		keymap.LineUp:   quietly(func() { m.scroll(-1) }),

		keymap.ExtendDown: quietly(func() { m.extend(m.selected + 1) }),
		keymap.ExtendUp:   quietly(func() { m.extend(m.selected - 1) }),
		keymap.SelectAll:  quietly(m.selectAll),
	}
}

// selectCell selects cell i and shows it. A running one is followed from here on.
func (m *Model) selectCell(i int) {
	m.mark = ""
	m.choose(i)
	m.findFrom(m.selected)
	m.leavePrompt()
	m.follow = ""
	if c := m.cell(); c != nil && c.status.Phase.Pending() {
		m.follow = c.key
	}
	m.list.Reveal(m.selected)
	m.keepTail()
}

// scroll moves the window, not the selection. Scrolling up lets go of a running cell's
// tail, scrolling back down to it takes it up again.
func (m *Model) scroll(n int) {
	if !m.list.Scroll(n) {
		return
	}
	m.dirty = true
	m.follow = ""
	if c := m.running(); n > 0 && c != nil && m.editing.cell == nil && m.list.EndShown(m.doc.Index(c.key)) {
		m.follow = c.key
	}
}

// keepTail shows the end of the cell that is followed.
func (m *Model) keepTail() {
	i := m.doc.Index(m.follow)
	if m.follow == "" || i < 0 {
		return
	}
	below := 0
	if m.selected == i+1 {
		below = 2 // run and next: the beginning of the selected cell stays in sight
	}
	m.list.ShowEnd(i, below)
	m.showPen() // who types sees the cursor, however much is printed
}
