package editor

import "time"

// burstGap is the longest time between two keys of a paste that comes without brackets;
// nobody types that fast, and no key repeats that fast. burstKeys is how many such keys
// there must be. A paste that is under way may falter: for pasteGap before a key that could
// mean something else, for pasteLull before text. The machine may be busy, or the line slow.
const (
	burstGap  = 10 * time.Millisecond
	pasteGap  = 40 * time.Millisecond
	pasteLull = 150 * time.Millisecond
	burstKeys = 4
	tabGap    = 3 * time.Millisecond // see Tab
)

// Role is what a key is within a run of keys that came in quick succession.
type Role uint8

// The roles. Of a run that gets long enough the caller marks the start (Editor.Mark),
// types the first keys as ever, replaces them on Turn by what the keys literally said
// (Editor.Literal), and puts in the text of every further key as it is.
const (
	First Role = iota // it starts a run
	Quick             // it came quickly after another key
	Turn              // with it the run has become a paste
	Paste             // it is part of a paste
)

// Burst tells pastes without brackets from typing, by the times at which keys arrive.
// The zero Burst is ready.
type Burst struct {
	last time.Time
	run  string
	n    int
}

// Key takes in a key that stands for text ("\n" for Enter and Ctrl-J) and says what it
// is. run is all text of the run so far.
func (b *Burst) Key(at time.Time, text string) (role Role, run string) {
	if !b.Continues(at) {
		*b = Burst{last: at, run: text, n: 1}
		return First, text
	}
	b.last = at
	b.n++
	if b.n > burstKeys { // its text has been handed out
		return Paste, text
	}
	b.run += text
	if b.n == burstKeys {
		return Turn, b.run
	}
	return Quick, b.run
}

// Quick tells whether a key at a time would come quickly after the last one: a Ctrl-J
// then is a line end that is pasted.
func (b *Burst) Quick(at time.Time) bool { return b.within(at, pasteGap) }

// Continues is Quick for a key that means text in any case, such as Enter.
func (b *Burst) Continues(at time.Time) bool { return b.within(at, pasteLull) }

func (b *Burst) within(at time.Time, pause time.Duration) bool {
	gap := burstGap
	if b.n >= burstKeys {
		gap = pause
	}
	return b.n > 0 && at.Sub(b.last) <= gap
}

// Tab is Quick for a key that people press for what it does: one that is part of a paste
// comes at once behind the key before.
func (b *Burst) Tab(at time.Time) bool { return b.n > 0 && at.Sub(b.last) <= tabGap }

// End says that something other than text was typed: the next key starts a run.
func (b *Burst) End() { *b = Burst{} }

// Mark is the text around the start of a run of keys.
type Mark struct {
	start, behind int    // bytes of the whole text before the first line, and behind the last
	head, tail    string // of the first and the last line, beside the selection
}

// Mark returns where the text of the next key will go.
func (e *Editor) Mark() Mark {
	from, to, _ := e.Selection()
	last := e.lines[to.Line]
	return Mark{
		start:  e.Offset(Pos{from.Line, 0}),
		behind: e.bytes - e.Offset(Pos{to.Line, len(last)}),
		head:   e.lines[from.Line][:from.Byte],
		tail:   last[to.Byte:],
	}
}

// Literal puts text in place of everything that was typed since m, with all that typing
// did by itself to the lines. Only typing may have been done since.
func (e *Editor) Literal(m Mark, text string) Edit {
	from := e.rawPos(min(m.start, e.bytes))
	to := e.rawPos(min(max(e.bytes-m.behind, m.start), e.bytes))
	e.closers = nil
	text = clean(text)
	c := e.replace(from, to, m.head+text+m.tail)
	e.cursor = e.PosOf(m.start + len(m.head) + len(text))
	e.anchor = e.cursor
	return e.edit(Pasting, "Paste", c)
}
