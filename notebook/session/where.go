package session

import (
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Where says on which host the kernel runs, "" for this machine and before Start, and when
// that host ends it, zero for never or not known.
func (s *Session) Where() (host string, expires time.Time) {
	if s.ctx == nil {
		return "", time.Time{}
	}
	i := s.ctx.Info()
	return i.Host, i.Expires
}

// Restarts tells whether Restart may help when the kernel is dead. It counts as true of one
// that was never ready: then nobody knows what it can do.
func (s *Session) Restarts() bool {
	if s.ctx == nil {
		return true
	}
	c := s.ctx.Capabilities()
	return c.Restart || c == kernelclient.Capabilities{}
}

// Limits says what the kernel's host cannot do of what kernels of this machine can, in
// plain words; nil for those, and while the kernel is not ready.
func (s *Session) Limits() []string {
	host, _ := s.Where()
	if host == "" || !settled(s.state.State) || s.state.State == event.Dead {
		return nil
	}
	c := s.ctx.Capabilities()
	var out []string
	for _, limit := range []struct {
		can  bool
		what string
	}{
		{c.State, "nothing is kept from one cell to the next"},
		{c.Stream, "output comes when a cell ends"},
		{c.Interrupt, "a cell cannot be interrupted"},
		{c.Stdin, "input() cannot be answered"},
		{c.Complete || c.Inspect, "code is not completed"},
		{c.Updates, "a display that is shown cannot be changed"},
	} {
		if !limit.can {
			out = append(out, limit.what)
		}
	}
	return out
}
