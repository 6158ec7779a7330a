package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// State is what a line starts within. The zero State is code.
type State uint8

// magicState is that of the first line of a cell that starts with %%magic.
const magicState State = 255

// LineLexer reads single lines of a text that is being edited: each line needs only the
// State that the line before it ended in. It belongs to one goroutine.
type LineLexer struct {
	language string
	first    State
	python   bool
	syntax   syntax
	lexer    chroma.Lexer // nil: plain, or not looked up yet
	ready    bool
}

// NewLineLexer returns the lexer of a text in a language (as for New), whose first line
// decides about %%magic.
func NewLineLexer(language, firstLine string) *LineLexer {
	l := &LineLexer{language: strings.ToLower(language)}
	if isPython(l.language) {
		l.language = "python"
		if strings.HasPrefix(firstLine, "%%") {
			l.first = magicState
			l.language = magicLanguage(firstLine)
		}
	}
	l.python = isPython(l.language)
	l.syntax = syntaxOf(l.language)
	return l
}

// Language is the language of the lines in lower case: Python's dialects are "python",
// and a %%magic may name another one.
func (l *LineLexer) Language() string { return l.language }

// Start is the State of the first line.
func (l *LineLexer) Start() State { return l.first }

// Next returns the State of the line after line. It is fast: it does not ask chroma.
func (l *LineLexer) Next(line string, start State) State {
	return l.scan(line, start, nil)
}

// Rough tells only strings and comments from the rest (Plain). It is as fast as Next.
func (l *LineLexer) Rough(line string, start State) []Span {
	var spans []Span
	l.scan(line, start, func(end int, kind Kind) { spans = addSpan(spans, Span{end, kind}) })
	if n := len(spans); n == 0 || spans[n-1].End < len(line) {
		spans = addSpan(spans, Span{len(line), Plain})
	}
	return spans
}

// Spans returns the parts of line, coloured by chroma: some 0.3 ms a line.
func (l *LineLexer) Spans(line string, start State) []Span {
	if len(line) > lineLimit {
		return plain(line)
	}
	if !l.ready {
		l.ready = true
		l.lexer = lookUp(l.language)
	}
	if l.python && start == 0 && isMagic(line) {
		return []Span{{len(line), Decorator}}
	}
	at, kind := l.inside(line, start)
	if at == 0 && (l.lexer == nil || line == "") {
		return plain(line)
	}
	var spans []Span
	if at > 0 {
		spans = append(spans, Span{at, kind})
	}
	if at == len(line) {
		return spans
	}
	if l.lexer == nil {
		return addSpan(spans, Span{len(line), Plain})
	}
	s := Source{lexer: l.lexer}
	for _, sp := range s.lex(line[at:]) {
		spans = append(spans, Span{at + sp.End, sp.Kind})
	}
	return spans
}

// inside returns how much of line still belongs to what it starts within, and what that is.
func (l *LineLexer) inside(line string, start State) (int, Kind) {
	if start == magicState {
		return len(line), Decorator
	}
	if start == 0 || int(start) > len(l.syntax.delims) {
		return 0, Plain
	}
	d := &l.syntax.delims[start-1]
	if end := d.end(line); end >= 0 {
		return end, d.kind
	}
	return len(line), d.kind
}

// scan walks over the strings and comments of line and returns the State behind it.
// part, which may be nil, is told each part's end.
func (l *LineLexer) scan(line string, start State, part func(end int, kind Kind)) State {
	if start == magicState {
		if part != nil {
			part(len(line), Decorator)
		}
		return 0
	}
	say := func(end int, kind Kind) {
		if part != nil {
			part(end, kind)
		}
	}
	i := 0
	if start > 0 && int(start) <= len(l.syntax.delims) {
		d := &l.syntax.delims[start-1]
		end := d.end(line)
		if end < 0 {
			say(len(line), d.kind)
			return start
		}
		say(end, d.kind)
		i = end
	}
	for i < len(line) {
		if !l.syntax.starts[line[i]] {
			i++
			continue
		}
		k := l.syntax.opens(line, i) // first: Lua's --[[ is more than --
		if k < 0 && l.syntax.isComment(line, i) {
			say(i, Plain)
			say(len(line), Comment)
			return 0
		}
		if k < 0 {
			i++
			continue
		}
		say(i, Plain)
		d := &l.syntax.delims[k]
		from := i + len(d.open)
		end := d.end(line[from:])
		if end < 0 {
			say(len(line), d.kind)
			if d.multi {
				return State(k + 1)
			}
			return 0
		}
		i = from + end
		say(i, d.kind)
	}
	return 0
}
