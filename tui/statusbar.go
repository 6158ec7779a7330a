package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

// statusBar is the last line: file, kernel and its state, position, a key or two.
func (m *Model) statusBar() string {
	th := m.look.theme
	left := " " + m.fileLabel() + "  " + m.kernelLabel()
	right := m.positionLabel()
	keys := m.keyHints()
	if m.broken != nil {
		left, right, keys = m.broken.status(m.table)
	}
	room := m.width
	left = ansi.Truncate(left, room, "…")
	room -= ansi.StringWidth(left)
	if room < ansi.StringWidth(right)+2 {
		right = ""
	}
	room -= ansi.StringWidth(right)
	if room < ansi.StringWidth(keys)+3 {
		keys = ""
	}
	room -= ansi.StringWidth(keys)
	if keys != "" {
		room -= 2
	}
	bar := th.StatusBar.Render(left + strings.Repeat(" ", max(room, 0)))
	if keys != "" {
		bar += th.StatusKey.Render(keys) + th.StatusBar.Render("  ")
	}
	return bar + th.StatusBar.Render(right)
}

func (m *Model) fileName() string {
	if m.file == nil {
		return "untitled"
	}
	return filepath.Base(m.file.Path)
}

func (m *Model) fileLabel() string {
	label := render.Sanitize(m.fileName())
	if m.doc.Dirty() {
		label = "● " + label
	}
	if m.doc.ReadOnly() != "" || m.locked {
		label += " [read-only]"
	}
	if m.oldFormat > 0 {
		label += fmt.Sprintf(" [nbformat %d]", m.oldFormat)
	}
	label += m.diskLabel()
	if m.saving.active {
		label += " (saving)"
	}
	return label
}

// kernelLabel says which kernel it is, in any case, and what it does.
func (m *Model) kernelLabel() string {
	if !m.session.Started() {
		name, _, _ := m.doc.Kernelspec()
		if name == "" {
			name = "no kernel"
		}
		return render.Sanitize(name) + " · not started"
	}
	k, _ := m.session.Kernel()
	name := k.DisplayName
	if name == "" {
		name = k.Name
	}
	return render.Sanitize(name) + " · " + m.stateLabel()
}

func (m *Model) stateLabel() string {
	state := m.session.State().State
	since := m.kernel.since
	switch {
	case m.session.Prompt() != nil:
		return "waits for input"
	case state == event.Busy || state == event.Idle && m.session.Running():
		state = event.Busy
		if c := m.running(); c != nil {
			since = c.status.Started
		}
	case state == event.Starting || state == event.Restarting:
	default:
		return string(state)
	}
	if since.IsZero() {
		return string(state)
	}
	return string(state) + " " + short(time.Since(since))
}

func (m *Model) positionLabel() string {
	if p := m.keys.Pending(); p != "" {
		return keymap.Show(p) + "… "
	}
	if len(m.cells) == 0 {
		return ""
	}
	label := fmt.Sprintf("%d/%d ", m.selected+1, len(m.cells))
	if n := len(m.chosen()); n > 1 {
		label = fmt.Sprintf("%d selected  ", n) + label
	}
	if m.editing.cell != nil {
		label = "EDIT  " + label
	}
	return label
}

// keyHints names the key that runs a cell on this terminal, and help.
func (m *Model) keyHints() string {
	switch m.mode() {
	case keymap.Prompt:
		return "Enter answers"
	case keymap.List:
		return "Enter chooses  Esc closes"
	case keymap.Find:
		return "Esc closes"
	default:
	}
	run := "Ctrl-R"
	if m.editing.cell != nil {
		run = "Ctrl-J"
	}
	if m.modifiedEnter {
		run = m.table.Keys(keymap.Command, keymap.RunNext)
	}
	if m.editing.cell != nil {
		run = m.table.Keys(keymap.Edit, keymap.LeaveEdit) + " done  " + run
	}
	return run + " run  " + m.table.Keys(keymap.Everywhere, keymap.OpenHelp) + " help"
}
