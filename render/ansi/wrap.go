package ansi

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A stored line is text with absolute SGR sequences (Style.appendTo), without any other
// control characters; it starts in the reset state and is valid UTF-8.

// Look says how stored lines are drawn.
type Look struct {
	Base    Style // for text that has no style of its own
	NoColor bool  // draw attributes only
}

func (l Look) style(s Style) Style {
	if l.NoColor {
		s = s.WithoutColor()
	}
	return s.Over(l.Base)
}

// isPlain tells whether every byte of line is one cell: printable ASCII.
func isPlain(line []byte) bool {
	for _, c := range line {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// sequenceEnd returns where the SGR sequence at the start of b ends.
func sequenceEnd(b []byte) int {
	if i := bytes.IndexByte(b, 'm'); i >= 0 {
		return i + 1
	}
	return len(b)
}

// cluster returns the length in bytes and the width in cells of the first character of b, which is no escape.
func cluster(b []byte) (n, width int) {
	n, width = simple(b)
	if n == len(b) || n > 0 && (b[n] < 0x80 || followsAlone(b[n:])) {
		return n, width
	}
	g, w := ansi.FirstGraphemeCluster(b, ansi.GraphemeWidth)
	if i := bytes.IndexByte(g, 0x1b); i > 0 {
		g = g[:i]
	}
	return len(g), min(w, 2)
}

// simple returns the size and width of the first character of b if it is one of the many
// that need no tables to tell, else 0. No character of these joins the one before it.
func simple(b []byte) (n, width int) {
	if b[0] < 0x80 {
		return 1, 1
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case r >= 0xae && r <= 0x2ff, // Latin
		r >= 0x391 && r <= 0x482,   // Greek, Cyrillic
		r >= 0x2500 && r <= 0x259f: // box drawing, blocks
		return n, 1
	case r >= 0x30a1 && r <= 0x30fa, // Katakana
		r >= 0x4e00 && r <= 0x9fff, // Han
		r >= 0xac00 && r <= 0xd7a3: // Hangul syllables
		return n, 2
	}
	return 0, 0
}

func followsAlone(b []byte) bool {
	n, _ := simple(b)
	return n > 0
}

// measure returns the width of a stored line and whether it has characters of two cells.
func measure(line []byte) (width int, wide bool) {
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == 0x1b:
			i += sequenceEnd(line[i:])
		case c < 0x7f && (i+1 == len(line) || line[i+1] < 0x80):
			i++
			width++
		default:
			n, w := cluster(line[i:])
			i += n
			width += w
			wide = wide || w > 1
		}
	}
	return width, wide
}

// rowsOf returns how many rows a line of a width takes. It is exact unless the line has
// wide characters and does not fit, where it may be too small.
func rowsOf(lineWidth, width int) int {
	if lineWidth <= width {
		return 1
	}
	return (lineWidth + width - 1) / width
}

// countRows wraps a line and returns the exact number of its rows.
func countRows(line []byte, width int) int {
	rows, col := 1, 0
	for i := 0; i < len(line); {
		if line[i] == 0x1b {
			i += sequenceEnd(line[i:])
			continue
		}
		n, w := cluster(line[i:])
		i += n
		if w = min(w, width); col+w > width {
			rows++
			col = 0
		}
		col += w
	}
	return rows
}

// appendRows wraps a line at width and appends the rows from the skip-th on, at most n, to rows.
func appendRows(rows []string, line []byte, width, skip, n int, look Look) []string {
	if look.Base == (Style{}) && isPlain(line) {
		return appendPlainRows(rows, line, width, skip, n)
	}
	d := drawer{rows: rows, look: look, width: width, skip: skip, left: n}
	var cur Style
	for i := 0; i < len(line) && d.left > 0; {
		if line[i] == 0x1b {
			end := i + sequenceEnd(line[i:])
			cur = Style{}
			if end-i > 3 {
				cur.apply(line[i+2 : end-1])
			}
			i = end
			continue
		}
		k, w := cluster(line[i:])
		d.put(line[i:i+k], w, look.style(cur))
		i += k
	}
	if d.left > 0 {
		d.endRow()
	}
	return d.rows
}

func appendPlainRows(rows []string, line []byte, width, skip, n int) []string {
	if len(line) == 0 && skip == 0 && n > 0 {
		return append(rows, "")
	}
	for at := skip * width; n > 0 && at < len(line); n-- {
		rows = append(rows, string(line[at:min(at+width, len(line))]))
		at += width
	}
	return rows
}

// drawer builds rows out of characters.
type drawer struct {
	rows       []string
	look       Look
	width      int
	skip, left int
	row        []byte
	col        int
	on         Style // what the row's end is drawn in
}

func (d *drawer) put(text []byte, w int, s Style) {
	if w > d.width { // a wide character where only one cell is
		text, w = []byte("?"), 1
	}
	if d.col+w > d.width {
		if d.endRow(); d.left == 0 {
			return
		}
	}
	d.col += w
	if d.skip > 0 {
		return
	}
	if s != d.on {
		if d.on == (Style{}) {
			d.row = s.appendOn(d.row)
		} else {
			d.row = s.appendTo(d.row)
		}
		d.on = s
	}
	d.row = append(d.row, text...)
}

func (d *drawer) endRow() {
	d.col = 0
	if d.skip > 0 {
		d.skip--
		return
	}
	if d.on != (Style{}) {
		d.row = append(d.row, "\x1b[m"...)
		d.on = Style{}
	}
	d.rows = append(d.rows, string(d.row))
	d.row = d.row[:0]
	d.left--
}
