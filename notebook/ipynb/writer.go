package ipynb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// writer is a buffered writer that keeps its first error, so that the code that lays
// out JSON need not look at it.
type writer struct {
	w     *bufio.Writer
	err   error
	ascii func() bool // whether this file escapes all that is not ASCII
	buf   []byte      // scratch
}

func newWriter(w io.Writer, ascii func() bool) *writer {
	return &writer{w: bufio.NewWriterSize(w, 64<<10), ascii: ascii}
}

func (w *writer) raw(p []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(p)
	}
}

func (w *writer) str(s string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
}

// quoted writes s as a JSON string.
func (w *writer) quoted(s string) {
	w.buf = w.encode(w.buf[:0], s)
	w.raw(w.buf)
}

// inner writes s as part of a JSON string, without quotes.
func (w *writer) inner(s string) {
	n := plain(s)
	w.str(s[:n])
	if n == len(s) {
		return
	}
	w.buf = w.encode(w.buf[:0], s[n:])
	w.raw(w.buf[1 : len(w.buf)-1])
}

// plain is how many bytes at the start of s stand for themselves in any JSON string.
func plain(s string) int {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

func (w *writer) encode(dst []byte, s string) []byte {
	return rawjson.AppendString(dst, s, !isASCII(s) && w.ascii())
}

func (w *writer) flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// escapes tells whether a text spells what is not ASCII as \uXXXX: it has such escapes
// and no byte that is not ASCII.
func escapes(data []byte) bool {
	data = bytes.TrimPrefix(data, bom)
	const high = 0x8080808080808080 // eight bytes at a time: files are big
	words := data[:len(data)&^7]
	for ; len(words) > 0; words = words[8:] {
		if binary.LittleEndian.Uint64(words)&high != 0 {
			return false
		}
	}
	if !isASCII(string(data[len(data)&^7:])) {
		return false
	}
	for {
		i := bytes.Index(data, []byte(`\u`))
		if i < 0 || i+6 > len(data) {
			return false
		}
		slashes := 0
		for i > slashes && data[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 && string(data[i+2:i+6]) >= "0080" { // digits sort before letters
			return true
		}
		data = data[i+2:]
	}
}
