package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui/keymap"
)

const (
	// drainEvery is the time between two batches of events while output floods. drainBurst
	// of them may come at once after a pause: a short cell is queued, started, prints and ends
	// in batches of their own. Both together make at most 31 frames in any second.
	drainEvery = 40 * time.Millisecond
	drainBurst = 6
	// interruptPatience is how long a kernel may ignore an interrupt before a restart is offered.
	interruptPatience = 5 * time.Second
	interrupting      = "interrupting …"
	restarting        = "restarting the kernel …"
	offerRestart      = "the kernel has not stopped 5 seconds after the interrupt; 00 restarts it (its variables are lost)"
)

// kernelState is what the screen remembers of the kernel besides the session.
type kernelState struct {
	reading      bool
	serial       int       // of the kernel: batches of an earlier one are not applied
	due          time.Time // when the next batch may be taken
	ticking      bool
	since        time.Time // when the present state began
	state        event.KernelState
	generation   int // of the kernel whose state it is
	interrupts   int // how many were sent
	ended        int // how many runs ended
	noted        bool
	limited      bool // what its host cannot do was said
	afterRestart func() tea.Cmd
	death        string // what was said when it died
	died         int    // the generation that it was said of
}

// eventsMsg is a batch of the context's events, or why there will be none any more.
type eventsMsg struct {
	serial int
	events []event.Event
	at     time.Time
	err    error
}

// read waits for the next batch of events. One such command is under way at any time.
func (m *Model) read() tea.Cmd {
	if m.kernel.reading || !m.session.Started() {
		return nil
	}
	m.kernel.reading = true
	serial, next := m.kernel.serial, m.session.Follow()
	wait := time.Until(m.kernel.due)
	return m.jobs.background(func(ctx context.Context) tea.Msg {
		if pause.For(ctx, wait) != nil {
			return nil
		}
		events, err := next(ctx)
		return eventsMsg{serial, events, time.Now(), err}
	})
}

// nextDrain says when a batch may follow one that came at now and was due at due.
func nextDrain(due, now time.Time) time.Time {
	if least := now.Add(-(drainBurst - 1) * drainEvery); due.Before(least) {
		due = least
	}
	return due.Add(drainEvery)
}

// take applies a batch.
func (m *Model) take(msg eventsMsg) tea.Cmd {
	if msg.serial != m.kernel.serial {
		return nil
	}
	m.kernel.reading, m.kernel.due = false, nextDrain(m.kernel.due, msg.at)
	if msg.err != nil {
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			m.fail(msg.err)
		}
		return nil
	}
	changes := m.session.Apply(msg.events)
	m.inserted(changes.Inserted)
	if len(changes.Inserted) > 0 {
		m.syncCells()
	}
	m.refresh(changes.Cells...)
	m.showPages(changes.Pages)
	if changes.State {
		m.stateChanged()
	}
	for _, e := range changes.Ended {
		m.kernel.ended++
		if e.Reason == event.Lost || e.Reason == event.TimedOut {
			m.say(failure, e.Detail)
		}
	}
	for _, note := range changes.Notes {
		m.say(warning, note)
	}
	m.sayKernel()
	m.sayLimits()
	if !m.session.Running() {
		m.messages.drop(offerRestart)
	}
	if changes.Prompt {
		m.promptOpened()
	}
	m.followJoined()
	m.keepTail()
	return tea.Batch(m.read(), m.tick(), m.runsChanged(changes.Ended), m.findMade(changes.Ended), m.readHealth())
}

// sayKernel tells once when another kernel runs than the file names.
func (m *Model) sayKernel() {
	if _, note := m.session.Kernel(); note != "" && !m.kernel.noted {
		m.kernel.noted = true
		m.say(info, note)
	}
}

func (m *Model) stateChanged() {
	s := m.session.State()
	if s.State == m.kernel.state && s.Generation == m.kernel.generation {
		return // a restart may be over before anything was read of it: then the generation tells
	}
	m.kernel.state, m.kernel.generation, m.kernel.since = s.State, s.Generation, time.Now()
	m.dirty = true
	if s.State == event.Idle && s.Generation > m.kernel.died {
		m.messages.drop(m.kernel.death) // a fresh kernel is there
	}
	if s.State == event.Dead && s.Detail != "" {
		why := s.Detail
		if why == event.Stopped { // it was not stopped from here: this program ends without a look at its own stop
			why = "the kernel was stopped by another program"
		}
		m.kernel.death = why + "; " + m.wayOn()
		m.kernel.died = s.Generation
		how := failure
		if s.Detail == event.ExitedByCode {
			how = info
		}
		m.say(how, m.kernel.death)
	}
	if m.hint.text == interrupting || m.hint.text == restarting {
		m.setHint("")
	}
}

// wayOn says which keys help when the kernel is dead.
func (m *Model) wayOn() string {
	another := m.table.Keys(keymap.Command, keymap.OpenKernels)
	if !m.session.Restarts() {
		return another + " starts another"
	}
	return m.table.Keys(keymap.Command, keymap.Restart) + " starts it again, " + another + " chooses another"
}

// running is the view of the cell that runs, nil if none does.
func (m *Model) running() *cellView {
	for _, c := range m.cells {
		if c.status.Phase == session.Running {
			return c
		}
	}
	return nil
}

// secondMsg comes once a second while a clock is on the screen.
type secondMsg struct{}

// tick keeps the clocks on the screen going. Nothing wakes up while there are none.
func (m *Model) tick() tea.Cmd {
	if m.kernel.ticking || !m.clocks() {
		return nil
	}
	m.kernel.ticking = true
	return m.jobs.after(time.Second, secondMsg{})
}

func (m *Model) clocks() bool {
	_, expires := m.session.Where()
	return m.starting.cancel != nil || !expires.IsZero() && m.alive() || m.comingUp() || m.session.Running() || m.session.State().State == event.Busy // of another client
}

// comingUp tells whether a kernel is being started.
func (m *Model) comingUp() bool {
	state := m.session.State().State
	return state == event.Starting || state == event.Restarting
}

func (m *Model) second() tea.Cmd {
	m.kernel.ticking = false
	m.dirty = true
	return tea.Batch(m.tick(), m.readHealth())
}

// stillRunningMsg comes some time after an interrupt.
type stillRunningMsg struct {
	interrupt, ended int // of kernelState, when it was sent
}

// stillRunning offers a restart if the kernel ignored the interrupt.
func (m *Model) stillRunning(msg stillRunningMsg) {
	if m.session.Running() && msg.ended == m.kernel.ended {
		m.say(warning, offerRestart)
	}
}
