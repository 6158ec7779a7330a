package ansi

import (
	"strings"
	"unicode/utf8"
)

// Strip returns s without escape sequences and control characters but \n and \t; \r\n is \n.
func Strip(s string) string {
	if clean(s) {
		return s
	}
	var t stripper
	var ps parser
	ps.parse([]byte(s), &t)
	return t.b.String()
}

func clean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

type stripper struct{ b strings.Builder }

func (t *stripper) text(p []byte, _ bool) { t.b.Write(p) }
func (t *stripper) csi([]byte, byte)      {}
func (t *stripper) control(c byte) {
	if c == '\n' || c == '\t' {
		t.b.WriteByte(c)
	}
}

// OneLine returns s fit for one line of chrome, such as a file's or kernel's name:
// without escape sequences, with line breaks and tabs as spaces, and without the
// characters that reorder what stands beside them.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case reorders(r):
			return -1
		}
		return r
	}, Strip(s))
}

// reorders tells bidirectional controls, with which a text shows other than it is.
func reorders(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f'
}

// Visible returns one line of source text with its control characters as pictures (␛) and
// its tabs as spaces up to the next multiple of tab. What the reader sees is what would run.
func Visible(line string, tab int) string {
	if isPlain([]byte(line)) {
		return line
	}
	var b strings.Builder
	col := 0
	for _, r := range line {
		w := 1
		switch {
		case r == '\t':
			w = tab - col%tab
			b.WriteString(strings.Repeat(" ", w))
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case r > 0x7f && r < 0xa0 || reorders(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
			if r >= 0x300 {
				w = Width(string(r))
			}
		}
		col += w
	}
	return b.String()
}

// Width returns how many cells a text takes, SGR sequences not counted.
func Width(s string) int {
	w, _ := measure([]byte(s))
	return w
}

// Truncate returns plain text cut to a width in cells, with "…" where something is cut.
func Truncate(s string, width int) string {
	if len(s) <= width || Width(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	b, at, col := []byte(s), 0, 0
	for {
		n, w := cluster(b[at:])
		if col+w > width-1 {
			return s[:at] + "…"
		}
		at += n
		col += w
	}
}
