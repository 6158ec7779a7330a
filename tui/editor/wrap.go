package editor

import (
	"sort"
	"strings"
)

// wordsLimit is the length from which on a line is wrapped without looking for words:
// nobody reads such a line, and it must not cost more than it has to.
const wordsLimit = 64 << 10

// keptLength is the length from which on the rows of the last line asked for are kept.
const keptLength = 4 << 10

// keptBreaks are the rows of a long line.
type keptBreaks struct {
	line   string
	cols   int
	breaks []int
}

// breaks returns the bytes of line at which its second and further rows begin; the last
// may be the line's end, where a blank took the last column and the cursor needs a row.
func (e *Editor) breaks(line string) []int {
	cols := e.view.cols
	// But for tabs, no character is wider than it has bytes.
	if len(line)+strings.Count(line, "\t")*(e.opt.TabWidth-1) <= cols {
		return nil
	}
	if len(line) < keptLength {
		return wrapLine(line, cols, e.opt.TabWidth)
	}
	if k := &e.view.kept; k.cols != cols || k.line != line {
		*k = keptBreaks{line, cols, wrapLine(line, cols, e.opt.TabWidth)}
	}
	return e.view.kept.breaks
}

// wrapLine breaks a line behind blanks, or where that would leave half of the row empty
// behind marks such as commas and brackets; a word that is longer than that is cut. A blank
// right behind a full row stands in the column that is left free for the cursor.
func wrapLine(line string, cols, tabWidth int) []int {
	var out []int
	words := len(line) <= wordsLimit
	if !words && isPlain(line) {
		for at := cols; at < len(line); at += cols {
			out = append(out, at)
		}
		return out
	}
	for r := (rowEnd{cols: cols}); r.at < len(line); {
		n, w := cluster(line[r.at:])
		blank := n == 1 && (line[r.at] == ' ' || line[r.at] == '\t')
		if blank && line[r.at] == '\t' {
			w = max(1, min(tabWidth-r.logical%tabWidth, cols-r.col))
		}
		w = min(w, cols)
		if r.col+w > cols {
			if blank {
				r.at += n
				r.logical += w
			} else if words {
				r.at = r.best()
			}
			out = append(out, r.at)
			r = rowEnd{cols: cols, start: r.at, at: r.at, logical: r.logical}
			continue
		}
		r.take(line, n, w, blank)
	}
	return out
}

// rowEnd looks for the end of a row.
type rowEnd struct {
	cols      int
	start, at int // bytes
	col       int
	logical   int  // column if the line were not wrapped
	text      bool // there is more than blanks

	blank, mark       int // the last places behind a blank and behind a mark; 0: none
	blankCol, markCol int
}

// take puts a character on the row.
func (r *rowEnd) take(line string, n, w int, blank bool) {
	c := line[r.at]
	r.at += n
	r.col += w
	r.logical += w
	switch {
	case blank && r.text:
		r.blank, r.blankCol = r.at, r.col
	case blank:
	default:
		r.text = true
		if c < 0x80 && strings.IndexByte(",;:)]}([{=/|&+-.", c) >= 0 {
			r.mark, r.markCol = r.at, r.col
		}
	}
}

// best is where the row ends for a character that has no room on it.
func (r *rowEnd) best() int {
	switch half := r.cols / 2; {
	case r.blank > r.start && (r.blankCol >= half || r.mark <= r.blank):
		return r.blank
	case r.mark > r.start && r.markCol >= half:
		return r.mark
	case r.blank > r.start:
		return r.blank
	}
	return r.at
}

// rowBytes returns where a row of a line with these breaks begins, and the row's end.
func rowBytes(line string, breaks []int, row int) (from, to int) {
	if row = min(row, len(breaks)); row > 0 {
		from = breaks[row-1]
	}
	if to = len(line); row < len(breaks) {
		to = breaks[row]
	}
	return from, to
}

// rowOfByte returns the row that a byte of a line with these breaks is on.
func rowOfByte(breaks []int, at int) int {
	return sort.Search(len(breaks), func(k int) bool { return breaks[k] > at })
}
