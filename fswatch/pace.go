package fswatch

import "time"

const (
	soon     = 50 * time.Millisecond  // after calm, a change is told so long after it;
	quiet    = 200 * time.Millisecond // those that follow once nothing happened for so long,
	patience = time.Second            // or this long after the first of them
	pollTime = 2 * time.Second
)

// pace decides when changes are told: a single one soon, a storm of them once a second.
type pace struct {
	first time.Time // of the changes that were not told yet
	last  time.Time // of all changes
	calm  bool      // before first
}

// change notes one and returns when to tell.
func (p *pace) change(now time.Time) time.Time {
	if p.first.IsZero() {
		p.first = now
		p.calm = p.last.IsZero() || now.Sub(p.last) >= quiet
	}
	p.last = now
	if p.calm {
		return p.first.Add(soon)
	}
	due, latest := now.Add(quiet), p.first.Add(patience)
	if due.After(latest) {
		return latest
	}
	return due
}

// told notes that all changes were told.
func (p *pace) told() { p.first = time.Time{} }
