package tui

import "github.com/nbterm/nbterm/notebook"

// inserted takes over cells that running code put into the notebook. The selection stays
// with its cells.
func (m *Model) inserted(keys []notebook.CellKey) {
	if len(keys) == 0 {
		return
	}
	current := m.cell()
	m.syncCells()
	if current != nil {
		if i := m.doc.Index(current.key); i >= 0 {
			m.choose(i)
		}
	}
}
