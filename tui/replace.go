package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/find"
)

// replaceOne replaces the hit that was gone to, and goes to the next. Only sources can be
// changed: a hit in an output is passed over.
func (m *Model) replaceOne() tea.Cmd {
	f := &m.find
	if f.pattern == nil || f.busy {
		return nil
	}
	return m.fresh(func() tea.Cmd {
		if f.at < 0 || f.at >= len(f.hits) || f.hits[f.at] != f.from {
			return m.stepHit(1)
		}
		h := f.from
		c := m.doc.Cell(h.Key)
		if h.Output != find.Source || c == nil {
			return m.stepHit(1)
		}
		text, end, ok := f.pattern.ReplaceAt(c.Source, h.From, f.with.String())
		if !ok || !m.change("replace", notebook.SetSource{Key: h.Key, Source: text}) {
			return nil
		}
		f.from.From = end - 1 // what was put in is not found again
		f.from.Line = lineAt(text, end)
		return m.search(func() tea.Cmd {
			return m.goToHit(m.firstHit())
		})
	})
}

// replaceAll replaces all hits in sources as one undo step.
func (m *Model) replaceAll() tea.Cmd {
	f := &m.find
	if f.pattern == nil {
		return nil
	}
	if !f.replacing {
		m.findField()
		return nil
	}
	var ops []notebook.Op
	total := 0
	for _, c := range m.doc.Cells() {
		if text, n := f.pattern.Replace(c.Source, f.with.String()); n > 0 {
			ops = append(ops, notebook.SetSource{Key: c.Key, Source: text})
			total += n
		}
	}
	if total == 0 {
		m.setHint("nothing to replace in the sources")
		return nil
	}
	if m.change("replace all", ops...) {
		m.selectCell(m.selected)
		m.setHint(fmt.Sprintf("replaced %d in %s; undo takes them back at once", total, cells(len(ops))))
	}
	return m.search(func() tea.Cmd { return nil })
}

func lineAt(text string, at int) (n int) {
	for i := range at {
		if text[i] == '\n' {
			n++
		}
	}
	return n
}
