package tui

import (
	"errors"
	"fmt"
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
		keymap.Delete:       quietly(func() { m.remove("delete") }),
		keymap.Cut:          m.cut,
		keymap.Copy:         m.copyCells,
		keymap.PasteBelow:   quietly(func() { _, to := m.span(); m.pasteAt(to) }),
		keymap.PasteAbove:   quietly(func() { from, _ := m.span(); m.pasteAt(from) }),
		keymap.Undo:         quietly(func() { m.penTravel(m.doc.CanUndo(), "nothing to undo", m.doc.Undo) }),
		keymap.Redo:         quietly(func() { m.penTravel(m.doc.CanRedo(), "nothing to redo", m.doc.Redo) }),
		keymap.ToCode:       quietly(func() { m.setType(notebook.Code) }),
		keymap.ToMarkdown:   quietly(func() { m.setType(notebook.Markdown) }),
		keymap.ToRaw:        quietly(func() { m.setType(notebook.Raw) }),
		keymap.MoveUp:       quietly(func() { m.moveCells(-1) }),
		keymap.MoveDown:     quietly(func() { m.moveCells(1) }),
		keymap.Merge:        quietly(m.merge),
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

// changeChosen makes one undo step of the operations for each selected cell, which stay selected.
func (m *Model) changeChosen(label string, ops func(c *cellView) []notebook.Op) {
	current := m.cell()
	if current == nil {
		return
	}
	var all []notebook.Op
	for _, c := range m.chosen() {
		all = append(all, ops(c)...)
	}
	if len(all) > 0 && m.change(label, all...) {
		m.keepSelection(current)
	}
}

// insertAt puts an empty code cell at an index and selects it.
func (m *Model) insertAt(i int) {
	i = min(i, len(m.cells))
	if m.change("insert a cell", notebook.Insert{At: i, Cells: []notebook.NewCell{{Type: notebook.Code}}}) {
		m.selectCell(i)
	}
}

func (m *Model) remove(label string) {
	from, _ := m.span()
	keys := keysOf(m.chosen())
	if len(keys) > 0 && m.change(label+" "+cells(len(keys)), notebook.Delete{Keys: keys}) {
		m.selectCell(from)
	}
}

// cells counts cells in words.
func cells(n int) string {
	if n == 1 {
		return "the cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// copyCells copies the selected cells, and their sources to the terminal's clipboard.
func (m *Model) copyCells() tea.Cmd {
	chosen := m.chosen()
	if len(chosen) == 0 {
		return nil
	}
	m.clipboard = m.doc.Copy(keysOf(chosen)...)
	m.setHint("copied " + cells(len(chosen)) + "; " + m.table.Keys(keymap.Command, keymap.PasteBelow) + " pastes below")
	var sources []string
	for _, c := range chosen {
		sources = append(sources, c.cell.Source)
	}
	return m.toClipboard(strings.Join(sources, "\n\n"))
}

func (m *Model) cut() tea.Cmd {
	cmd := m.copyCells()
	m.remove("cut")
	return cmd
}

// pasteAt inserts what was copied, and selects it.
func (m *Model) pasteAt(i int) {
	if len(m.clipboard) == 0 {
		m.setHint("nothing was cut or copied yet")
		return
	}
	i = min(i, len(m.cells))
	if m.change("paste", notebook.Insert{At: i, Cells: m.clipboard}) {
		m.selectCell(i + len(m.clipboard) - 1)
		m.setMark(m.cells[i].key)
		m.list.Reveal(i)
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
	m.changeChosen("change the type", func(c *cellView) []notebook.Op {
		if c.cell.Type == t {
			return nil
		}
		return []notebook.Op{notebook.SetType{Key: c.key, Type: t}}
	})
}

// heading makes the cells Markdown headings of a level, replacing an old level.
func (m *Model) heading(level int) {
	m.changeChosen("make a heading", func(c *cellView) []notebook.Op {
		text := strings.TrimLeft(strings.TrimLeft(c.cell.Source, "#"), " ")
		ops := []notebook.Op{notebook.SetSource{Key: c.key, Source: strings.Repeat("#", level) + " " + text}}
		if c.cell.Type != notebook.Markdown {
			ops = append(ops, notebook.SetType{Key: c.key, Type: notebook.Markdown})
		}
		return ops
	})
}

func (m *Model) moveCells(by int) {
	current := m.cell()
	from, to := m.span()
	if current == nil || from+by < 0 || to+by > len(m.cells) {
		return
	}
	if m.change("move "+cells(to-from), notebook.Move{Keys: keysOf(m.chosen()), To: from + by}) {
		m.keepSelection(current)
	}
}

var errRunning = errors.New("the cell is running; its output can be changed when it has ended")

// someRun tells whether one of the cells runs or waits, and says so.
func (m *Model) someRun(views []*cellView) bool {
	for _, c := range views {
		if c.status.Phase.Pending() {
			m.fail(errRunning)
			return true
		}
	}
	return false
}

// merge makes one cell of the selected ones, or of the selected one and the next.
func (m *Model) merge() {
	from, to := m.span()
	if to-from == 1 {
		to = min(to+1, len(m.cells))
	}
	views := m.cells[from:to]
	if len(views) == 0 || m.someRun(views) {
		return
	}
	ops, err := m.doc.Merge(keysOf(views)...)
	if errors.Is(err, notebook.ErrOneCell) {
		m.setHint(err.Error())
		return
	}
	m.fail(err)
	if err == nil && m.change("merge "+cells(len(views)), ops...) {
		m.selectCell(from)
	}
}

// split cuts a cell at bytes of its source, and selects the last part. Edit mode calls it
// with the place of its cursor.
func (m *Model) split(key notebook.CellKey, at ...int) bool {
	first := m.doc.Index(key)
	ops, err := m.doc.Split(key, at...)
	m.fail(err)
	if err != nil || !m.change("split the cell", ops...) {
		return false
	}
	m.selectCell(first + len(at))
	return true
}
