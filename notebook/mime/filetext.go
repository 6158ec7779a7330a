package mime

import (
	"bytes"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// lazyText is the size in a file from which on a text stays there as JSON: its chunks are
// decoded whenever they are read, so that it is not held twice.
const lazyText = 1 << 20

// textOfJSON returns the text that v says, nbformat's multi-line string. It shares v.
func textOfJSON(v rawjson.Value) *Text {
	if len(v) < lazyText || v.Kind() != rawjson.Array {
		return TextOf(JoinText(v))
	}
	t := NewText(nil)
	t.version = 1
	var c chunk
	var text []byte
	r := rawjson.Reader{Data: v, Pos: 1}
	for start := r.Pos; ; {
		e := r.Element()
		if e != nil {
			text = e.AppendText(text[:0])
			c.n += len(text)
			c.lines += bytes.Count(text, []byte{'\n'})
			c.json = v[start:r.Pos]
		}
		if c.n > 0 && (e == nil || c.n >= chunkSize) {
			t.chunks = append(t.chunks, c)
			t.size += int64(c.n)
			start, c = r.Pos, chunk{}
		}
		if e == nil {
			return t
		}
	}
}

// decode appends what a chunk of JSON says to dst.
func (c chunk) decode(dst []byte) []byte {
	r := rawjson.Reader{Data: c.json}
	for e := r.Element(); e != nil; e = r.Element() {
		dst = e.AppendText(dst)
	}
	return dst
}

// Lines is how many line ends the text has. It costs reading all that came from a kernel,
// and next to nothing for a large text of a file.
func (v View) Lines() (n int, err error) {
	for _, c := range v.chunks {
		if c.json != nil {
			n += c.lines
			continue
		}
		if err := (View{spill: v.spill, chunks: []chunk{c}}).Chunks(0, func(p []byte) error {
			n += bytes.Count(p, []byte{'\n'})
			return nil
		}); err != nil {
			return n, err
		}
	}
	return n, nil
}
