package ansi

import (
	"unicode/utf8"
)

// maxLine is how many bytes, styles included, one stored line may have. A longer line
// goes on in the next one, so that no single step ever handles more than this.
const maxLine = 64 << 10

// line is one of the newest lines, which the cursor can still reach.
type line struct {
	text     []byte // a stored line
	tail     Style  // in force at its end
	width    int
	wide     bool
	measured bool // width and wide are right

	piece []byte // text is piece[at:at+len(text)], if not nil
	at    int
}

func (l *line) clear() {
	if cap(l.text) > 1024 { // do not let hundreds of long lines pin their memory
		l.text = nil
	}
	*l = line{text: l.text[:0], measured: true}
}

// append adds p, which may be a part of piece.
func (l *line) append(p []byte, s Style, ascii bool, piece []byte) {
	if l.piece = nil; len(l.text) == 0 && s == (Style{}) && l.tail == s {
		if at := cap(piece) - cap(p); len(p) > 0 && at >= 0 && at+len(p) <= len(piece) && &piece[at] == &p[0] {
			l.piece, l.at = piece, at
		}
	}
	if s != l.tail {
		l.text = s.appendTo(l.text)
		l.tail = s
	}
	l.text = append(l.text, p...)
	l.width += len(p)
	l.measured = l.measured && ascii
}

func (l *line) measure() int {
	if !l.measured {
		l.width, l.wide = measure(l.text)
		l.measured = true
	}
	return l.width
}

func (l *line) rows(width int) int {
	w := l.measure()
	if l.wide && w > width {
		return countRows(l.text, width)
	}
	return rowsOf(w, width)
}

// cutBefore returns how many bytes of p, at most room, may go into a line before it
// breaks: preferably before an ASCII character, which always starts a new cluster.
func cutBefore(p []byte, room int) int {
	for n := room; n > max(0, room-64); n-- {
		if p[n] < 0x80 {
			return n
		}
	}
	for n := room; n > 0; n-- {
		if utf8.RuneStart(p[n]) {
			return n
		}
	}
	return 0
}

// cell is one column of a line that is being edited. A wide character has an empty cell behind it.
type cell struct {
	text  string
	style Style
}

const asciiText = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

func cellText(b []byte) string {
	if len(b) == 1 && b[0] >= 0x20 && b[0] < 0x7f {
		return asciiText[b[0]-0x20 : b[0]-0x20+1]
	}
	return string(b)
}

// expand appends the cells of a stored line to cells.
func expand(cells []cell, text []byte) []cell {
	var cur Style
	for i := 0; i < len(text); {
		if text[i] == 0x1b {
			end := i + sequenceEnd(text[i:])
			cur = Style{}
			if end-i > 3 {
				cur.apply(text[i+2 : end-1])
			}
			i = end
			continue
		}
		n, w := cluster(text[i:])
		cells, _ = overwrite(cells, len(cells), text[i:i+n], w, cur)
		i += n
	}
	return cells
}

// maxCluster bounds how many bytes of marks pile up on one cell.
const maxCluster = 64

// overwrite puts one character of width w at column col, which is at most len(cells), and
// returns the column behind it.
func overwrite(cells []cell, col int, text []byte, w int, s Style) ([]cell, int) {
	if w == 0 {
		if at := col - 1; at >= 0 {
			for at > 0 && cells[at].text == "" {
				at--
			}
			if len(cells[at].text) < maxCluster {
				cells[at].text += string(text)
			}
		}
		return cells, col
	}
	split(cells, col)
	for i := range w {
		c := cell{style: s}
		if i == 0 {
			c.text = cellText(text)
		}
		if col+i < len(cells) {
			split(cells, col+i+1)
			cells[col+i] = c
		} else {
			cells = append(cells, c)
		}
	}
	return cells, col + w
}

// split turns a wide character that col would cut in two into spaces.
func split(cells []cell, col int) {
	if col > 0 && col < len(cells) && cells[col].text == "" {
		cells[col-1].text, cells[col].text = " ", " "
	}
}

// collapse makes a stored line of cells.
func (l *line) collapse(cells []cell) {
	l.clear()
	for _, c := range cells {
		if c.style != l.tail {
			l.text = c.style.appendTo(l.text)
			l.tail = c.style
		}
		l.text = append(l.text, c.text...)
	}
	l.measured = false
}
