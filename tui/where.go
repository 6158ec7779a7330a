package tui

import (
	"net/url"
	"strings"
	"time"

	"github.com/nbterm/nbterm/render"
)

// whereLabel says on which other machine or service the kernel runs, "" for this one.
func (m *Model) whereLabel() string {
	host, _ := m.session.Where()
	return render.Sanitize(shortHost(host))
}

// shortHost is as much of a host's address as tells it from others: the machine of a URL,
// the service and the sandbox.
func shortHost(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host + strings.TrimSuffix(u.Path, "/")
	}
	address, _, _ = strings.Cut(address, "?")
	return strings.TrimSuffix(address, ":")
}

// leftLabel says how long the host lets the kernel live, "" where there is no such limit.
func (m *Model) leftLabel() string {
	_, expires := m.session.Where()
	if expires.IsZero() || !m.alive() {
		return ""
	}
	left := time.Until(expires)
	if left <= 0 {
		return "time over"
	}
	return short(left) + " left"
}

// sayLimits says once of each kernel what its host cannot do.
func (m *Model) sayLimits() {
	limits := m.session.Limits()
	if len(limits) == 0 || m.kernel.limited {
		return
	}
	m.kernel.limited = true
	m.say(info, "on "+m.whereLabel()+": "+strings.Join(limits, ", "))
}
