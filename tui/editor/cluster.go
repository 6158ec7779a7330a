package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A cluster is a grapheme cluster. Moving and drawing must agree on where clusters begin
// and how wide they are, so both ask here, and here it is done as rooms that draw do it.

// cluster returns the length in bytes and the width in cells of the first cluster of s,
// which is not empty. A tab's width depends on where it stands and is 1 here.
func cluster(s string) (n, width int) {
	c := s[0]
	if c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if r, size := utf8.DecodeRuneInString(g); size == len(g) && picture(r) != 0 {
		return len(g), 1
	}
	return len(g), min(w, 2)
}

// picture returns what is drawn for a character that may not reach the terminal, 0 for
// all others.
func picture(r rune) rune {
	switch {
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return '␡'
	case r == utf8.RuneError, r > 0x7f && r < 0xa0,
		r >= '\u2028' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f':
		return utf8.RuneError
	}
	return 0
}

// snapByte returns at, or the next boundary of line behind it.
func snapByte(line string, at int) int {
	if at >= len(line) {
		return len(line)
	}
	if at <= 0 || line[at-1] < utf8.RuneSelf && line[at] < utf8.RuneSelf {
		return max(at, 0)
	}
	i := safeBefore(line, at)
	for i < at {
		n, _ := cluster(line[i:])
		i += n
	}
	return i
}

// safeBefore returns a boundary not behind at: one between two ASCII characters always is.
func safeBefore(line string, at int) int {
	for i := at; i > 0; i-- {
		if i < len(line) && line[i-1] < utf8.RuneSelf && line[i] < utf8.RuneSelf {
			return i
		}
	}
	return 0
}

// nextByte returns the boundary behind at, which must not be the line's end.
func nextByte(line string, at int) int {
	n, _ := cluster(line[at:])
	return at + n
}

// prevByte returns the boundary before at, which must not be 0.
func prevByte(line string, at int) int {
	i := safeBefore(line, at-1)
	for {
		n, _ := cluster(line[i:])
		if i+n >= at {
			return i
		}
		i += n
	}
}

// class sorts clusters for movement by the word.
type class uint8

const (
	blank class = iota
	word
	mark
)

func classOf(cluster string) class {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case unicode.IsSpace(r):
		return blank
	case isWord(r):
		return word
	}
	return mark
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// wordEnd returns the end of the next word of line at or behind at; the line's end if there is none.
func wordEnd(line string, at int) int {
	at = skip(line, at, blank)
	if at == len(line) {
		return at
	}
	return skip(line, at, classOf(line[at:]))
}

func skip(line string, at int, c class) int {
	for at < len(line) && classOf(line[at:]) == c {
		at = nextByte(line, at)
	}
	return at
}

// wordStart returns the start of the word of line before at; 0 if there is none.
func wordStart(line string, at int) int {
	at = skipBack(line, at, blank)
	if at == 0 {
		return 0
	}
	return skipBack(line, at, classOf(line[prevByte(line, at):]))
}

// skipBack returns where the run of a class that ends at at begins. It reads each stretch
// once: a long line of one script has no boundary that can be told without its start.
func skipBack(line string, at int, c class) int {
	for at > 0 {
		from := safeBefore(line, at-1)
		run := -1
		for i := from; i < at; {
			if classOf(line[i:]) != c {
				run = -1
			} else if run < 0 {
				run = i
			}
			i = nextByte(line, i)
		}
		switch run {
		case from:
			at = from
			continue
		case -1:
			return at
		}
		return run
	}
	return at
}

// indentOf is the length of the blanks that line starts with.
func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

func isBlank(line string) bool { return indentOf(line) == len(line) }
