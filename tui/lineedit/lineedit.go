// Package lineedit edits one line of text: what a user types for input(). It moves and
// deletes by whole characters as people see them (grapheme clusters) and knows nothing
// of keys or terminals.
package lineedit

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Line is one line of text and a cursor. The zero Line is empty. One goroutine owns it.
type Line struct {
	before, after string // around the cursor
}

// String is the text.
func (l *Line) String() string { return l.before + l.after }

// Parts is the text before and after the cursor.
func (l *Line) Parts() (before, after string) { return l.before, l.after }

// Insert puts text at the cursor. Line ends become spaces, other control characters go:
// a paste cannot send the line, and nothing typed here can drive the terminal.
func (l *Line) Insert(text string) {
	l.before += strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// Backspace deletes the character before the cursor, Delete the one after it.
func (l *Line) Backspace() { l.before = l.before[:l.lastStart()] }

// Delete deletes the character after the cursor.
func (l *Line) Delete() { l.after = l.after[firstLen(l.after):] }

// Left and Right move the cursor by one character.
func (l *Line) Left() {
	at := l.lastStart()
	l.before, l.after = l.before[:at], l.before[at:]+l.after
}

// Right moves the cursor one character on.
func (l *Line) Right() {
	n := firstLen(l.after)
	l.before, l.after = l.before+l.after[:n], l.after[n:]
}

// Home and End move the cursor to the ends.
func (l *Line) Home() { l.before, l.after = "", l.String() }

// End moves the cursor to the end.
func (l *Line) End() { l.before, l.after = l.String(), "" }

// KillBefore and KillAfter delete from the cursor to an end.
func (l *Line) KillBefore() { l.before = "" }

// KillAfter deletes what is after the cursor.
func (l *Line) KillAfter() { l.after = "" }

// KillWord deletes the word before the cursor and the blanks behind it.
func (l *Line) KillWord() {
	trimmed := strings.TrimRight(l.before, " ")
	l.before = trimmed[:strings.LastIndexByte(trimmed, ' ')+1]
}

// firstLen is the length of the first character of s in bytes.
func firstLen(s string) int {
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(first)
}

// lastStart is where the last character before the cursor begins.
func (l *Line) lastStart() int {
	at := 0
	for rest := l.before; rest != ""; {
		n := firstLen(rest)
		if n == len(rest) {
			return at
		}
		at += n
		rest = rest[n:]
	}
	return at
}
