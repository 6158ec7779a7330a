package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/tui/find"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// A text in the pane may have millions of lines, and what is searched is how they are
// drawn, which only the event loop's goroutine does. So a search goes by slices, and keys
// come between them.
const (
	// searchPiece is how many lines are drawn at a time to be searched.
	searchPiece = 256
	// searchSlice is how many lines are searched before the next key; a few milliseconds.
	searchSlice = 4 * searchPiece
	// searchTold is how many slices pass before progress is told.
	searchTold = 50
)

// paneSearch is a search in the pane that is under way.
type paneSearch struct {
	by     int // direction
	from   int // the line it began at, which is looked at last
	done   int // how many lines were looked at
	count  int // of the lines
	slices int
	piece  []string // the lines that were drawn last
	at     int      // which piece they are
}

// paneSearchMsg says that the next slice of a search is due.
type paneSearchMsg struct{ search *paneSearch }

// askPane begins a search.
func (m *Model) askPane() {
	p := m.pane
	p.line, p.asking, p.from, p.pattern, p.search = lineedit.Line{}, true, p.top, nil, nil
	m.dirty = true
}

// forgetPane gives up the search that is being typed.
func (m *Model) forgetPane() {
	p := m.pane
	p.asking, p.pattern, p.top, p.search = false, nil, p.from, nil
	m.dirty = true
}

// findPane follows what is typed: the first line from where the search began.
func (m *Model) findPane() tea.Cmd {
	p := m.pane
	p.pattern, _ = find.Query{Text: p.line.String()}.Compile() // plain text always compiles
	p.top, p.search, m.dirty = p.from, nil, true
	if p.pattern == nil {
		return nil
	}
	return m.beginSearch(1, p.from-1)
}

// searchPane goes to the next line with a match, or the one before, and around the ends.
func (m *Model) searchPane(by int) tea.Cmd {
	if p := m.pane; p == nil || p.pattern == nil {
		return nil
	}
	return m.beginSearch(by, m.pane.top)
}

// beginSearch looks for a match from the line behind from on, in place of any search that
// is under way.
func (m *Model) beginSearch(by, from int) tea.Cmd {
	m.pane.search = &paneSearch{by: by, from: from, count: m.pane.count(m.width), at: -1}
	return m.searchOn(paneSearchMsg{m.pane.search})
}

// searchOn goes on with a search until its slice is over.
func (m *Model) searchOn(msg paneSearchMsg) tea.Cmd {
	p, s := m.pane, msg.search
	if p == nil || p.search != s {
		return nil // it was given up
	}
	for range searchSlice {
		if s.done == s.count {
			p.search = nil
			m.setHint("not found")
			return nil
		}
		s.done++
		if i := ((s.from+s.by*s.done)%s.count + s.count) % s.count; p.matches(s, i, m.width) {
			p.top, p.search, m.dirty = i, nil, true
			return nil
		}
	}
	if s.slices++; s.slices%searchTold == 0 {
		m.setHint(fmt.Sprintf("searching, %d %%", s.done*100/s.count))
	}
	return m.do(func(context.Context) tea.Msg { return msg })
}

// matches tells whether line i matches. It draws lines in pieces.
func (p *pane) matches(s *paneSearch, i, width int) bool {
	if i/searchPiece != s.at {
		s.at = i / searchPiece
		s.piece = p.block.Lines(max(width, 1), s.at*searchPiece, searchPiece)
	}
	i %= searchPiece
	return i < len(s.piece) && len(p.pattern.All(ansi.Strip(s.piece[i]))) > 0
}
