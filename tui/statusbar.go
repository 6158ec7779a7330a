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
	p := barParts{file: m.fileLabel(), right: m.positionLabels(), hints: m.keyHints()}
	p.kernel, p.state = m.kernelLabels()
	p.use = m.healthLabel()
	left, keys, right := p.fit(m.width)
	if m.broken != nil && !m.tree.focused {
		left, right, keys = m.broken.status(m.table)
		keys = ansi.Truncate(keys, m.width, "")
		room := max(m.width-ansi.StringWidth(keys)-3, 0)
		left = ansi.Truncate(left, room, "…")
		if room < ansi.StringWidth(left)+ansi.StringWidth(right)+2 {
			right = ""
		}
	}
	th := m.look.theme
	room := m.width - ansi.StringWidth(left) - ansi.StringWidth(keys) - ansi.StringWidth(right)
	behind := 0
	if keys != "" {
		behind = min(max(room, 0), 2)
	}
	bar := th.StatusBar.Render(left + strings.Repeat(" ", max(room-behind, 0)))
	if keys != "" {
		bar += th.StatusKey.Render(keys) + th.StatusBar.Render(strings.Repeat(" ", behind))
	}
	return bar + th.StatusBar.Render(right)
}

func (m *Model) fileName() string {
	if m.broken != nil {
		return filepath.Base(m.broken.Path)
	}
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

// kernelLabels say which kernel it is, in any case, and what it does.
func (m *Model) kernelLabels() (name, state string) {
	if m.broken != nil {
		return "no notebook", "unchanged"
	}
	if !m.session.Started() {
		name, _, _ = m.doc.Kernelspec()
		if name == "" {
			name = "no kernel"
		}
		state = "not started"
		if m.starting.cancel != nil {
			state = "starting " + short(time.Since(m.starting.since))
		}
		return render.Sanitize(name), state
	}
	k, _ := m.session.Kernel()
	if name = k.DisplayName; name == "" {
		name = k.Name
	}
	name, state = render.Sanitize(name), m.stateLabel()
	if where := m.whereLabel(); where != "" {
		name += " on " + where
	}
	if left := m.leftLabel(); left != "" {
		state += " · " + left
	}
	return name, state
}

// alive tells whether there is a kernel that is not known to be dead.
func (m *Model) alive() bool { return m.session.Started() && m.session.State().State != event.Dead }

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

// positionLabels say where the user is, the shortest form last.
func (m *Model) positionLabels() []string {
	if p := m.keys.Pending(); p != "" {
		return []string{keymap.Show(p) + "… "}
	}
	if m.mode() == keymap.Tree || m.mode() == keymap.TreeLine {
		return []string{m.treeStat()}
	}
	if m.help != nil {
		return []string{m.help.position(m.width, m.size.list)}
	}
	if len(m.cells) == 0 {
		return nil
	}
	label := fmt.Sprintf("%d/%d ", m.selected+1, len(m.cells))
	if m.editing.cell != nil {
		return []string{"EDIT  " + label, "EDIT "}
	}
	if n := len(m.chosen()); n > 1 {
		return []string{fmt.Sprintf("%d selected  ", n) + label, label}
	}
	return []string{label}
}

// keyHints name the key that runs a cell on this terminal, and help; the shortest form last.
func (m *Model) keyHints() []string {
	switch m.mode() {
	case keymap.Prompt:
		return []string{"Enter answers"}
	case keymap.List:
		return []string{"Enter chooses  Esc closes", "Esc closes"}
	case keymap.Find:
		return []string{"Esc closes"}
	case keymap.Help:
		return []string{"Space a page down  / finds  Esc closes", "/ finds  Esc closes", "Esc closes"}
	case keymap.Tree:
		return []string{"Enter opens  / filters  Esc back", "Esc back"}
	case keymap.HelpLine, keymap.TreeLine:
		return nil
	default:
	}
	help := m.table.Keys(keymap.Everywhere, keymap.OpenHelp) + " help"
	run := "Ctrl-R"
	if m.editing.cell != nil {
		run = "Ctrl-J"
	}
	if m.modifiedEnter {
		run = m.table.Keys(keymap.Command, keymap.RunNext)
	}
	run += " run"
	if m.editing.cell == nil {
		return []string{run + "  " + help, help}
	}
	done := m.table.Keys(keymap.Edit, keymap.LeaveEdit) + " done"
	return []string{done + "  " + run + "  " + help, done + "  " + run, done}
}
