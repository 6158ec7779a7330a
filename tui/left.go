package tui

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/keymap"
)

// OnQuit is what becomes of a kernel that can go on when the program ends.
type OnQuit string

// The ways. The empty one asks.
const (
	AskOnQuit  OnQuit = "ask"
	KeepOnQuit OnQuit = "keep"
	StopOnQuit OnQuit = "stop"
)

// OnQuitWays are the words for it in settings.
func OnQuitWays() []string {
	return []string{string(AskOnQuit), string(KeepOnQuit), string(StopOnQuit)}
}

// leftKernel is about the kernel that an earlier program left running.
type leftKernel struct {
	looking bool
	again   bool // a look is not the first one: that it failed is no news
	joining bool // it was joined, and what it put out meanwhile is on its way
}

// leftMsg brings that kernel, nil where there is none.
type leftMsg struct {
	context kernelclient.Context
	err     error
}

// findLeft looks for it.
func (m *Model) findLeft() tea.Cmd {
	if m.broken != nil || m.session.Started() {
		return nil
	}
	m.left.looking = true
	find := m.session.Left()
	return m.do(func(ctx context.Context) tea.Msg {
		c, err := find(ctx)
		return leftMsg{c, err}
	})
}

// findStarted looks once more, for a kernel that another window has started for this
// notebook meanwhile: when this one comes to the front, and when the file has changed.
func (m *Model) findStarted() tea.Cmd {
	if m.left.looking {
		return nil
	}
	m.left.again = true
	return m.findLeft()
}

// foundLeft joins it, unless a cell was run meanwhile: that has joined it already.
func (m *Model) foundLeft(msg leftMsg) tea.Cmd {
	m.left.looking = false
	switch {
	case msg.err != nil && m.left.again:
	case msg.err != nil:
		m.say(warning, fmt.Sprintf("a kernel that was left running could not be looked for: %v", msg.err))
	case msg.context == nil:
	case m.session.Started():
		return m.do(func(context.Context) tea.Msg {
			_ = msg.context.Close() // it only lets go
			return nil
		})
	default:
		m.session.Join(msg.context)
		m.left.joining = true
		m.stateChanged()
	}
	return tea.Batch(m.read(), m.tick())
}

// followJoined follows the selected cell, once what it put out meanwhile has come, if it
// was left running: as if it was run from here.
func (m *Model) followJoined() {
	if !m.left.joining || m.session.Joining() {
		return
	}
	m.left.joining = false
	if c := m.cell(); c != nil && c.status.Phase.Pending() && m.editing.cell == nil {
		m.follow = c.key
	}
}

// coming tells whether outputs of a kernel that was left running are on their way.
func (m *Model) coming() bool {
	return m.left.looking || m.session.Started() && m.session.Joining()
}

// hostHas tells whether all that a kept copy has over the file are outputs, and the kernel's
// host has these.
func (m *Model) hostHas(o offer) bool {
	if o.later || !m.session.Joined() || o.doc.Converted() > 0 {
		return false
	}
	mine, kept := m.doc.Cells(), o.doc.Cells()
	if len(mine) != len(kept) {
		return false
	}
	for i, c := range kept {
		if !sameButOutputs(mine[i], c) {
			return false
		}
	}
	return true
}

func sameButOutputs(a, b *notebook.Cell) bool {
	return a.Type == b.Type && a.Source == b.Source && bytes.Equal(a.Metadata(), b.Metadata()) && bytes.Equal(a.Attachments(), b.Attachments())
}

// tellHost tells the kernel's host what the file has. That it could not be told costs it
// room, and nobody anything.
func (m *Model) tellHost(tell func(context.Context) error) tea.Cmd {
	if tell == nil {
		return nil
	}
	return m.do(func(ctx context.Context) tea.Msg {
		_ = tell(ctx)
		return nil
	})
}

// fileSum is the hash of the file's bytes as they were read or written last.
func (m *Model) fileSum() string { return fmt.Sprintf("%x", m.file.Sum()) }

// askLeave asks what is to become of the kernel, and goes on.
func (m *Model) askLeave(then func() tea.Cmd) tea.Cmd {
	decide := func(how OnQuit) func() tea.Cmd {
		return func() tea.Cmd {
			m.leave, m.stop = how, how == StopOnQuit
			return then()
		}
	}
	if how := m.opt.OnQuit; how == KeepOnQuit || how == StopOnQuit {
		return decide(how)()
	}
	text := "the kernel can go on without nbterm:"
	if m.session.Running() {
		text = "a cell is running, and can go on without nbterm:"
	}
	asked := m.ask(text,
		choice{action: keymap.AnswerKeep, do: decide(KeepOnQuit)},
		choice{action: keymap.AnswerStop, label: "stop the kernel", do: decide(StopOnQuit)}, back())
	return tea.Batch(asked, m.countUsers(m.question))
}

// usersMsg says how many programs use the kernel that a question is about.
type usersMsg struct {
	question *question
	users    int
}

// countUsers asks for them. The question does not wait: its keys may be typed ahead.
func (m *Model) countUsers(q *question) tea.Cmd {
	users := m.session.Users()
	return m.do(func(ctx context.Context) tea.Msg { return usersMsg{q, users(ctx)} })
}

// usersCounted says whom stopping the kernel would hit too.
func (m *Model) usersCounted(msg usersMsg) {
	if msg.users > 1 {
		msg.question.text = fmt.Sprintf("%d programs use this kernel; %s", msg.users, msg.question.text)
		m.dirty = true
	}
}

// keeps tells whether the kernel is left running, and says how to come back. What nobody
// decided is kept: the terminal may just be gone.
func (m *Model) keeps(exit int) bool {
	if !m.session.Lasts() || exit == exitFine && m.leave != KeepOnQuit {
		return false
	}
	id, back, at := m.session.ID().Short(), m.fileName(), ""
	if there := m.opt.KeptAt; there != "" {
		at, back = " --host "+there, "--host "+there+" "+back
		if strings.HasPrefix(m.file.Path, there+"/") {
			back = "attach " + there + "/" + id
		}
	}
	_, _ = fmt.Fprintf(m.opt.Err, "nbterm: the kernel of %s goes on; nbterm %s comes back to it, nbterm stop %s%s ends it\n", m.fileName(), back, id, at)
	return true
}
