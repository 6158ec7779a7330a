package markdown

import (
	"regexp"
	"strings"
)

// kind tells what a piece of a text is.
type kind uint8

const (
	plain    kind = iota
	code          // a span or a block of code: nothing in it means anything
	indented      // a block of code by its indentation, which within HTML is none
	formula       // with its delimiters
	tag           // of HTML
	comment       // of HTML
)

// token is a piece of a text.
type token struct {
	kind kind
	text string
}

// scanner cuts a text into tokens, from left to right.
type scanner struct {
	text   string
	at     int
	begun  int // where the plain text that is being read began
	inList bool
	end    int // of the present paragraph, as far as it is known
	out    []token
}

func tokens(text string) []token {
	s := &scanner{text: text}
	for s.at < len(text) {
		if s.at == 0 || text[s.at-1] == '\n' {
			if s.line() {
				continue
			}
		}
		switch text[s.at] {
		case '`':
			s.span()
		case '\\', '$':
			s.escape()
		case '<':
			s.angle()
		default:
			s.at++
		}
	}
	s.flush()
	return s.out
}

// flush ends the plain text before the place where the scanner is.
func (s *scanner) flush() {
	if s.at > s.begun {
		s.out = append(s.out, token{plain, s.text[s.begun:s.at]})
	}
	s.begun = s.at
}

// take makes a token of the next n bytes.
func (s *scanner) take(k kind, n int) {
	s.flush()
	s.out = append(s.out, token{k, s.text[s.at : s.at+n]})
	s.at += n
	s.begun = s.at
}

var (
	innerFence = regexp.MustCompile("^[ \t>]*(?:(?:[-+*]|\\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)")
	listItem   = regexp.MustCompile(`^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]`)
)

// line takes a block of code that begins at a line's beginning.
func (s *scanner) line() bool {
	rest := s.text[s.at:]
	if m := innerFence.FindStringSubmatch(rest); m != nil && (m[1][0] == '~' || !strings.Contains(m[2], "`")) {
		s.take(code, fenced(rest, m[1]))
		return true
	}
	first, _, _ := strings.Cut(rest, "\n")
	switch {
	case strings.TrimSpace(first) == "":
	case listItem.MatchString(first):
		s.inList = true
	case first[0] != ' ' && first[0] != '\t':
		s.inList = s.inList && !s.afterBlank()
	case !s.inList && isIndented(first) && s.afterBlank():
		n := 0
		for line := range strings.Lines(rest) {
			if strings.TrimSpace(line) != "" && !isIndented(line) {
				break
			}
			n += len(line)
		}
		s.take(indented, n)
		return true
	}
	return false
}

func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// afterBlank tells whether the line before is empty, or none.
func (s *scanner) afterBlank() bool {
	before := strings.TrimRight(s.text[:s.at], " \t")
	return s.at == 0 || strings.HasSuffix(strings.TrimSuffix(before, "\n"), "\n") || strings.TrimSpace(before) == ""
}

// fenced is the length of a block that a fence opens.
func fenced(text, fence string) int {
	n, first := 0, true
	for line := range strings.Lines(text) {
		n += len(line)
		if mark := strings.Trim(line, " \t\n>"); !first && len(mark) >= len(fence) && strings.Trim(mark, fence[:1]) == "" {
			break
		}
		first = false
	}
	return n
}

// span takes a code span, or passes over backquotes that open none.
func (s *scanner) span() {
	rest := s.paragraph()
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	for at := n; at < len(rest); {
		i := strings.IndexByte(rest[at:], '`')
		if i < 0 {
			break
		}
		at += i
		run := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		if at += run; run == n {
			s.take(code, at)
			return
		}
	}
	s.at += n
}

var emptyLine = regexp.MustCompile(`\n[ \t]*\n`)

// paragraph is the rest of the present one.
func (s *scanner) paragraph() string {
	if s.at >= s.end {
		s.end = len(s.text)
		if at := emptyLine.FindStringIndex(s.text[s.at:]); at != nil {
			s.end = s.at + at[0]
		}
	}
	return s.text[s.at:max(s.end, s.at)]
}

// escape takes a formula, or passes over a character that is escaped.
func (s *scanner) escape() {
	if n := formulaLength(s.paragraph()); n > 0 {
		s.take(formula, n)
		return
	}
	n := 1
	for s.text[s.at] == '$' && s.at+n < len(s.text) && s.text[s.at+n] == '$' {
		n++
	}
	if s.text[s.at] == '\\' {
		n = 2
	}
	s.at = min(s.at+n, len(s.text))
}

var oneTag = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?/?>`)

// angle takes a tag or a comment.
func (s *scanner) angle() {
	rest := s.text[s.at:]
	if strings.HasPrefix(rest, "<!--") {
		if end := strings.Index(rest, "-->"); end >= 0 {
			s.take(comment, end+len("-->"))
			return
		}
	}
	if m := oneTag.FindString(rest[:min(len(rest), maxTag)]); m != "" {
		s.take(tag, len(m))
		return
	}
	s.at++
}

// maxTag is the length in bytes above which a tag is none. A picture within one is longer,
// but has been shortened.
const maxTag = 4 << 10
