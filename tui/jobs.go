package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/internal/pause"
)

// pool owns the goroutines that Bubble Tea runs our commands in: none outlives Run.
type pool struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex // guards all below
	closed bool
	wait   sync.WaitGroup // Add only while !closed
}

func newPool() *pool {
	ctx, cancel := context.WithCancel(context.Background())
	return &pool{ctx: ctx, cancel: cancel}
}

// begin admits a command. Bubble Tea may start one after Run is over: it is refused.
func (j *pool) begin() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.wait.Add(1)
	return true
}

// close cancels all commands and waits until they returned.
func (j *pool) close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.cancel()
	j.wait.Wait()
}

// jobs runs commands. Their messages come back to a tab, and are dropped where that was
// closed meanwhile.
type jobs struct {
	*pool
	tab *tab // nil: they are of none
}

// tabMsg is a message that belongs to a tab.
type tabMsg struct {
	tab *tab
	msg tea.Msg
}

// background makes a command that nobody waits for: timers, and reading the kernel's log.
func (j *jobs) background(f func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !j.begin() {
			return nil
		}
		defer j.wait.Done()
		msg := f(j.ctx)
		if msg == nil || j.tab == nil {
			return msg
		}
		return tabMsg{j.tab, msg}
	}
}

// after delivers msg once d has passed.
func (j *jobs) after(d time.Duration, msg tea.Msg) tea.Cmd {
	return j.background(func(ctx context.Context) tea.Msg {
		if pause.For(ctx, d) != nil {
			return nil
		}
		return msg
	})
}

// doneMsg brings the result of a command that the program counts as work in hand.
type doneMsg struct{ msg tea.Msg }

// do makes a command that counts: the program is not idle until its result was handled.
func (m *Model) do(f func(context.Context) tea.Msg) tea.Cmd {
	m.pending++
	return m.jobs.background(func(ctx context.Context) tea.Msg { return doneMsg{f(ctx)} })
}

// doFree is do for what belongs to no tab.
func (m *Model) doFree(f func(context.Context) tea.Msg) tea.Cmd {
	m.pending++
	return m.free.background(func(ctx context.Context) tea.Msg { return doneMsg{f(ctx)} })
}
