package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/keymap"
)

func (m *Model) cellActions() map[keymap.Action]func() tea.Cmd {
	acts := map[keymap.Action]func() tea.Cmd{
		keymap.EditExternal: m.edit,
		keymap.InsertAbove:  quietly(func() { m.insertAt(m.selected) }),
		keymap.InsertBelow:  quietly(func() { m.insertAt(m.selected + 1) }),
		keymap.Delete:       quietly(func() { m.remove("delete the cell") }),
		keymap.Cut:          quietly(m.cut),
		keymap.Copy:         quietly(m.copyCell),
		keymap.PasteBelow:   quietly(func() { m.pasteAt(m.selected + 1) }),
		keymap.PasteAbove:   quietly(func() { m.pasteAt(m.selected) }),
		keymap.Undo:         quietly(func() { m.travel(m.doc.CanUndo(), "nothing to undo", m.doc.Undo) }),
		keymap.Redo:         quietly(func() { m.travel(m.doc.CanRedo(), "nothing to redo", m.doc.Redo) }),
		keymap.ToCode:       quietly(func() { m.setType(notebook.Code) }),
		keymap.ToMarkdown:   quietly(func() { m.setType(notebook.Markdown) }),
		keymap.ToRaw:        quietly(func() { m.setType(notebook.Raw) }),
		keymap.MoveUp:       quietly(func() { m.moveCell(-1) }),
		keymap.MoveDown:     quietly(func() { m.moveCell(1) }),
		keymap.ClearOutput:  quietly(m.clearOutput),
		keymap.FoldOutput:   quietly(func() { m.setFold(foldAll) }),
		keymap.ExpandOutput: quietly(func() { m.setFold(foldNone) }),
	}
	for i, a := range []keymap.Action{
		keymap.Heading1, keymap.Heading2, keymap.Heading3, keymap.Heading4, keymap.Heading5, keymap.Heading6,
	} {
		acts[a] = quietly(func() { m.heading(i + 1) })
	}
	return acts
}

// change is one undo step. It reports whether it was made.
func (m *Model) change(label string, ops ...notebook.Op) bool {
	if err := m.doc.Do(label, ops...); err != nil {
		m.fail(err)
		return false
	}
	m.syncCells()
	return true
}

// insertAt puts an empty code cell at an index and selects it.
func (m *Model) insertAt(i int) {
	i = min(i, len(m.cells))
	if m.change("insert a cell", notebook.Insert{At: i, Cells: []notebook.NewCell{{Type: notebook.Code}}}) {
		m.selectCell(i)
	}
}

func (m *Model) remove(label string) {
	if c := m.cell(); c != nil && m.change(label, notebook.Delete{Keys: []notebook.CellKey{c.key}}) {
		m.selectCell(m.selected)
	}
}

func (m *Model) copyCell() {
	if c := m.cell(); c != nil {
		m.clipboard = m.doc.Copy(c.key)
		m.setHint("copied; v pastes below")
	}
}

func (m *Model) cut() {
	if c := m.cell(); c != nil {
		m.clipboard = m.doc.Copy(c.key)
		m.remove("cut the cell")
	}
}

func (m *Model) pasteAt(i int) {
	if len(m.clipboard) == 0 {
		m.setHint("nothing was cut or copied yet")
		return
	}
	i = min(i, len(m.cells))
	if m.change("paste", notebook.Insert{At: i, Cells: m.clipboard}) {
		m.selectCell(i)
	}
}

// travel undoes or redoes one step and goes where it happened.
func (m *Model) travel(possible bool, otherwise string, step func() (notebook.Place, error)) {
	if !possible {
		m.setHint(otherwise)
		return
	}
	place, err := step()
	m.fail(err)
	m.syncCells()
	if i := m.doc.Index(place.Key); i >= 0 {
		m.selectCell(i)
	} else {
		m.selectCell(m.selected)
	}
}

func (m *Model) setType(t notebook.CellType) {
	if c := m.cell(); c != nil && c.cell.Type != t && m.change("change the type", notebook.SetType{Key: c.key, Type: t}) {
		m.selectCell(m.selected)
	}
}

// heading makes the cell a Markdown heading of a level, replacing an old level.
func (m *Model) heading(level int) {
	c := m.cell()
	if c == nil {
		return
	}
	text := strings.TrimLeft(strings.TrimLeft(c.cell.Source, "#"), " ")
	ops := []notebook.Op{notebook.SetSource{Key: c.key, Source: strings.Repeat("#", level) + " " + text}}
	if c.cell.Type != notebook.Markdown {
		ops = append(ops, notebook.SetType{Key: c.key, Type: notebook.Markdown})
	}
	if m.change("make a heading", ops...) {
		m.selectCell(m.selected)
	}
}

func (m *Model) moveCell(by int) {
	c, to := m.cell(), m.selected+by
	if c == nil || to < 0 || to >= len(m.cells) {
		return
	}
	if m.change("move the cell", notebook.Move{Keys: []notebook.CellKey{c.key}, To: to}) {
		m.selectCell(m.doc.Index(c.key))
	}
}

var errRunning = errors.New("the cell is running; its output can be cleared when it has ended")

func (m *Model) clearOutput() {
	c := m.cell()
	switch {
	case c == nil:
	case c.status.Phase.Pending():
		m.fail(errRunning)
	case m.change("clear the output", notebook.ClearOutputs{Keys: []notebook.CellKey{c.key}}):
		m.selectCell(m.selected)
	}
}

// setFold folds the outputs as asked, or back as they were.
func (m *Model) setFold(f fold) {
	c := m.cell()
	if c == nil {
		return
	}
	if c.fold == f {
		f = foldLong
	}
	c.fold = f
	m.refresh(c.key)
	m.list.Reveal(m.selected)
}
