package jupyter

import "unicode/utf8"

// The protocol counts positions in Unicode code points of the text that a kernel reads
// ("complete_request"), which is the text as quote sends it: a lone surrogate is one code
// point, and a run of bytes that are no UTF-8 is one U+FFFD.

// next is how many bytes of s its first code point takes. s is not empty.
func next(s string) int {
	if n := known(s); n > 0 {
		return n
	}
	n := 1
	for n < len(s) && known(s[n:]) == 0 {
		n++
	}
	return n
}

// known is the size of the code point that s begins with, 0 for a byte that is no UTF-8.
func known(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n != 1 {
		return n
	}
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return 3
	}
	return 0
}

// points is how many code points lie before the byte at. A place within one is its start.
func points(s string, at int) int {
	n := 0
	for i := 0; i < len(s); n++ {
		if i += next(s[i:]); i > at {
			break
		}
	}
	return n
}

// offset is the byte where the code point number n begins, at most the end of s.
func offset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += next(s[i:])
	}
	return i
}
