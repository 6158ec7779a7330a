package editor

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nbterm/nbterm/render/highlight"
)

// closer is a bracket or quote that came by itself: typing it passes over it. It is
// found from the end of its line, where typing before it does not move it.
type closer struct {
	c          byte
	line, open int // of the bracket's start
	tail       int // bytes of the line from it on
}

func (e *Editor) closerAt(c closer) int { return len(e.lines[c.line]) - c.tail }

// dropClosers forgets the closers that the cursor has left.
func (e *Editor) dropClosers() {
	e.closers = slices.DeleteFunc(e.closers, func(c closer) bool {
		return c.line != e.cursor.Line || e.cursor.Byte <= c.open || e.cursor.Byte > e.closerAt(c)
	})
}

// Insert types text at the cursor, in place of the selection. Brackets and quotes are
// closed, and closing ones that came by themselves are typed over. For text that must
// stay as it is there are Paste and Put.
func (e *Editor) Insert(text string) Edit {
	text = strings.Map(typable, clean(text))
	switch text {
	case "":
		return Edit{}
	case "\n":
		return e.Newline()
	}
	if len(text) == 1 {
		if ed, done := e.typeAid(text[0]); done {
			return ed
		}
	}
	from, to, selected := e.Selection()
	if selected || strings.Contains(text, "\n") {
		e.closers = nil
	}
	c := e.replace(from, to, text)
	e.dropClosers()
	return e.edit(Typing, "Typing", c)
}

// typable drops control characters: what a key sent, not what anybody typed.
func typable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// typeAid types c if c wants more than being put in.
func (e *Editor) typeAid(c byte) (Edit, bool) {
	end := e.closing(c)
	if _, _, selected := e.Selection(); selected {
		if end == 0 {
			return Edit{}, false
		}
		return e.surround(c, end), true
	}
	if e.typeOver(c) {
		return Edit{}, true
	}
	switch {
	case c == ')' || c == ']' || c == '}':
		return e.typeEnd(c)
	case end == 0 || !e.roomToClose():
		return Edit{}, false
	case end != c:
		return e.typePair(string(c), string(end)), true
	}
	return e.typeQuote(c)
}

// closing returns what closes the bracket or quote c, 0 if c opens nothing.
func (e *Editor) closing(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '"', '\'', '`':
		if strings.IndexByte(e.custom().quotes, c) >= 0 {
			return c
		}
	}
	return 0
}

// surround puts brackets or quotes around the selection, which stays selected.
func (e *Editor) surround(c, end byte) Edit {
	from, to, _ := e.Selection()
	e.closers = nil
	ch := e.replace(from, to, string(c)+e.slice(from, to)+string(end))
	stop := e.cursor
	ed := e.edit(Single, "Typing", ch)
	e.Select(Pos{from.Line, from.Byte + 1}, Pos{stop.Line, stop.Byte - 1})
	return ed
}

// typeOver passes over a closer that came by itself.
func (e *Editor) typeOver(c byte) bool {
	n := len(e.closers) - 1
	if n < 0 || e.closers[n].c != c || e.closerAt(e.closers[n]) != e.cursor.Byte {
		return false
	}
	line := e.lines[e.cursor.Line]
	if e.cursor.Byte >= len(line) || line[e.cursor.Byte] != c || nextByte(line, e.cursor.Byte) != e.cursor.Byte+1 {
		return false
	}
	e.closers = e.closers[:n]
	e.cursor.Byte++
	e.anchor = e.cursor
	return true
}

// typeEnd types a closing bracket. Where only blanks stand before it, it goes below the
// line that has its opening one.
func (e *Editor) typeEnd(c byte) (Edit, bool) {
	p := e.cursor
	head := e.lines[p.Line][:p.Byte]
	if p.Byte == 0 || !isBlank(head) {
		return Edit{}, false
	}
	open, ok := e.opening(p, c)
	if !ok || open.Line == p.Line {
		return Edit{}, false
	}
	above := e.lines[open.Line]
	e.closers = nil
	ch := e.replace(Pos{p.Line, 0}, p, above[:indentOf(above)]+string(c))
	return e.edit(Typing, "Typing", ch), true
}

// roomToClose tells whether what follows the cursor lets a bracket close itself.
func (e *Editor) roomToClose() bool {
	rest := e.lines[e.cursor.Line][e.cursor.Byte:]
	return rest == "" || strings.IndexByte(" \t)]}:;,.>=", rest[0]) >= 0 ||
		len(e.closers) > 0 && e.closerAt(e.closers[len(e.closers)-1]) == e.cursor.Byte
}

// typePair types open and puts end, to be typed over, behind the cursor.
func (e *Editor) typePair(open, end string) Edit {
	p := e.cursor
	c := e.replace(p, p, open+end)
	e.cursor = Pos{p.Line, p.Byte + len(open)}
	e.anchor = e.cursor
	tail := len(e.lines[p.Line]) - e.cursor.Byte
	for i := len(end) - 1; i >= 0; i-- {
		e.closers = append(e.closers, closer{end[i], p.Line, p.Byte, tail - i})
	}
	return e.edit(Typing, "Typing", c)
}

// typeQuote types the quote q, closed where it is likely to start a string.
func (e *Editor) typeQuote(q byte) (Edit, bool) {
	p := e.cursor
	head := e.lines[p.Line][:p.Byte]
	custom := e.custom()
	if e.insideText(p) {
		return Edit{}, false
	}
	if s := string(q); custom.triple && strings.HasSuffix(head, s+s) && !strings.HasSuffix(head, s+s+s) {
		return e.typePair(s, s+s+s), true
	}
	last, _ := utf8.DecodeLastRuneInString(head)
	if last == rune(q) || last == '\\' {
		return Edit{}, false
	}
	if head != "" && isWord(last) {
		at := skipBack(head, len(head), word)
		if custom.triple && isStringPrefix(head[at:]) {
			return e.typePair(string(q), string(q)), true
		}
		return Edit{}, false
	}
	return e.typePair(string(q), string(q)), true
}

// insideText tells whether p is within a string or comment.
func (e *Editor) insideText(p Pos) bool {
	head := e.lines[p.Line][:p.Byte]
	x := e.colours.of(e)
	spans := x.Rough(head+"x", e.colours.state(e, p.Line)) // x: how a further byte would be read
	return spans[len(spans)-1].Kind != highlight.Plain
}

// Newline types a line end and indents the new line as the language has it.
func (e *Editor) Newline() Edit {
	from, to, selected := e.Selection()
	head, tail := e.lines[from.Line][:from.Byte], e.lines[to.Line][to.Byte:]
	base, deeper := e.indentBehind(from)
	text := "\n" + deeper
	back := ""
	if n := len(head); n > 0 && tail != "" && deeper != base && e.closing(head[n-1]) == tail[0] {
		back = "\n" + base
	} else if n := indentOf(tail); !selected {
		if isBlank(head) && n == len(tail) {
			from.Byte, to.Byte = 0, to.Byte+n // blanks that stand alone
		} else if !isBlank(head) && snapByte(tail, n) == n {
			to.Byte += n
		}
	}
	e.closers = nil
	c := e.replace(from, to, text+back)
	if back != "" {
		e.cursor = Pos{from.Line + 1, len(deeper)}
		e.anchor = e.cursor
	}
	return e.edit(Typing, "Typing", c)
}

// indentBehind returns the indentation of the line at p and what a new line behind p gets.
func (e *Editor) indentBehind(p Pos) (base, next string) {
	head := e.lines[p.Line][:p.Byte]
	base = head[:indentOf(head)]
	x, st := e.colours.of(e), e.colours.state(e, p.Line)
	if x.Next(head, st) != 0 {
		return base, base
	}
	spans := x.Rough(head, st)
	code := head
	if n := len(spans); spans[n-1].Kind == highlight.Comment {
		code = ""
		if spans = spans[:n-1]; n > 1 {
			code = head[:spans[n-2].End]
		}
	}
	code = strings.TrimRight(code[min(len(code), len(base)):], " \t")
	if code == "" {
		return base, base
	}
	custom := e.custom()
	switch last := code[len(code)-1]; {
	case custom.colon && isLeaving(code) && strings.IndexByte(openers, last) < 0:
		return base, e.shallower(base)
	case spans[len(spans)-1].Kind != highlight.Plain: // a string ends there
		return base, base
	case strings.IndexByte(openers, last) >= 0, last == ':' && custom.colon:
		return base, base + e.unit()
	}
	return base, base
}

// shallower takes one step off an indentation.
func (e *Editor) shallower(indent string) string {
	if strings.HasSuffix(indent, "\t") {
		return indent[:len(indent)-1]
	}
	n := min(len(e.unit()), len(indent))
	if strings.TrimLeft(indent[len(indent)-n:], " ") != "" {
		n = 1
	}
	return indent[:max(len(indent)-n, 0)]
}
