package rawjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a string value; ok is false where v is no string. A lone surrogate
// (\ud83d without its other half, which Python writes) becomes its three-byte form
// (ED A0 BD), which is no UTF-8 but comes back unharmed from AppendString. Bytes that
// are no UTF-8 and escapes that JSON does not know stay as they are.
func (v Value) Text() (s string, ok bool) {
	if v.Kind() != String || len(v) < 2 {
		return "", false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	return string(v.AppendText(make([]byte, 0, len(v)-2))), true
}

// AppendText appends what a string value says to dst, see Text; nothing where v is no string.
func (v Value) AppendText(dst []byte) []byte {
	if v.Kind() != String || len(v) < 2 {
		return dst
	}
	body := v[1 : len(v)-1]
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		var n int
		dst, n = appendEscape(dst, body[i:])
		body = body[i+n:]
	}
}

// appendEscape decodes the escape that esc begins with and says how many bytes it took.
func appendEscape(dst, esc []byte) ([]byte, int) {
	if len(esc) < 2 {
		return append(dst, esc...), len(esc)
	}
	switch esc[1] {
	case '"', '\\', '/':
		return append(dst, esc[1]), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		u, ok := hex4(esc[2:])
		if !ok {
			return append(dst, esc[:2]...), 2
		}
		if utf16.IsSurrogate(u) {
			if len(esc) >= 12 && esc[6] == '\\' && esc[7] == 'u' {
				if low, ok := hex4(esc[8:]); ok {
					if r := utf16.DecodeRune(u, low); r != utf8.RuneError {
						return utf8.AppendRune(dst, r), 12
					}
				}
			}
			return append(dst, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F), 6
		}
		return utf8.AppendRune(dst, u), 6
	}
	return append(dst, esc[:2]...), 2
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// surrogate reports whether s begins with the three-byte form of a lone surrogate, and which.
func surrogate(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

const hexDigits = "0123456789abcdef"

// AppendString writes s as a JSON string with its quotes, spelled as Python's json.dumps
// spells it: short escapes for \b \f \n \r \t, \u00XX for other control characters, and,
// where ascii is set, \uXXXX (pairs above U+FFFF) for all that is not ASCII. Lone
// surrogates are always escaped; other bytes that are no UTF-8 go out as they are.
func AppendString(dst []byte, s string, ascii bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && c != 0x7F {
				i++
				continue
			}
			dst = appendControl(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if u, ok := surrogate(s[i:]); ok {
				dst = appendU(append(dst, s[start:i]...), u)
				i += 3
				start = i
				continue
			}
			i++
			continue
		}
		if ascii {
			dst = append(dst, s[start:i]...)
			if r > 0xFFFF {
				hi, lo := utf16.EncodeRune(r)
				dst = appendU(appendU(dst, hi), lo)
			} else {
				dst = appendU(dst, r)
			}
			start = i + n
		}
		i += n
	}
	return append(append(dst, s[start:]...), '"')
}

func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case 0x7F:
		return append(dst, c) // json.dumps leaves DEL alone
	}
	return appendU(dst, rune(c))
}

func appendU(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// Quote is AppendString into a new Value.
func Quote(s string) Value { return AppendString(nil, s, false) }
