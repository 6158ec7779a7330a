package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/tui/keymap"
)

// queryModes asks whether the terminal has synchronized output and grapheme widths.
const queryModes = ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore

// View implements tea.Model. Bubble Tea calls it after every message; the frame is made
// only when something in it changed.
func (m *Model) View() tea.View {
	defer func() { m.clock.end(m.look.now()) }()
	if !m.dirty {
		return m.frame
	}
	m.layout()
	m.dirty = false
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.ReportFocus = true // whoever comes back may have changed the file meanwhile
	v.Cursor = m.cursor()
	if !m.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if v.Content != m.frame.Content || v.MouseMode != m.frame.MouseMode || !sameCursor(v.Cursor, m.frame.Cursor) {
		m.frames++
		m.frame = v
	}
	return m.frame
}

func sameCursor(a, b *tea.Cursor) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Position == b.Position && a.Shape == b.Shape
}

// content is the whole screen as lines.
func (m *Model) content() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	lines := make([]string, 0, m.height)
	switch {
	case m.compare != nil:
		lines = append(lines, m.compare.lines(m.width, m.size.list, m.look.theme)...)
	case m.broken != nil:
		lines = append(lines, m.broken.draw(m.size.page, m.size.list, m.look.theme)...)
	case m.help != nil:
		lines = append(lines, m.help.lines(m.width, m.size.list, m.look.theme)...)
	default:
		lines = append(lines, m.list.Lines()...)
		if len(m.cells) == 0 {
			lines = append(lines, m.look.theme.Muted.Render(ansi.Truncate("no cells; b inserts one", m.size.page, "")))
		}
	}
	lines = lines[:min(len(lines), m.size.list)]
	for len(lines) < m.size.list {
		lines = append(lines, "")
	}
	m.overlayCompletion(lines)
	m.putTree(lines)
	if m.picker != nil {
		over := m.pickerLines()
		over = over[:min(len(over), len(lines))]
		copy(lines[len(lines)-len(over):], over)
	}
	if m.size.pane > 0 {
		lines = append(lines, m.paneLines(m.size.pane)...)
	}
	lines = append(lines, m.notes(m.size.notes)...)
	if m.size.tabs > 0 {
		lines = append(lines, m.tabLine())
	}
	if m.size.status > 0 {
		lines = append(lines, m.statusBar())
	}
	return strings.Join(lines, "\n")
}

// cursor is the terminal's own cursor: in the line that is being typed, else hidden.
func (m *Model) cursor() *tea.Cursor {
	switch m.mode() {
	case keymap.Path:
		_, _, column := m.path.window(m.width)
		return tea.NewCursor(column, m.size.list+m.size.pane+m.size.notes-1)
	case keymap.List:
		row := m.size.list - min(len(m.pickerLines()), m.size.list)
		return tea.NewCursor(min(m.picker.cursor, m.width-1), row)
	case keymap.HelpLine:
		_, x := m.inputLine("/", &m.help.line, "")
		return tea.NewCursor(min(x, m.width-1), m.size.list+m.size.pane)
	case keymap.PaneLine:
		_, x := m.inputLine("/", &m.pane.line, "")
		return tea.NewCursor(min(x, m.width-1), m.size.list)
	case keymap.Find:
		row := m.size.list + m.size.pane
		if m.find.second && m.size.notes > 1 {
			row++
		}
		return tea.NewCursor(min(m.find.cursor, m.width-1), row)
	case keymap.TreeLine:
		return m.treeLineCursor()
	case keymap.Edit:
		return m.beside(m.editCursor())
	case keymap.Prompt:
	default:
		return nil
	}
	v := m.byKey[m.prompt.cell]
	i := m.doc.Index(m.prompt.cell)
	if v == nil || i < 0 || v.prompt == nil {
		return nil
	}
	gutter := m.look.gutter(m.size.page)
	_, column := v.promptLine(max(m.size.page-gutter, 1))
	row, shown := m.list.Row(i, v.Height(m.size.page)-2) // the blank line is the last
	if !shown {
		return nil
	}
	return m.beside(tea.NewCursor(min(gutter+column, m.size.page-1), row))
}
