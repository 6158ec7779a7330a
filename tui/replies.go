package tui

import (
	"strings"
	"time"
)

// remains takes away what is left of a sequence that came in pieces: a terminal's reply
// or a mouse report, slow on its way. The terminal library gives up the first piece after
// 50 ms and would take the rest for typing.
type remains struct {
	kind  byte // '[' a control sequence, ']' a string, 'M' an old mouse report, 0 nothing
	begun bool // a key was taken
	keys  int  // still to come, for 'M'
	last  time.Time
	wait  time.Duration // how long the next key may take

	escaped time.Time // when Escape was pressed by itself last
}

const (
	restPause  = time.Second          // between two pieces of a sequence
	restInside = 5 * time.Millisecond // within a piece
)

// unknown takes in a first piece.
func (r *remains) unknown(seq string, at time.Time) {
	if len(seq) < 2 || seq[0] != '\x1b' {
		return
	}
	last := seq[len(seq)-1]
	switch {
	case seq == "\x1b[M":
		*r = remains{kind: 'M', keys: 3, last: at, wait: restPause}
	case seq[1] == '[' && (len(seq) == 2 || last < 0x40 || last > 0x7e):
		*r = remains{kind: '[', begun: true, last: at, wait: restPause}
	case strings.IndexByte("]P_^X", seq[1]) >= 0 && last != '\a' && !strings.HasSuffix(seq, "\x1b\\"):
		*r = remains{kind: ']', begun: true, last: at, wait: restPause}
	}
}

// take tells whether a key is no key but such a rest.
func (r *remains) take(name, text string, at time.Time) bool {
	escaped := r.escaped
	r.escaped = time.Time{}
	if r.kind != 0 && at.Sub(r.last) <= r.wait {
		if r.follow(name, text) {
			r.last, r.begun = at, true
			r.wait = restPause
			return true
		}
	}
	r.kind = 0
	switch name {
	case "esc":
		r.escaped = at
	case "alt+[":
		*r = remains{kind: '[', last: at, wait: restPause}
		return true
	case "alt+]", "alt+P", "alt+_":
		*r = remains{kind: ']', last: at, wait: restPause}
		return true
	case "[", "]":
		if !escaped.IsZero() && at.Sub(escaped) <= restPause {
			*r = remains{kind: name[0], last: at, wait: restInside} // unless a person typed it
		}
	}
	return false
}

// follow tells whether a key can go on the sequence, and notes its end.
func (r *remains) follow(name, text string) bool {
	switch r.kind {
	case 'M':
		if r.keys--; r.keys == 0 {
			r.kind = 0
		}
		return text != ""
	case '[':
		if len(text) != 1 || !r.begun && strings.IndexByte("<>?=0123456789", text[0]) < 0 {
			return false
		}
		if text[0] >= 0x40 {
			r.kind = 0
		}
		return true
	}
	if name == `alt+\` || name == "ctrl+g" {
		r.kind = 0
		return true
	}
	return text != "" && (r.begun || strings.Contains("0123456789>G", text))
}

// pieces takes in what the terminal library could not read.
func (m *Model) pieces(seq string) {
	m.swallow = seq == string(linuxFunctionKey)
	m.remains.unknown(seq, m.clock.key())
}
