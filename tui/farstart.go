package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// A kernel of another machine takes its time to be found and started, and the keyboard does
// not wait for it: cells that are run meanwhile show that they wait.

// farStart is the start of a kernel that is under way.
type farStart struct {
	cancel context.CancelFunc // nil: none is under way
	since  time.Time
}

// startedMsg brings the session's first kernel.
type startedMsg struct {
	found *session.Found
	err   error
}

// runFar has cells wait for the kernel, and it found if that is not under way already.
func (m *Model) runFar(keys []notebook.CellKey) tea.Cmd {
	m.session.Await(keys...)
	m.refresh(keys...)
	if m.starting.cancel != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.jobs.ctx)
	m.starting = farStart{cancel: cancel, since: time.Now()}
	find := m.session.Find()
	return tea.Batch(m.tick(), m.do(func(context.Context) tea.Msg {
		f, err := found(ctx, find)
		return startedMsg{f, err}
	}))
}

// found finds a kernel, but none after ctx ended: that nobody would take.
func found(ctx context.Context, find func(context.Context) (*session.Found, error)) (*session.Found, error) {
	f, err := find(ctx)
	if err == nil && ctx.Err() != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		return nil, errors.Join(ctx.Err(), f.Discard(end))
	}
	return f, err
}

// started runs what waited, or says why there is no kernel.
func (m *Model) started(msg startedMsg) tea.Cmd {
	m.starting.cancel()
	m.starting = farStart{}
	keys := m.session.Awaited()
	if msg.err == nil {
		m.session.Take(m.jobs.ctx, msg.found)
	}
	m.refresh(keys...)
	switch {
	case msg.err == nil:
		return tea.Batch(m.read(), m.tick(), m.run(keys...))
	case errors.Is(msg.err, context.Canceled):
		m.setHint("the start of the kernel was given up")
		return nil
	}
	m.fail(msg.err)
	if errors.Is(msg.err, kernelclient.NotFound) {
		return m.chooseFor(msg.err, keys)
	}
	return nil
}

// chooseFor offers the kernels there are, after the one that cells want is not among them.
func (m *Model) chooseFor(err error, keys []notebook.CellKey) tea.Cmd {
	return m.openKernels(func() tea.Cmd {
		m.messages.drop(err.Error())
		return m.run(keys...)
	})
}

// giveUpStart ends the start of a kernel that is under way; false if none is.
func (m *Model) giveUpStart() bool {
	if m.starting.cancel == nil {
		return false
	}
	m.starting.cancel()
	return true
}

// switchedMsg brings the kernel that was chosen.
type switchedMsg struct {
	name  string
	found *session.Found
	err   error
	then  func() tea.Cmd
}

// kernelChange finds another kernel for the session, off this goroutine.
type kernelChange func() func(context.Context) (*session.Found, error)

// switchKernel has the chosen kernel started. The present one serves until it is there.
func (m *Model) switchKernel(name string, change kernelChange, then func() tea.Cmd) tea.Cmd {
	find := change()
	m.setHint("kernel " + render.Sanitize(name) + " …")
	return m.do(func(ctx context.Context) tea.Msg {
		f, err := found(ctx, find)
		return switchedMsg{name, f, err, then}
	})
}
