package ipynb

import "unicode/utf8"

// lineEnd returns where the first line of s ends, its line end included, or -1. What
// ends a line is Python's str.splitlines, which nbformat splits texts with. A \r as the
// very last byte counts only where last says that no more text follows.
func lineEnd(s string, last bool) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c > 0x1E && c < 0xC2:
		case c == '\r':
			switch {
			case i+1 < len(s) && s[i+1] == '\n':
				return i + 2
			case i+1 < len(s) || last:
				return i + 1
			}
			return -1
		case c >= '\n' && c <= '\f', c >= 0x1C && c <= 0x1E:
			return i + 1
		case c == 0xC2 && i+1 < len(s) && s[i+1] == 0x85:
			return i + 2
		case c == 0xE2 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0xA8 || s[i+2] == 0xA9):
			return i + 3
		}
	}
	return -1
}

// splitLines is Python's str.splitlines(keepends=True).
func splitLines(s string) []string {
	var lines []string
	for len(s) > 0 {
		n := lineEnd(s, true)
		if n < 0 {
			n = len(s)
		}
		lines = append(lines, s[:n])
		s = s[n:]
	}
	return lines
}

// lines writes text as a list of its lines.
func (w *writer) lines(text string, l layout) {
	s := list{w: w, l: l}
	for _, line := range splitLines(text) {
		s.begin()
		w.quoted(line)
	}
	s.end()
}

// lineList writes a list of lines from pieces of text that break anywhere. It holds
// back only what may be half of a character or of a line end.
type lineList struct {
	list
	open bool // within an element
	rest []byte
}

// piece adds text. p may change afterwards.
func (s *lineList) piece(p []byte) {
	if len(s.rest) > 0 {
		p = append(s.rest, p...)
		s.rest = nil
	}
	text := string(p)
	for len(text) > 0 {
		n := lineEnd(text, false)
		if n < 0 {
			break
		}
		s.part(text[:n])
		s.closeLine()
		text = text[n:]
	}
	hold := held(text)
	s.part(text[:len(text)-hold])
	s.rest = append([]byte(nil), text[len(text)-hold:]...)
}

// held is how many bytes at the end of s wait for the next piece.
func held(s string) int {
	if len(s) > 0 && s[len(s)-1] == '\r' {
		return 1
	}
	for n := 1; n <= min(3, len(s)); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if tail[0] >= utf8.RuneSelf && (!utf8.FullRuneInString(tail) || tail[0] == 0xED && n < 3) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (s *lineList) part(text string) {
	if text == "" {
		return
	}
	if !s.open {
		s.begin()
		s.w.str(`"`)
		s.open = true
	}
	s.w.inner(text)
}

func (s *lineList) closeLine() {
	if s.open {
		s.w.str(`"`)
		s.open = false
	}
}

// finish ends the last line and the list.
func (s *lineList) finish() {
	for rest := string(s.rest); rest != ""; {
		n := lineEnd(rest, true)
		if n < 0 {
			s.part(rest)
			break
		}
		s.part(rest[:n])
		s.closeLine()
		rest = rest[n:]
	}
	s.closeLine()
	s.end()
}
