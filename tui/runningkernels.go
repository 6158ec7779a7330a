package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// runningMsg are the kernels that run already.
type runningMsg struct {
	picker *picker // the list that they belong to
	list   []kernelclient.Running
	err    error
	add    func([]item)
	then   func() tea.Cmd
}

// findRunning looks for kernels that run already and adds them to an open list. Asking
// them takes a moment, which the list does not wait for.
func (m *Model) findRunning(p *picker, add func([]item), then func() tea.Cmd) tea.Cmd {
	s := m.session
	return m.do(func(ctx context.Context) tea.Msg {
		list, err := s.RunningKernels(ctx)
		if errors.Is(err, kernelclient.Unsupported) {
			err = nil
		}
		return runningMsg{p, list, err, add, then}
	})
}

func (m *Model) runningFound(msg runningMsg) {
	p := msg.picker
	if m.picker != p {
		return
	}
	m.fail(msg.err)
	if len(msg.list) == 0 {
		return
	}
	items := make([]item, len(msg.list))
	for i, r := range msg.list {
		items[i] = m.runningItem(r, msg.then)
	}
	msg.add(items)
	p.refill()
	m.dirty = true
}

// runningItem is a kernel that runs: what it is of, and since when.
func (m *Model) runningItem(r kernelclient.Running, then func() tea.Cmd) item {
	name := r.Kernel.Name
	if name == "" {
		name = "a kernel"
	}
	it := item{name: render.Sanitize(name), detail: render.Sanitize(filepath.Base(r.File)), group: running}
	if r.Path != "" {
		it.detail = m.place(r.Path)
	}
	if it.right = "for " + short(time.Since(r.Started)); r.PID != 0 {
		it.right = fmt.Sprintf("process %d %s", r.PID, it.right)
	}
	it.do = func() tea.Cmd {
		if r.Kernel.Name == "" {
			name = filepath.Base(r.File)
		}
		return m.askSwitch(name+", which runs already; it goes on when nbterm ends", func() func(context.Context) (*session.Found, error) {
			return m.session.FindExisting(r.File)
		}, then)
	}
	return it
}
