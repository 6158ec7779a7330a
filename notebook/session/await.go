package session

import (
	"slices"
	"strings"

	"github.com/nbterm/nbterm/notebook"
)

// Await marks code cells as waiting for a kernel that is being started. Nothing is handed
// over: once it is there the owner calls Awaited, and Run with what that returns.
func (s *Session) Await(keys ...notebook.CellKey) {
	for _, key := range keys {
		cell := s.doc.Cell(key)
		if cell == nil || cell.Type != notebook.Code || slices.Contains(s.awaited, key) || s.pending(key) || strings.TrimSpace(cell.Source) == "" {
			continue
		}
		s.order++
		s.status[key] = &CellStatus{Phase: Queued, Order: s.order, code: cell.Source}
		s.awaited = append(s.awaited, key)
	}
}

// Awaited returns the cells that wait, in their order, and waits for none any more.
func (s *Session) Awaited() []notebook.CellKey {
	keys := s.awaited
	s.awaited = nil
	for _, key := range keys {
		delete(s.status, key)
	}
	return keys
}

// unawait takes a cell out of those that wait; false if it is none of them.
func (s *Session) unawait(key notebook.CellKey) bool {
	at := slices.Index(s.awaited, key)
	if at < 0 {
		return false
	}
	s.awaited = slices.Delete(s.awaited, at, at+1)
	delete(s.status, key)
	return true
}
