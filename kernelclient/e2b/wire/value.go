package wire

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// ErrNotObject says that a line is JSON, but no object.
var ErrNotObject = errors.New("the line is no JSON object")

// AppendValue appends v as the code interpreter writes it: in one line, a space after each
// comma and colon, ASCII alone. Numbers keep their spelling. v must be valid JSON.
func AppendValue(dst []byte, v rawjson.Value) []byte {
	for i := 0; i < len(v); {
		switch c := v[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case ',', ':':
			dst = append(dst, c, ' ')
			i++
		case '"':
			n := stringEnd(v[i:])
			dst = appendASCII(dst, v[i:i+n])
			i += n
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// appendText appends s as a JSON string of ASCII.
func appendText(dst []byte, s string) []byte { return appendASCII(dst, rawjson.Quote(s)) }

// stringEnd is the length of the string that v begins with, its quotes included.
func stringEnd(v []byte) int {
	for i := 1; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(v)
}

// appendASCII appends JSON text with everything that is not printable ASCII escaped. Its
// escapes stay, but for \/, which Python never writes.
func appendASCII(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			if text[i+1] != '/' {
				dst = append(dst, c)
			}
			dst = append(dst, text[i+1])
			i += 2
		case c >= 0x20 && c < 0x7f:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			if r >= 0x10000 {
				high, low := utf16.EncodeRune(r)
				dst = appendEscape(appendEscape(dst, high), low)
			} else {
				dst = appendEscape(dst, r)
			}
			i += n
		}
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
