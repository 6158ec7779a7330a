package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/keymap"
)

// quit asks what must be asked, one question after the other and each in the tab that it is
// about, and ends the program.
func (m *Model) quit() tea.Cmd {
	if m.question != nil {
		return nil
	}
	for _, ask := range []func(leave func() tea.Cmd) (cmd tea.Cmd, asked bool){m.mayLeave, m.mayStop, m.maySave} {
		for _, t := range m.tabs {
			m.tab = t
			cmd, asked := ask(m.quit)
			if asked {
				return cmd
			}
		}
	}
	m.tab = m.active
	return tea.Quit
}

// mayLeave asks once what is to become of kernels that can go on without the program. then
// goes on after the answer; asked is false where there is nothing to ask. So it is with the
// other two.
func (m *Model) mayLeave(then func() tea.Cmd) (cmd tea.Cmd, asked bool) {
	if !m.session.Lasts() || m.leave != "" {
		return nil, false
	}
	m.showTab(m.tab)
	return m.askLeave(then), true
}

// mayStop asks whether what runs may end, where it cannot go on.
func (m *Model) mayStop(then func() tea.Cmd) (cmd tea.Cmd, asked bool) {
	if !m.session.Running() || m.stop || m.session.Lasts() {
		return nil, false
	}
	m.showTab(m.tab)
	return m.ask("a cell is running; quitting ends it and the kernel:",
		choice{action: keymap.AnswerStop, do: func() tea.Cmd {
			m.stop = true
			return then()
		}}, back()), true
}

// maySave asks about unsaved changes, and waits for a save that is under way.
func (m *Model) maySave(then func() tea.Cmd) (cmd tea.Cmd, asked bool) {
	if m.saving.active {
		m.saving.again = then
		m.tab = m.active
		return nil, true
	}
	if !m.doc.Dirty() || m.doc.ReadOnly() != "" || m.discard {
		return nil, false
	}
	m.showTab(m.tab)
	return m.ask(m.fileName()+" has unsaved changes:",
		choice{action: keymap.AnswerSave, do: func() tea.Cmd { return m.userSave(then) }},
		choice{action: keymap.AnswerDiscard, do: func() tea.Cmd {
			m.discard = true
			return then()
		}},
		choice{action: keymap.AnswerBack, do: quietly(m.stay)}), true
}

// stay forgets what was agreed to on the way to the end.
func (m *Model) stay() {
	m.stop, m.leave = false, ""
	for _, t := range m.tabs {
		t.discard = false
	}
}

// closeTab closes the notebook that shows; the last one ends the program.
func (m *Model) closeTab() tea.Cmd {
	if len(m.tabs) == 1 {
		return m.quit()
	}
	if m.question != nil {
		return nil
	}
	t := m.tab
	again := func() tea.Cmd {
		m.showTab(t)
		return m.closeTab()
	}
	for _, ask := range []func(func() tea.Cmd) (tea.Cmd, bool){m.mayLeave, m.mayStop, m.maySave} {
		if cmd, asked := ask(again); asked {
			return cmd
		}
	}
	return m.dropTab()
}

// dropTab closes the notebook that shows as it was agreed. Its kernel ends, or is left, away
// from this goroutine.
func (m *Model) dropTab() tea.Cmd {
	t, keep, name := m.tab, m.session.Lasts() && m.leave == KeepOnQuit, m.fileName()
	m.leaveEdit()
	m.unwatch()
	m.fail(m.closeRecovery())
	m.removeTab(t)
	m.stay()
	if keep {
		m.setHint(fmt.Sprintf("the kernel of %s goes on; nbterm stop %s ends it", name, t.session.ID().Short()))
	}
	running := t.session.Running()
	return m.doFree(func(context.Context) tea.Msg {
		err := closeSession(t.session, running, keep)
		if t.closeHost != nil {
			t.closeHost()
		}
		return tabClosedMsg{err}
	})
}

// tabClosedMsg says how the closing of a notebook ended.
type tabClosedMsg struct{ err error }
