package tui

import "github.com/nbterm/nbterm/notebook"

// extend moves the selected cell to i and keeps the other end of the selection.
func (m *Model) extend(i int) {
	mark := m.mark
	if c := m.cell(); c != nil && m.doc.Index(mark) < 0 {
		mark = c.key
	}
	m.selectCell(i)
	m.setMark(mark)
}

func (m *Model) selectAll() {
	if len(m.cells) > 0 {
		m.choose(len(m.cells) - 1) // the window stays where it is
		m.setMark(m.cells[0].key)
	}
}

// setMark makes a selection of the cells from key to the selected one.
func (m *Model) setMark(key notebook.CellKey) {
	if c := m.cell(); c != nil && c.key == key {
		key = ""
	}
	m.mark = key
	m.showSpan()
	m.dirty = true
}

// span is the selection as places in the list, to excluded.
func (m *Model) span() (from, to int) {
	if len(m.cells) == 0 {
		return 0, 0
	}
	from, to = m.selected, m.selected
	if i := m.doc.Index(m.mark); i >= 0 && i < len(m.cells) {
		from, to = min(i, from), max(i, to)
	}
	return from, to + 1
}

// chosen are the selected cells: one, unless the selection was extended.
func (m *Model) chosen() []*cellView {
	from, to := m.span()
	return m.cells[from:to]
}

func keysOf(views []*cellView) []notebook.CellKey {
	keys := make([]notebook.CellKey, len(views))
	for i, v := range views {
		keys[i] = v.key
	}
	return keys
}

// showSpan tells the views which of them are selected beside the current one.
func (m *Model) showSpan() {
	from, to := m.span()
	for i, v := range m.cells {
		v.marked = i >= from && i < to && to-from > 1
	}
}

// keepSelection selects the same cells after they were changed or moved.
func (m *Model) keepSelection(current *cellView) {
	mark := m.mark
	m.selectCell(m.doc.Index(current.key))
	m.setMark(mark)
}
