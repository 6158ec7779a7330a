package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// linuxFunctionKey begins F1 to F5 of the Linux console ("ESC [ [ A"); the library takes
// it for a whole unknown sequence, and its last letter for typing.
const linuxFunctionKey uv.UnknownCsiEvent = "\x1b[["

// press takes a key.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.swallow {
		m.swallow = false
		k, name = tea.KeyPressMsg{}, map[string]string{"A": "f1", "B": "f2"}[name]
	}
	if m.remains.take(name, k.Text, m.clock.key()) {
		return nil
	}
	if m.question != nil && m.question.deaf {
		return nil
	}
	m.dropHint()
	if name == "shift+enter" || name == "ctrl+enter" {
		m.modifiedEnter = true
	}
	if m.mode() == keymap.Prompt && m.prompt.key(k, name) {
		m.promptChanged()
		return nil
	}
	if cmd, taken := m.typed(k, name); taken {
		return cmd
	}
	return m.pressed(k, name)
}

// pressed takes a key for the mode's actions, or for the cell's text.
func (m *Model) pressed(k tea.KeyPressMsg, name string) tea.Cmd {
	if m.mode() == keymap.Edit {
		return m.editKey(k, name)
	}
	pending := m.keys.Pending()
	var cmds []tea.Cmd
	for _, a := range m.keys.Press(m.mode(), name) {
		cmds = append(cmds, m.act(a))
	}
	if m.keys.Pending() != pending {
		m.dirty = true // the status bar shows the open sequence
	}
	return tea.Batch(cmds...)
}

// act does what an action says.
func (m *Model) act(a keymap.Action) tea.Cmd {
	if m.broken != nil && !m.tree.focused && !m.onBroken(a) {
		return nil
	}
	if strings.HasPrefix(string(a), "answer: ") {
		return m.answer(a)
	}
	if f := m.acts[a]; f != nil {
		return f()
	}
	return nil
}

// handlers ties actions to what they do. Answers to questions are not among them: see answer.
func (m *Model) handlers() map[keymap.Action]func() tea.Cmd {
	all := map[keymap.Action]func() tea.Cmd{}
	for _, part := range []map[keymap.Action]func() tea.Cmd{
		m.moveActions(), m.runActions(), m.cellActions(), m.outputActions(), m.programActions(), m.helpActions(),
		m.findActions(), m.pickerActions(), m.paletteActions(),
		m.compareActions(), m.pathActions(), m.brokenActions(),
		m.editActions(), m.penMoves(), m.completionActions(), m.paneActions(), m.treeActions(), m.fileActions(), m.treeKernelActions(), m.carryActions(), m.tabActions(),
	} {
		for a, f := range part {
			all[a] = f
		}
	}
	return all
}

// quietly makes a handler of a method that starts no command.
func quietly(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return nil
	}
}

func (m *Model) programActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.Save:        func() tea.Cmd { return m.userSave(nil) },
		keymap.Quit:        m.quit,
		keymap.Repaint:     func() tea.Cmd { return tea.ClearScreen },
		keymap.Suspend:     m.suspend,
		keymap.Dismiss:     quietly(m.dismiss),
		keymap.ToggleMouse: quietly(m.toggleMouse),
		keymap.OpenHelp:    quietly(m.openHelp),
		keymap.Answer:      m.sendAnswer,
		keymap.LeavePrompt: quietly(m.leavePrompt),
	}
}

func (m *Model) dismiss() {
	if m.hint.covered {
		return // that was what showed
	}
	if m.messages.dismiss() {
		m.dirty = true
		return
	}
	if !m.dropFind() && !m.newestOutputs() {
		m.setMark("")
	}
}

func (m *Model) toggleMouse() {
	m.mouseOff = !m.mouseOff
	if m.mouseOff {
		m.setHint("the mouse is the terminal's own now; F2 gives it back to nbterm")
	} else {
		m.setHint("clicks focus, the wheel scrolls; Shift-drag selects")
	}
}

// paste takes a bracketed paste: only a line or a cell that is being typed has a place for it.
func (m *Model) paste(text string) tea.Cmd {
	if line, changed := m.typing(); line != nil {
		if m.path != nil {
			m.path.begin(true)
		}
		line.Insert(text)
		return changed()
	}
	if m.mode() == keymap.Prompt {
		m.prompt.line.Insert(text)
		m.promptChanged()
	}
	if m.mode() == keymap.Edit {
		m.pasteText(text)
	}
	return nil
}

// typing is the line that takes keys, other than that of input(), and what to do when it
// changed; nil if there is none.
func (m *Model) typing() (line *lineedit.Line, changed func() tea.Cmd) {
	switch mode := m.mode(); {
	case mode == keymap.Path:
		return &m.path.line, func() tea.Cmd { m.dirty = true; return nil }
	case mode == keymap.List:
		return &m.picker.line, m.filterPicker
	case mode == keymap.HelpLine:
		return &m.help.line, func() tea.Cmd { m.help.top, m.dirty = 0, true; return nil }
	case mode == keymap.PaneLine:
		return &m.pane.line, m.findPane
	case mode == keymap.TreeLine:
		return &m.tree.line.text, m.treeLineChanged
	case mode != keymap.Find:
		return nil, nil
	case m.find.second:
		return &m.find.with, func() tea.Cmd { m.dirty = true; return nil }
	}
	return &m.find.text, m.findAgain
}

// typed lets the open line take a key, and reports whether it was one for it.
func (m *Model) typed(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	line, changed := m.typing()
	if line == nil || m.keys.Pending() != "" {
		return nil, false
	}
	if m.path != nil {
		m.path.key(k, name)
	}
	before, _ := line.Parts()
	text := line.String()
	if !editLine(line, k, name) {
		return nil, false
	}
	m.dirty = true
	if after, _ := line.Parts(); line.String() == text && after != before {
		return nil, true // the cursor moved
	}
	return changed(), true
}

const wheelLines = 3

func (m *Model) wheel(w tea.MouseWheelMsg) {
	n := wheelLines
	switch w.Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		n = -n
	default:
		return
	}
	switch {
	case m.compare != nil:
		m.scrollCompare(n)
	case m.broken != nil && !m.onTree(w.X, w.Y):
		m.scrollText(n)
	case m.picker != nil:
		m.movePick(n / wheelLines)
	case m.help != nil:
		m.scrollHelp(n)
	case m.pane != nil && w.Y >= m.size.list:
		m.scrollPane(n)
	case m.onTree(w.X, w.Y):
		m.scrollTree(n)
	default:
		m.scroll(n)
	}
}

func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	if c.Button != tea.MouseLeft || m.question != nil {
		return nil
	}
	if m.picker != nil {
		m.clickPicker(c.Y)
		return nil
	}
	if m.onTree(c.X, c.Y) && (m.mode() == keymap.Text || !m.inTheWay()) {
		return m.clickTree(c)
	}
	if m.inTheWay() {
		return nil
	}
	m.leaveTree()
	c.X -= m.columnOfPage()
	if at, ok := m.list.At(c.Y); ok && !m.clickText(c, at) {
		m.leaveEdit()
		m.selectCell(at.Item)
	}
	return nil
}

// inTheWay tells whether something covers the notebook, or must be answered first.
func (m *Model) inTheWay() bool {
	switch m.mode() {
	case keymap.Command, keymap.Edit, keymap.Prompt, keymap.Tree:
		return false
	default:
		return true
	}
}
