package tui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook/session"
)

// numberQueue tells the waiting cells at which place of the queue they stand.
func (m *Model) numberQueue() {
	var waiting []*cellView
	for _, c := range m.cells {
		if c.status.Phase == session.Queued {
			waiting = append(waiting, c)
		}
	}
	slices.SortFunc(waiting, func(a, b *cellView) int { return cmp.Compare(a.status.Order, b.status.Order) })
	for i, c := range waiting {
		c.place = i + 1
	}
}

// interruptOrCancel takes waiting cells out of the queue if the selected one is one of
// them, and interrupts what runs otherwise.
func (m *Model) interruptOrCancel() tea.Cmd {
	if c := m.cell(); c == nil || c.status.Phase != session.Queued {
		return m.interrupt()
	}
	for _, c := range m.chosen() {
		if c.status.Phase == session.Queued {
			m.fail(m.session.Cancel(m.jobs.ctx, c.key))
		}
	}
	return nil
}
