package tui

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// stopRun stops the program, and all of its process group, for the shell that started it;
// it returns when the shell goes on with it. It implements tea.ExecCommand, so that the
// terminal is restored meanwhile.
//
// tea.Suspend is not used: it sends SIGTSTP, which does not stop a Go program that
// listens to that signal, or ever did.
type stopRun struct{}

// Run implements tea.ExecCommand.
func (stopRun) Run() error { return stopGroup() }

// SetStdin implements tea.ExecCommand.
func (stopRun) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (stopRun) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (stopRun) SetStderr(io.Writer) {}

// resumedMsg says that the program goes on after a stop.
type resumedMsg struct{ err error }

// suspend gives the terminal back to the shell that started us. Without one, nobody could
// ever wake us up.
func (m *Model) suspend() tea.Cmd {
	if m.opt.In != nil || !hasShell() { // input from elsewhere is no terminal of a shell's
		m.setHint("no shell started nbterm here: there is nothing to go back to")
		return nil
	}
	m.pending++
	return tea.Exec(stopRun{}, func(err error) tea.Msg { return doneMsg{resumedMsg{err}} })
}

// resumed looks around after `fg`; the terminal was repainted.
func (m *Model) resumed(msg resumedMsg) tea.Cmd {
	m.fail(msg.err)
	m.dirty = true
	return m.lookAtDisk()
}
