package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// Notify is how a user who looks elsewhere is told that a long run ended.
type Notify string

// The ways. OSC 9 is the desktop notification of iTerm2, kitty, WezTerm, Ghostty and others;
// terminals that do not know it ignore it.
const (
	NotifyBell Notify = "bell"
	NotifyOSC9 Notify = "osc9"
	NotifyOff  Notify = "off"
)

// NotifyWays lists the ways by their names in the settings.
func NotifyWays() []string {
	return []string{string(NotifyBell), string(NotifyOSC9), string(NotifyOff)}
}

// attention knows whether somebody looks, and since when code runs. A terminal that reports
// no focus is taken for one that is looked at.
type attention struct {
	away  bool
	began time.Time // of what runs, zero while nothing does
}

// runsChanged is called after each batch of events with the ends in it. It rings once
// everything that was asked for is over.
func (m *Model) runsChanged(ends []session.Ended) tea.Cmd {
	a := &m.attention
	if a.began.IsZero() && (m.session.Running() || len(ends) > 0) {
		a.began = time.Now()
	}
	if a.began.IsZero() || m.session.Running() {
		return nil
	}
	failed := slices.ContainsFunc(ends, func(e session.Ended) bool { return e.Reason != event.Done })
	took := time.Since(a.began)
	a.began = time.Time{}
	if !a.away || took < m.opt.NotifyAfter {
		return nil
	}
	return m.ring(failed, took)
}

func (m *Model) ring(failed bool, took time.Duration) tea.Cmd {
	switch m.opt.Notify {
	case NotifyBell:
		return tea.Raw("\a")
	case NotifyOSC9:
		how := "finished"
		if failed {
			how = "failed"
		}
		text := fmt.Sprintf("%s %s after %s", render.Sanitize(m.fileName()), how, short(took))
		return tea.Raw(m.toTerminal("\x1b]9;" + text + "\a"))
	default:
		return nil
	}
}
