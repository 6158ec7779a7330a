package tui

import (
	"context"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/keymap"
)

// savingState is about the save that is under way.
type savingState struct {
	active bool
	again  func() tea.Cmd // what to do once it ended: another save was asked for
}

// savedMsg says how a save ended.
type savedMsg struct {
	snapshot notebook.Snapshot
	changed  bool // another program changed the file: nothing was written
	err      error
	then     func() tea.Cmd
}

// save writes the document as it is now, off this goroutine. Unless mine is set it
// leaves a file alone that another program changed. then comes after a save that worked.
func (m *Model) save(mine bool, then func() tea.Cmd) tea.Cmd {
	switch {
	case m.doc.ReadOnly() != "":
		m.say(failure, "not saved: the notebook is read-only: "+m.doc.ReadOnly())
		return nil
	case m.file == nil:
		m.say(failure, "not saved: the notebook has no file name")
		return nil
	case m.saving.active:
		m.saving.again = func() tea.Cmd { return m.save(mine, then) }
		return nil
	}
	m.saving.active = true
	m.dirty = true
	snapshot, file := m.doc.Snapshot(), m.file
	return m.do(func(context.Context) tea.Msg {
		msg := savedMsg{snapshot: snapshot, then: then}
		if !mine {
			msg.changed, msg.err = file.Changed()
		}
		if msg.err == nil && !msg.changed {
			msg.err = file.Save(func(w io.Writer) error {
				_, err := snapshot.WriteTo(w)
				return err
			})
		}
		return msg
	})
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	m.saving.active = false
	m.dirty = true
	again := m.saving.again
	m.saving.again = nil
	switch {
	case msg.err != nil:
		m.fail(fmt.Errorf("not saved: %w", msg.err))
		return nil
	case msg.changed:
		return m.ask("another program changed "+m.fileName()+" since it was read:",
			choice{keymap.AnswerMine, func() tea.Cmd { return m.save(true, msg.then) }}, back())
	}
	m.doc.MarkSaved(msg.snapshot)
	m.locked = false
	m.setHint("saved " + m.fileName())
	if again != nil {
		return again()
	}
	if msg.then != nil {
		return msg.then()
	}
	return nil
}

// quit asks what must be asked, one question after the other, and ends the program.
func (m *Model) quit() tea.Cmd {
	switch {
	case m.question != nil:
		return nil
	case m.session.Running() && !m.stop:
		return m.ask("a cell is running; quitting ends it and the kernel:",
			choice{keymap.AnswerStop, func() tea.Cmd {
				m.stop = true
				return m.quit()
			}}, back())
	case m.saving.active:
		m.saving.again = m.quit
		return nil
	case m.doc.Dirty() && m.doc.ReadOnly() == "":
		return m.ask(m.fileName()+" has unsaved changes:",
			choice{keymap.AnswerSave, func() tea.Cmd { return m.save(false, m.quit) }},
			choice{keymap.AnswerDiscard, func() tea.Cmd { return tea.Quit }},
			choice{keymap.AnswerBack, func() tea.Cmd {
				m.stop = false
				return nil
			}})
	}
	return tea.Quit
}
