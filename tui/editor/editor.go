package editor

import (
	"strings"
)

// Pos is a place in the text: a line and a byte of it, both from 0. The places that the
// package hands out are on boundaries of grapheme clusters.
type Pos struct{ Line, Byte int }

// Before tells whether p comes before q.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Byte < q.Byte
}

// Change replaced the bytes From … To-1 of the whole text by Text.
type Change struct {
	From, To int
	Text     string
}

// Kind says which edits may become one undo step.
type Kind uint8

// The kinds of edits.
const (
	Single  Kind = iota // a step of its own
	Typing              // typed text; joins by the word
	Erasing             // single characters rubbed out
	Pasting             // keys of a paste without brackets
)

// Edit is what one operation did to the text. The zero Edit did nothing.
type Edit struct {
	Changes []Change // to be made in this order
	Kind    Kind
	Jump    bool   // the cursor was moved by other means since the edit before
	Label   string // what an undo step is called
}

// Options say what is edited.
type Options struct {
	// Language is named as language_info.name or a kernelspec does; "markdown" and ""
	// (plain) are possible too.
	Language string
	// TabWidth is how far apart tab stops are in cells; 0 means 4, as in render.Source.
	TabWidth int
	// IndentUnit is one step of indentation; "" means what the text uses, or else the
	// language's custom.
	IndentUnit string
}

// Editor is a text that is being edited. Make one with New.
type Editor struct {
	opt   Options
	lines []string // at least one, without line ends
	bytes int      // length of the whole text

	text   string // the whole text, if whole
	whole  bool
	starts sums // bytes before each line

	cursor, anchor Pos // the selection lies between
	goal           int // column that Up and Down aim for, -1 if none
	jumped         bool
	closers        []closer
	version        uint64 // of the text

	colours colours
	view    view
	match   matchCache
}

// New returns an editor of text with the cursor at its start. Line ends become \n.
func New(text string, opt Options) *Editor {
	if opt.TabWidth <= 0 {
		opt.TabWidth = 4
	}
	e := &Editor{opt: opt, goal: -1, jumped: true}
	e.setAll(newlines(text))
	return e
}

// newlines makes every \r\n and lone \r a \n.
func newlines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func (e *Editor) setAll(text string) {
	e.lines = strings.Split(text, "\n")
	e.text, e.whole, e.bytes = text, true, len(text)
	e.starts.cut(0)
	e.version++
	e.colours.reset()
	e.view.forget()
}

// Text returns the whole text. It costs nothing while the text stays the same.
func (e *Editor) Text() string {
	if !e.whole {
		e.text, e.whole = strings.Join(e.lines, "\n"), true
	}
	return e.text
}

// Len is the length of the text in bytes.
func (e *Editor) Len() int { return e.bytes }

// LineCount is the number of lines, at least 1.
func (e *Editor) LineCount() int { return len(e.lines) }

// Line returns line i without its line end.
func (e *Editor) Line(i int) string { return e.lines[i] }

// Version changes with every change of the text.
func (e *Editor) Version() uint64 { return e.version }

// SetLanguage changes the language.
func (e *Editor) SetLanguage(language string) {
	if e.opt.Language != language {
		e.opt.Language = language
		e.colours.reset()
		e.match = matchCache{}
	}
}

// Offset returns the place of p in the whole text, in bytes.
func (e *Editor) Offset(p Pos) int { return e.starts.before(p.Line, e.lineSize) + p.Byte }

func (e *Editor) lineSize(i int) int { return len(e.lines[i]) + 1 }

// PosOf returns the place of a byte of the whole text, moved to the next boundary.
func (e *Editor) PosOf(offset int) Pos {
	offset = max(0, min(offset, e.bytes))
	line, at := e.starts.find(offset, len(e.lines), e.lineSize)
	return e.snap(Pos{line, at})
}

// snap brings p into the text and onto a boundary, not before it.
func (e *Editor) snap(p Pos) Pos {
	p.Line = max(0, min(p.Line, len(e.lines)-1))
	p.Byte = snapByte(e.lines[p.Line], max(0, p.Byte))
	return p
}

// Cursor is where the cursor is.
func (e *Editor) Cursor() Pos { return e.cursor }

// SetCursor moves the cursor to p, or near it, and selects nothing.
func (e *Editor) SetCursor(p Pos) { e.moveTo(e.snap(p), false) }

// Select selects from anchor to cursor.
func (e *Editor) Select(anchor, cursor Pos) {
	e.moveTo(e.snap(cursor), false)
	e.anchor = e.snap(anchor)
}

// SelectAll selects the whole text.
func (e *Editor) SelectAll() { e.Select(Pos{}, e.end()) }

// ClearSelection selects nothing; the cursor stays.
func (e *Editor) ClearSelection() { e.anchor = e.cursor }

// Selection returns what is selected; ok is false if nothing is.
func (e *Editor) Selection() (from, to Pos, ok bool) {
	from, to = e.anchor, e.cursor
	if to.Before(from) {
		from, to = to, from
	}
	return from, to, from != to
}

// SelectedText returns the selected text, "" if nothing is selected.
func (e *Editor) SelectedText() string {
	from, to, _ := e.Selection()
	return e.slice(from, to)
}

// slice returns the text between two places.
func (e *Editor) slice(from, to Pos) string {
	if from.Line == to.Line {
		return e.lines[from.Line][from.Byte:to.Byte]
	}
	var b strings.Builder
	b.WriteString(e.lines[from.Line][from.Byte:])
	for i := from.Line + 1; i < to.Line; i++ {
		b.WriteByte('\n')
		b.WriteString(e.lines[i])
	}
	b.WriteByte('\n')
	b.WriteString(e.lines[to.Line][:to.Byte])
	return b.String()
}

func (e *Editor) end() Pos {
	last := len(e.lines) - 1
	return Pos{last, len(e.lines[last])}
}

// moveTo moves the cursor; extend keeps the other end of the selection.
func (e *Editor) moveTo(p Pos, extend bool) {
	e.cursor, e.goal, e.jumped = p, -1, true
	if !extend {
		e.anchor = p
	}
	e.dropClosers()
}

// language is the language at hand: %%magic counts.
func (e *Editor) language() string { return e.colours.of(e).Language() }
