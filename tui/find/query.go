package find

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is what to search for.
type Query struct {
	Text   string
	Regexp bool // Text is a regular expression (RE2); else it is meant letter by letter
	Word   bool // whole words only
	Case   bool // large and small letters differ
}

// Pattern finds a query in texts. It may be used from any goroutine.
type Pattern struct {
	re    *regexp.Regexp
	word  bool
	plain bool
	lower string // of a plain text of ASCII without Case; the expression would take 15 times as long
}

// Compile makes a Pattern, nil for an empty text. The error is about the expression.
func (q Query) Compile() (*Pattern, error) {
	if q.Text == "" {
		return nil, nil
	}
	text, flags := q.Text, "(?m)"
	if !q.Regexp {
		text = regexp.QuoteMeta(text)
	}
	if !q.Case {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{re: re, word: q.Word, plain: !q.Regexp}
	if p.plain && !q.Case && isASCII(q.Text) {
		p.lower = lowerASCII(q.Text)
	}
	return p, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowerASCII keeps the length of a text in bytes, as strings.ToLower does not.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// All returns the places of all matches in a text: pairs of bytes. Empty matches are none.
func (p *Pattern) All(text string) [][2]int {
	var out [][2]int
	for _, m := range p.matches(text) {
		out = append(out, [2]int{m[0], m[1]})
	}
	return out
}

// matches returns the matches with their groups, as regexp's functions do.
func (p *Pattern) matches(text string) [][]int {
	all := p.candidates(text)
	kept := all[:0]
	for _, m := range all {
		if m[1] > m[0] && (!p.word || wholeWord(text, m[0], m[1])) {
			kept = append(kept, m)
		}
	}
	return kept
}

func (p *Pattern) candidates(text string) [][]int {
	if p.lower == "" {
		return p.re.FindAllStringSubmatchIndex(text, -1)
	}
	var out [][]int
	low := lowerASCII(text)
	for at := 0; ; {
		i := strings.Index(low[at:], p.lower)
		if i < 0 {
			return out
		}
		out = append(out, []int{at + i, at + i + len(p.lower)})
		at += i + len(p.lower)
	}
}

// wholeWord tells whether no word goes on across an end of text[from:to].
func wholeWord(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:to])
	last, _ := utf8.DecodeLastRuneInString(text[from:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	cut := isWord(before) && isWord(first) || isWord(last) && isWord(after)
	return !cut
}

func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// Replace returns a text with all matches replaced, and how many there were. In the
// replacement for a regular expression $1 and ${name} stand for its groups.
func (p *Pattern) Replace(text, with string) (string, int) {
	matches := p.matches(text)
	var b strings.Builder
	end := 0
	for _, m := range matches {
		b.WriteString(text[end:m[0]])
		b.WriteString(p.expand(text, with, m))
		end = m[1]
	}
	b.WriteString(text[end:])
	return b.String(), len(matches)
}

// ReplaceAt replaces the one match at byte from. ok tells whether it is there.
func (p *Pattern) ReplaceAt(text string, from int, with string) (result string, end int, ok bool) {
	for _, m := range p.matches(text) {
		if m[0] == from {
			put := p.expand(text, with, m)
			return text[:from] + put + text[m[1]:], from + len(put), true
		}
	}
	return text, from, false
}

func (p *Pattern) expand(text, with string, match []int) string {
	if p.plain {
		return with
	}
	return string(p.re.ExpandString(nil, with, text, match))
}
