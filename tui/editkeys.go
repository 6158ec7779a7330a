package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/keymap"
)

// editKey takes a key in edit mode: one of the table, else a character.
func (m *Model) editKey(k tea.KeyPressMsg, name string) tea.Cmd {
	if name == "ctrl+j" && m.editing.burst.Quick(m.clock.key()) {
		return m.typeText("\n") // a line end of a paste without brackets
	}
	a, bound := m.table.Action(keymap.Edit, name)
	if _, own := m.table.Own(keymap.Completing, name); bound || own && m.completion.open {
		return m.editAction(a, name)
	}
	if rest, alt := strings.CutPrefix(name, "alt+"); alt && rest != "" {
		m.leaveEdit() // a terminal sends Escape and a key in quick succession like this
		return m.pressed(tea.KeyPressMsg{}, rest)
	}
	if k.Text != "" {
		return m.typeText(k.Text)
	}
	return nil
}

// editAction does what a key is bound to, unless the key is a line end or a tab of a paste
// without brackets.
func (m *Model) editAction(a keymap.Action, name string) tea.Cmd {
	burst, now := &m.editing.burst, m.clock.key()
	if a == keymap.NewLine && burst.Continues(now) || a == keymap.Complete && burst.Tab(now) {
		return m.typeText(map[keymap.Action]string{keymap.NewLine: "\n", keymap.Complete: "\t"}[a])
	}
	if cmd, taken := m.completionKey(name); taken {
		return cmd
	}
	if a != keymap.NewLine {
		burst.End()
	}
	if a != keymap.Backspace {
		m.dropCompletion()
	}
	defer m.filterCompletion()
	return m.act(a)
}

// typeText types what a key stands for. Of keys that come as fast as a paste does, only
// what they literally say counts: no indentation and no brackets of ours.
func (m *Model) typeText(text string) tea.Cmd {
	pen, e := m.pen(), &m.editing
	if !m.completion.open {
		m.dropCompletion() // its answer would come after typing went on
	}
	before := pen.Mark()
	role, run := e.burst.Key(m.clock.key(), text)
	switch role {
	case editor.Turn:
		m.dropCompletion()
		m.record(pen.Literal(e.start, run))
	case editor.Paste:
		m.record(pen.Put(editor.Pasting, "Paste", text))
	case editor.First:
		e.start = before
		fallthrough
	case editor.Quick:
		m.record(pen.Insert(text))
	}
	m.filterCompletion()
	return nil
}

// edits makes the handler of an operation of the editor.
func (m *Model) edits(op func(*editor.Editor) editor.Edit) func() tea.Cmd {
	return quietly(func() {
		if pen := m.pen(); pen != nil {
			m.record(op(pen))
		}
	})
}

// moves makes the handler of a movement of the cursor.
func (m *Model) moves(op func(*editor.Editor)) func() tea.Cmd {
	return quietly(func() {
		if pen := m.pen(); pen != nil {
			op(pen)
			m.follow = ""
			m.penMoved()
		}
	})
}

func (m *Model) editActions() map[keymap.Action]func() tea.Cmd {
	type ed = editor.Editor
	return map[keymap.Action]func() tea.Cmd{
		keymap.EnterEdit:      quietly(func() { m.enterEdit() }),
		keymap.LeaveEdit:      quietly(m.leaveEdit),
		keymap.Format:         m.format,
		keymap.ToggleNumbers:  quietly(m.toggleNumbers),
		keymap.ToggleWrap:     quietly(m.toggleWrap),
		keymap.NewLine:        func() tea.Cmd { return m.typeText("\n") },
		keymap.Complete:       m.complete,
		keymap.Inspect:        m.inspect,
		keymap.Backspace:      m.edits((*ed).Backspace),
		keymap.DeleteForward:  m.edits((*ed).Delete),
		keymap.DeleteWordBack: m.edits((*ed).DeleteWordBack),
		keymap.DeleteWord:     m.edits((*ed).DeleteWordForward),
		keymap.DeleteToStart:  m.edits((*ed).DeleteToStart),
		keymap.DeleteToEnd:    m.edits((*ed).DeleteToEnd),
		keymap.CutText:        m.cutText,
		keymap.CopyText:       m.copyText,
		keymap.PasteText:      quietly(m.pasteOwn),
		keymap.ToggleComment:  m.edits((*ed).ToggleComment),
		keymap.LinesUp:        m.edits(func(e *ed) editor.Edit { return e.MoveLines(false) }),
		keymap.LinesDown:      m.edits(func(e *ed) editor.Edit { return e.MoveLines(true) }),
		keymap.Duplicate:      m.edits((*ed).DuplicateLines),
		keymap.Split:          quietly(m.splitHere),
	}
}

func (m *Model) penMoves() map[keymap.Action]func() tea.Cmd {
	type ed = editor.Editor
	page := func() int { return max(m.size.list-2, 1) }
	acts := map[keymap.Action]func() tea.Cmd{
		keymap.CursorLeft:  quietly(func() { m.cross((*ed).Left, -1, false) }),
		keymap.CursorRight: quietly(func() { m.cross((*ed).Right, 1, false) }),
		keymap.CursorUp:    quietly(func() { m.cross((*ed).Up, -1, true) }),
		keymap.CursorDown:  quietly(func() { m.cross((*ed).Down, 1, true) }),
		keymap.SelectLeft:  m.moves(func(e *ed) { e.Left(true) }),
		keymap.SelectRight: m.moves(func(e *ed) { e.Right(true) }),
		keymap.SelectUp:    m.moves(func(e *ed) { e.Up(true) }),
		keymap.SelectDown:  m.moves(func(e *ed) { e.Down(true) }),
	}
	both := func(plain, extend keymap.Action, op func(e *ed, extend bool)) {
		acts[plain] = m.moves(func(e *ed) { op(e, false) })
		acts[extend] = m.moves(func(e *ed) { op(e, true) })
	}
	both(keymap.CursorWordLeft, keymap.SelectWordLeft, func(e *ed, x bool) { e.WordLeft(x) })
	both(keymap.CursorWordRight, keymap.SelectWordRight, func(e *ed, x bool) { e.WordRight(x) })
	both(keymap.CursorLineStart, keymap.SelectLineStart, (*ed).Home)
	both(keymap.CursorLineEnd, keymap.SelectLineEnd, (*ed).End)
	both(keymap.CursorPageUp, keymap.SelectPageUp, func(e *ed, x bool) { e.PageUp(page(), x) })
	both(keymap.CursorPageDown, keymap.SelectPageDown, func(e *ed, x bool) { e.PageDown(page(), x) })
	both(keymap.CursorTextStart, keymap.SelectTextStart, (*ed).DocStart)
	both(keymap.CursorTextEnd, keymap.SelectTextEnd, (*ed).DocEnd)
	return acts
}

// cross moves the cursor; at the cell's edge it goes on in the cell beside, in the same
// column if it goes up or down.
func (m *Model) cross(move func(*editor.Editor, bool) bool, by int, vertical bool) {
	pen := m.pen()
	if pen == nil {
		return
	}
	m.follow = ""
	column := pen.Column()
	i := m.selected + by
	if move(pen, false) || i < 0 || i >= len(m.cells) {
		m.penMoved()
		return
	}
	m.choose(i)
	if !m.enterEdit() {
		return
	}
	switch pen = m.pen(); {
	case vertical:
		pen.Enter(by < 0, column)
	case by < 0:
		pen.DocEnd(false)
	default:
		pen.DocStart(false)
	}
	m.penMoved()
}

// cutText takes the selection or the line, for Ctrl-V and for the terminal's clipboard.
func (m *Model) cutText() tea.Cmd {
	pen := m.pen()
	if pen == nil {
		return nil
	}
	text, ed := pen.Cut()
	m.record(ed)
	m.editing.clip = text
	return m.toClipboard(text)
}

func (m *Model) copyText() tea.Cmd {
	pen := m.pen()
	if pen == nil {
		return nil
	}
	m.editing.clip = pen.Copy()
	m.setHint("copied; " + m.table.Keys(keymap.Edit, keymap.PasteText) + " pastes")
	return m.toClipboard(m.editing.clip)
}

func (m *Model) pasteOwn() {
	if m.editing.clip == "" {
		m.setHint("nothing was cut or copied here yet; the terminal's own paste works too")
		return
	}
	m.pasteText(m.editing.clip)
}

// pasteText puts text at the cursor as it is, as one step.
func (m *Model) pasteText(text string) {
	pen := m.pen()
	m.editing.burst.End()
	m.dropCompletion()
	m.record(pen.Paste(text))
}

// splitHere cuts the cell at the cursor and goes on in the second part.
func (m *Model) splitHere() {
	pen := m.pen()
	if pen == nil || m.someRun([]*cellView{m.editing.cell}) {
		return
	}
	if m.split(m.editing.cell.key, pen.Offset(pen.Cursor())) {
		m.enterEdit()
		m.pen().DocStart(false)
		m.penMoved()
	}
}

// runEdited marks the cell as run: a line that its code asks for may take the keyboard.
func (m *Model) runEdited(keys []notebook.CellKey) {
	if c := m.editing.cell; c != nil {
		for _, key := range keys {
			m.editing.typed = m.editing.typed && key != c.key
		}
	}
}
