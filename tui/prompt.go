package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// promptLine is the line that is being typed for an open input(). It lives until the
// prompt closes and goes nowhere but to the kernel.
type promptLine struct {
	id      event.InputID // of the prompt that it answers, "" for none
	cell    notebook.CellKey
	from    notebook.CellKey // what was selected when it opened
	line    lineedit.Line
	focused bool
}

// key edits the line and reports whether the key was one for it.
func (p *promptLine) key(k tea.KeyPressMsg, name string) bool {
	return name == "tab" || editLine(&p.line, k, name)
}

// editLine edits a line of text and reports whether the key was one for that.
func editLine(line *lineedit.Line, k tea.KeyPressMsg, name string) bool {
	edit := map[string]func(){
		"backspace": line.Backspace, "ctrl+h": line.Backspace, "delete": line.Delete,
		"left": line.Left, "right": line.Right,
		"home": line.Home, "ctrl+a": line.Home, "end": line.End, "ctrl+e": line.End,
		"ctrl+u": line.KillBefore, "ctrl+k": line.KillAfter, "ctrl+w": line.KillWord,
	}[name]
	switch {
	case edit != nil:
		edit()
	case k.Text != "":
		line.Insert(k.Text)
	default:
		return false
	}
	return true
}

// promptOpened follows the session: a prompt opened, closed or was replaced by another.
func (m *Model) promptOpened() {
	open := m.session.Prompt()
	old := m.prompt.cell
	switch {
	case open == nil:
		m.promptClosed()
	case open.ID != m.prompt.id:
		writing := m.editing.cell != nil && (m.editing.typed || m.editing.cell.key != open.Cell)
		m.prompt = promptLine{id: open.ID, cell: open.Cell, from: m.promptFrom(open.Cell), focused: m.question == nil && !writing}
		if writing {
			m.setHint("the code waits for a line; Esc, and Enter on its cell, goes there")
			break
		}
		m.leaveEdit()
		m.keys.Reset()
		if i := m.doc.Index(open.Cell); i >= 0 {
			m.choose(i)
			m.follow = open.Cell
		}
	}
	m.showPrompt(old)
	m.promptChanged()
}

// promptFrom is where to go back to once the prompt of a cell is closed.
func (m *Model) promptFrom(cell notebook.CellKey) notebook.CellKey {
	if m.prompt.cell == cell && m.prompt.from != "" {
		return m.prompt.from // one question after the other
	}
	if m.current != nil {
		return m.current.key
	}
	return ""
}

// promptClosed goes back to the cell that was selected before, unless the user went on.
func (m *Model) promptClosed() {
	old := m.prompt
	m.prompt = promptLine{}
	m.showPrompt(old.cell)
	if i := m.doc.Index(old.from); i >= 0 && m.current != nil && m.current.key == old.cell {
		m.choose(i)
	}
}

// promptChanged redraws the line.
func (m *Model) promptChanged() {
	m.showPrompt(m.prompt.cell)
	m.keepTail()
	m.dirty = true
}

// showPrompt gives the prompt to the view of its cell, and takes it from any other.
func (m *Model) showPrompt(key notebook.CellKey) {
	if v := m.byKey[key]; v != nil {
		v.prompt, v.input = nil, nil
		v.setAnswers(m.session.Answers(key))
		if open := m.session.Prompt(); open != nil && open.Cell == key {
			v.prompt, v.input = open, &m.prompt
		}
		v.touch()
		m.list.Changed(m.doc.Index(key))
	}
}

func (m *Model) leavePrompt() {
	if m.prompt.focused {
		m.prompt.focused = false
		m.setHint("the code waits for a line; Enter goes back to it")
		m.promptChanged()
	}
}

// backToPrompt focuses the prompt of the selected cell, if it has one.
func (m *Model) backToPrompt() bool {
	if c := m.cell(); c == nil || m.prompt.id == "" || c.key != m.prompt.cell {
		return false
	}
	m.prompt.focused = true
	m.promptChanged()
	return true
}

// sendAnswer sends the line. It goes into a socket's queue: that does not wait.
func (m *Model) sendAnswer() tea.Cmd {
	m.fail(m.session.Answer(m.jobs.ctx, m.prompt.line.String()))
	m.promptClosed()
	m.dirty = true
	return nil
}
