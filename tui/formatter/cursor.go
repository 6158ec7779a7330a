package formatter

import (
	"unicode"
	"unicode/utf8"
)

// Moved is where a byte of a source is after formatting: beside the same letter of the same
// word. A formatter changes blanks, quotes and commas, but no words.
func Moved(source, formatted string, at int) int {
	at = max(0, min(at, len(source)))
	n := words(source[:at])
	if next, _ := utf8.DecodeRuneInString(source[at:]); inWord(next) {
		return nth(formatted, n+1, false)
	}
	if n == 0 {
		return min(at, len(formatted))
	}
	end := nth(formatted, n, true)
	// So many marks and blanks were behind the word; those that still are stay before it.
	for rest := source[nth(source, n, true):at]; rest != "" && end < len(formatted); {
		r, size := utf8.DecodeRuneInString(rest)
		f, fsize := utf8.DecodeRuneInString(formatted[end:])
		if rest = rest[size:]; r == f {
			end += fsize
		}
	}
	return end
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// words counts the characters of words.
func words(s string) (n int) {
	for _, r := range s {
		if inWord(r) {
			n++
		}
	}
	return n
}

// nth is the byte of the n-th character of words, or the one behind it.
func nth(s string, n int, behind bool) int {
	for i, r := range s {
		if !inWord(r) {
			continue
		}
		if n--; n == 0 {
			if behind {
				return i + utf8.RuneLen(r)
			}
			return i
		}
	}
	return len(s)
}
