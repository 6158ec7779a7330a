package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/keymap"
)

func (m *Model) runActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.RunNext:       m.runNext,
		keymap.RunStay:       m.runStay,
		keymap.RunInsert:     m.runInsert,
		keymap.RunAll:        func() tea.Cmd { return m.runRange(0, len(m.cells)) },
		keymap.RunAbove:      func() tea.Cmd { from, _ := m.span(); return m.runRange(0, from) },
		keymap.RunBelow:      func() tea.Cmd { from, _ := m.span(); return m.runRange(from, len(m.cells)) },
		keymap.Interrupt:     m.interrupt,
		keymap.InterruptKey:  m.interruptOrCancel,
		keymap.Restart:       m.restart,
		keymap.RestartRunAll: m.restartRunAll,
		keymap.OpenKernels:   func() tea.Cmd { return m.openKernels(nil) },
	}
}

// run hands cells to the session. Only the selected cell's tail is followed.
func (m *Model) run(keys ...notebook.CellKey) tea.Cmd {
	if why := m.doc.ReadOnly(); why != "" {
		m.say(failure, "cells of a read-only notebook cannot be run: "+why)
		return nil
	}
	keys = slices.DeleteFunc(keys, func(k notebook.CellKey) bool {
		c := m.doc.Cell(k)
		return c == nil || c.Type != notebook.Code
	})
	if len(keys) == 0 {
		return nil // text needs no kernel
	}
	m.runEdited(keys)
	if m.session.Far() && !m.session.Started() {
		return m.runFar(keys)
	}
	err := m.session.Run(m.jobs.ctx, keys...)
	if !errors.Is(err, kernelclient.Gone) { // a kernel that died just now is told of by its state
		m.fail(err)
	}
	m.refresh(keys...)
	if errors.Is(err, kernelclient.NotFound) && !m.session.Started() {
		return m.chooseFor(err, keys)
	}
	return tea.Batch(m.read(), m.tick())
}

func (m *Model) runStay() tea.Cmd {
	c := m.cell()
	if c == nil {
		return nil
	}
	if m.editing.cell == nil {
		m.list.Reveal(m.selected)
	}
	if m.editing.cell != nil && c.cell.Type == notebook.Markdown {
		m.leaveEdit() // to run it is to show it as it reads
	}
	m.follow = c.key
	return m.run(keysOf(m.chosen())...)
}

func (m *Model) runNext() tea.Cmd {
	c := m.cell()
	if c == nil {
		return nil
	}
	_, to := m.span()
	cmd := m.run(keysOf(m.chosen())...)
	if to == len(m.cells) {
		m.insertAt(len(m.cells))
	}
	m.selectCell(to)
	m.follow = c.key
	m.keepTail()
	return cmd
}

func (m *Model) runInsert() tea.Cmd {
	c := m.cell()
	if c == nil {
		return nil
	}
	_, to := m.span()
	cmd, writing := m.run(keysOf(m.chosen())...), m.editing.cell != nil
	m.insertAt(to)
	if writing {
		m.enterEdit()
	}
	m.follow = c.key
	m.keepTail()
	return cmd
}

func (m *Model) runRange(from, to int) tea.Cmd {
	var keys []notebook.CellKey
	for _, c := range m.cells[from:to] {
		keys = append(keys, c.key)
		if c.selected {
			m.follow = c.key
		}
	}
	return m.run(keys...)
}

// interrupt is the first step of the ladder; stillRunning is the second. It never ends
// the program.
func (m *Model) interrupt() tea.Cmd {
	if m.question != nil && !m.session.Running() {
		return m.answer(keymap.AnswerBack)
	}
	if !m.session.Running() {
		if pen := m.pen(); pen != nil && pen.SelectedText() != "" {
			return m.copyText()
		}
		m.setHint("nothing runs; " + m.table.Keys(keymap.Command, keymap.Quit) + " quits")
		return nil
	}
	if m.giveUpStart() {
		return nil
	}
	m.setHint(interrupting)
	m.kernel.interrupts++
	return tea.Batch(
		m.call("interrupt", m.session.Interrupt),
		m.jobs.after(interruptPatience, stillRunningMsg{m.kernel.interrupts, m.kernel.ended}),
	)
}

func (m *Model) restart() tea.Cmd {
	if !m.session.Started() {
		m.setHint("no kernel runs yet; it starts with the first cell that is run")
		return nil
	}
	m.messages.drop(offerRestart)
	m.setHint(restarting)
	return tea.Batch(m.call("restart", m.session.Restart), m.read(), m.tick())
}

// restartRunAll restarts, and runs all when that is under way: what is handed over
// meanwhile waits for the fresh kernel.
func (m *Model) restartRunAll() tea.Cmd {
	all := func() tea.Cmd { return m.runRange(0, len(m.cells)) }
	if !m.session.Started() {
		return all()
	}
	m.kernel.afterRestart = all
	return m.restart()
}

// call runs a request to the kernel's context off this goroutine: it may take a while.
func (m *Model) call(what string, f func(context.Context) error) tea.Cmd {
	return m.do(func(ctx context.Context) tea.Msg { return calledMsg{what, f(ctx)} })
}

// calledMsg says how a call ended.
type calledMsg struct {
	what string
	err  error
}

func (m *Model) called(msg calledMsg) tea.Cmd {
	m.fail(msg.err)
	next := m.kernel.afterRestart
	if msg.what != "restart" || next == nil {
		return nil
	}
	m.kernel.afterRestart = nil
	if msg.err != nil {
		return nil
	}
	return next()
}
