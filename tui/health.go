package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient/health"
	"github.com/nbterm/nbterm/render"
)

const (
	healthEvery = 2 * time.Second // while code runs; nothing is read while none does
	nearlyFull  = 0.9             // of the memory: from here on the system may kill the kernel
)

// vitals is what the kernel uses of this machine, as last read.
type vitals struct {
	meter     *health.Meter // nil: the kernel is not on this machine, or there is none
	pid       int
	reading   bool
	off       bool // the system does not tell
	now, then health.Usage
	warned    string // what was said of the memory
}

// healthMsg brings a reading of the kernel pid.
type healthMsg struct {
	pid   int
	usage health.Usage
	err   error
}

// readHealth reads what the kernel uses if it is time.
func (m *Model) readHealth() tea.Cmd {
	v := &m.vitals
	if pid := m.session.PID(); pid != v.pid {
		m.messages.drop(v.warned)
		*v = vitals{pid: pid, off: v.off}
		if pid > 0 {
			v.meter = health.New(pid)
		}
	}
	if v.meter == nil || v.reading || v.off || time.Since(v.now.At) < healthEvery {
		return nil
	}
	v.reading = true
	meter, pid := v.meter, v.pid
	return m.jobs.background(func(ctx context.Context) tea.Msg {
		u, err := meter.Read(ctx)
		return healthMsg{pid, u, err}
	})
}

func (m *Model) healthRead(msg healthMsg) {
	v := &m.vitals
	if msg.pid != v.pid {
		return
	}
	v.reading, v.off = false, msg.err != nil
	v.then, v.now = v.now, msg.usage
	m.dirty = true
	full := v.now.Full()
	if full < nearlyFull {
		m.messages.drop(v.warned)
		v.warned = ""
	} else if v.warned == "" {
		v.warned = fmt.Sprintf("the memory is %.0f %% full (%s of %s), %s of it are the kernel's; where it runs out the system ends the kernel",
			full*100, render.ByteSize(v.now.Used), render.ByteSize(v.now.Limit), render.ByteSize(v.now.Resident))
		m.say(warning, v.warned)
	}
}

// healthLabel is the kernel's use in the status bar.
func (m *Model) healthLabel() string {
	v := &m.vitals
	if v.now.Processes == 0 || v.pid != m.session.PID() {
		return ""
	}
	label := render.ByteSize(v.now.Resident)
	if m.session.Running() && !v.then.At.IsZero() {
		label += fmt.Sprintf(" %.0f%%", v.now.Load(v.then)*100)
	}
	if v.now.GPU > 0 {
		label += " GPU " + render.ByteSize(v.now.GPU)
	}
	return label
}
