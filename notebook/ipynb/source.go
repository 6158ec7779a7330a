package ipynb

import (
	"bytes"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// piece is one stretch of a source as the file spells it: an element of its list, or a
// line of its one string.
type piece struct {
	text string // decoded, with \n line ends
	raw  []byte // the token's inside, without quotes
	crlf bool   // it ends in \r\n
}

func newPiece(raw []byte) piece {
	text, _ := rawjson.Value(`"` + string(raw) + `"`).Text()
	return piece{text: newlines(text), raw: raw, crlf: strings.HasSuffix(text, "\r\n")}
}

// source writes text in place of old, which is nil for a cell that had none. What old
// was – a string or a list, and how the list was laid out – it stays; lines that did not
// change keep their spelling.
func (w *writer) source(old rawjson.Value, text string, l layout) {
	switch old.Kind() {
	case rawjson.String:
		var b []byte
		b = append(b, '"')
		for _, p := range w.respell(pieces(old), text) {
			b = append(b, p...)
		}
		b = append(b, '"')
		if newlines(rawjson.Value(b).Str()) != text {
			b = w.encode(b[:0], text)
		}
		w.raw(b)
	case rawjson.Array:
		w.sourceList(old, text, l)
	default:
		w.lines(text, l)
	}
}

func (w *writer) sourceList(old rawjson.Value, text string, l layout) {
	open, sep, end, ok := gaps(old)
	if !ok {
		w.lines(text, l)
		return
	}
	if sep == "" {
		sep = "," + open
		if !strings.Contains(open, "\n") {
			sep = l.comma
		}
	}
	lines := w.respell(pieces(old), text)
	if joined(lines) != text {
		lines = nil
		for _, line := range splitLines(text) {
			b := w.encode(nil, line)
			lines = append(lines, b[1:len(b)-1])
		}
	}
	if len(lines) == 0 {
		w.str("[]")
		return
	}
	w.str("[" + open)
	for i, line := range lines {
		if i > 0 {
			w.str(sep)
		}
		w.str(`"`)
		w.raw(line)
		w.str(`"`)
	}
	w.str(end + "]")
}

func joined(lines [][]byte) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(rawjson.Value(`"` + string(line) + `"`).Str())
	}
	return newlines(b.String())
}

// gaps returns what stands before the first element of a list, between two, and after
// the last; ok is false for an empty list, sep "" where there is one element.
func gaps(v rawjson.Value) (open, sep, end string, ok bool) {
	var spans []span
	r := rawjson.Reader{Data: v}
	err := r.Array(func(int) error {
		start := r.Pos
		_, err := r.Skip()
		spans = append(spans, span{start, r.Pos})
		return err
	})
	if err != nil || len(spans) == 0 {
		return "", "", "", false
	}
	open = string(v[1:spans[0].start])
	end = string(v[spans[len(spans)-1].end : r.Pos-1])
	if len(spans) > 1 {
		sep = string(v[spans[0].end:spans[1].start])
	}
	return open, sep, end, true
}

// pieces cuts a source into what can be reused.
func pieces(v rawjson.Value) []piece {
	var out []piece
	if v.Kind() == rawjson.Array {
		for _, e := range v.Elements() {
			if e.Kind() == rawjson.String {
				out = append(out, newPiece(e[1:len(e)-1]))
			}
		}
		return out
	}
	if v.Kind() != rawjson.String {
		return nil
	}
	raw := []byte(v[1 : len(v)-1])
	start := 0
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] == 'n' {
			out = append(out, newPiece(raw[start:i+1]))
			start = i + 1
		}
	}
	if start < len(raw) {
		out = append(out, newPiece(raw[start:]))
	}
	return out
}

// respell returns the token insides for text, taking those of old wherever they say the same.
func (w *writer) respell(old []piece, text string) [][]byte {
	head := 0
	for head < len(old) && strings.HasSuffix(old[head].text, "\n") && strings.HasPrefix(text, old[head].text) {
		text = text[len(old[head].text):]
		head++
	}
	tail := len(old)
	for tail > head && old[tail-1].text != "" && strings.HasSuffix(text, old[tail-1].text) {
		rest := text[:len(text)-len(old[tail-1].text)]
		if rest != "" && !strings.HasSuffix(rest, "\n") {
			break
		}
		text = rest
		tail--
	}
	var out [][]byte
	for _, p := range old[:head] {
		out = append(out, p.raw)
	}
	out = w.middle(out, old, old[head:tail], text)
	for _, p := range old[tail:] {
		out = append(out, p.raw)
	}
	return out
}

// middle spells text line by line; changed are the pieces it replaces.
func (w *writer) middle(out [][]byte, all, changed []piece, text string) [][]byte {
	if text == "" {
		return out
	}
	known := make(map[string][]byte, len(changed))
	for _, p := range changed {
		known[p.text] = p.raw
	}
	eol := "\n"
	for _, p := range all {
		if strings.HasSuffix(p.text, "\n") {
			if p.crlf {
				eol = "\r\n"
			}
			break
		}
	}
	for line := range strings.Lines(text) {
		if raw, ok := known[line]; ok {
			out = append(out, raw)
			continue
		}
		for _, part := range splitLines(line) {
			if body, ended := strings.CutSuffix(part, "\n"); ended {
				part = body + eol
			}
			b := w.encode(nil, part)
			out = append(out, b[1:len(b)-1])
		}
	}
	return out
}

// sameText tells whether v already says text, so that writing it would change nothing.
func sameText(v rawjson.Value, text string) bool {
	if v == nil || bytes.Equal(v, []byte("null")) {
		return text == ""
	}
	return newlines(sourceText(v)) == text
}
