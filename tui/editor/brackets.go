package editor

import (
	"sort"
	"strings"

	"github.com/nbterm/nbterm/render/highlight"
)

// matchReach is how many bytes are searched for the other bracket, each way.
const matchReach = 128 << 10

// matchCache remembers the last answer of MatchAt.
type matchCache struct {
	version uint64 // 0: nothing is known
	cursor  Pos
	a, b    Pos
	ok      bool
}

const openers, enders = "([{", ")]}"

// MatchAt returns the bracket at the cursor, or else the one before it, and the bracket
// that belongs to it. Brackets in strings and comments do not count.
func (e *Editor) MatchAt() (at, other Pos, ok bool) {
	m := &e.match
	if m.version != e.version || m.cursor != e.cursor {
		*m = matchCache{version: e.version, cursor: e.cursor}
		p := e.cursor
		if m.b, m.ok = e.partner(p); m.ok {
			m.a = p
		} else if p.Byte > 0 {
			p.Byte--
			m.a = p
			m.b, m.ok = e.partner(p)
		}
	}
	return m.a, m.b, m.ok
}

// partner returns where the other one of the bracket at p is.
func (e *Editor) partner(p Pos) (Pos, bool) {
	line := e.lines[p.Line]
	if p.Byte >= len(line) || len(line) > matchReach {
		return Pos{}, false
	}
	c := line[p.Byte]
	if strings.IndexByte(openers+enders, c) < 0 || !e.codeOf(p.Line)(p.Byte) {
		return Pos{}, false
	}
	if i := strings.IndexByte(openers, c); i >= 0 {
		return e.ending(p, c, enders[i])
	}
	return e.opening(p, c)
}

// ending searches forward from the opening bracket at p.
func (e *Editor) ending(p Pos, open, end byte) (Pos, bool) {
	depth, reach := 0, matchReach
	for i, from := p.Line, p.Byte; i < len(e.lines) && reach > 0; i, from = i+1, 0 {
		line := e.lines[i]
		reach -= len(line) + 1
		if strings.IndexByte(line, open) < 0 && strings.IndexByte(line, end) < 0 {
			continue
		}
		isCode := e.codeOf(i)
		for k := from; k < len(line); k++ {
			if c := line[k]; c != open && c != end || !isCode(k) {
				continue
			}
			if line[k] == open {
				depth++
			} else if depth--; depth == 0 {
				return Pos{i, k}, true
			}
		}
	}
	return Pos{}, false
}

// opening searches back from p for the bracket that end, at p, closes or would close.
func (e *Editor) opening(p Pos, end byte) (Pos, bool) {
	open := openers[strings.IndexByte(enders, end)]
	depth, reach := 1, matchReach
	for i := p.Line; i >= 0 && reach > 0; i-- {
		line := e.lines[i]
		reach -= len(line) + 1
		if strings.IndexByte(line, open) < 0 && strings.IndexByte(line, end) < 0 {
			continue
		}
		isCode := e.codeOf(i)
		last := len(line) - 1
		if i == p.Line {
			last = p.Byte - 1
		}
		for k := last; k >= 0; k-- {
			if c := line[k]; c != open && c != end || !isCode(k) {
				continue
			}
			if line[k] == end {
				depth++
			} else if depth--; depth == 0 {
				return Pos{i, k}, true
			}
		}
	}
	return Pos{}, false
}

// codeOf returns what tells whether a byte of line i is neither in a string nor in a comment.
func (e *Editor) codeOf(i int) func(at int) bool {
	st := e.colours.state(e, i)
	spans := e.colours.of(e).Rough(e.lines[i], st)
	return func(at int) bool {
		k := sort.Search(len(spans), func(k int) bool { return at < spans[k].End })
		return k == len(spans) || spans[k].Kind == highlight.Plain
	}
}
