package editor

import (
	"slices"
	"strings"

	"github.com/nbterm/nbterm/render/highlight"
)

// cacheLines is how many lines' colours are kept, twice.
const cacheLines = 1000

// colours highlights lines one by one and carries from line to line what they start within.
type colours struct {
	lexer  *highlight.LineLexer
	first  string            // the %%magic line that lexer was made for
	states []highlight.State // what each line starts within
	valid  int               // so many of states are right
	agree  int               // from here on a right state makes all that follow right

	recent, older map[lineKey][]highlight.Span
}

// lineKey is all that a line's colours depend on.
type lineKey struct {
	line  string
	start highlight.State
}

func (c *colours) reset() { *c = colours{} }

// of returns the lexer for e as it is now.
func (c *colours) of(e *Editor) *highlight.LineLexer {
	first := ""
	if strings.HasPrefix(e.lines[0], "%%") {
		first = e.lines[0]
	}
	if c.lexer == nil || c.first != first {
		*c = colours{lexer: highlight.NewLineLexer(e.opt.Language, first), first: first}
	}
	return c.lexer
}

// replaced says that removed lines from at on became added ones.
func (c *colours) replaced(at, removed, added int) {
	if c.agree > at {
		c.agree += added - removed
	}
	c.agree = max(c.agree, at+added)
	c.valid = min(c.valid, at+1)
	if len(c.states) > at && (removed > 1 || added > 1) {
		c.states = slices.Replace(c.states, at+1, min(at+removed, len(c.states)), make([]highlight.State, added-1)...)
	}
}

// state returns what line i starts within; always code where the text is too long for
// highlighting.
func (c *colours) state(e *Editor, i int) highlight.State {
	lexer := c.of(e)
	if e.bytes > highlight.Limit {
		return 0
	}
	if c.valid == 0 {
		c.states = append(c.states[:0], lexer.Start())
		c.valid = 1
	}
	for c.valid <= i {
		n := c.valid
		next := lexer.Next(e.lines[n-1], c.states[n-1])
		switch {
		case n == len(c.states):
			c.states = append(c.states, next)
		case n >= c.agree && c.states[n] == next:
			c.valid = len(c.states)
			continue
		default:
			c.states[n] = next
		}
		c.valid++
	}
	return c.states[i]
}

// spans returns the parts of line i; nil is all plain.
func (c *colours) spans(e *Editor, i int) []highlight.Span {
	if e.bytes > highlight.Limit {
		return nil
	}
	key := lineKey{e.lines[i], c.state(e, i)}
	if s, ok := c.recent[key]; ok {
		return s
	}
	s, ok := c.older[key]
	if !ok {
		s = c.lexer.Spans(key.line, key.start)
	}
	if c.recent == nil || len(c.recent) >= cacheLines {
		c.older, c.recent = c.recent, map[lineKey][]highlight.Span{}
	}
	c.recent[key] = s
	return s
}
