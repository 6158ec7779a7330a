package table

import (
	"math"
	"strings"
)

// Table is a grid of texts: rows of a header, then those of the body.
type Table struct {
	Caption string
	Uncut   bool // no text is cut where all columns have room

	rows   [][]*cell // all of cols cells; a cell that spans columns stands in each
	header int       // how many rows are the header
	index  int       // how many columns at the left name the rows
	cols   int
	right  []bool // columns of numbers
	widths []int  // of columns, as wide as their texts
}

// cell is one text and the columns it spans.
type cell struct {
	text     string
	width    int
	side     side
	from, to int
	head     bool // <th>
}

// side is where a text stands in its column.
type side uint8

const (
	unsaid side = iota // numbers at the right, others at the left
	left
	center
	right
)

// Width is how wide the table is, in cells of the screen, where no text is cut.
func (t *Table) Width() int { return total(t.columns(0, t.cols, math.MaxInt)) }

// table is the Table of the grid, nil if it has no cells.
func (g *grid) table() *Table {
	if g.cols == 0 || g.cols*len(g.rows) > maxCells {
		return nil
	}
	t := &Table{Caption: g.caption, cols: g.cols, right: make([]bool, g.cols), widths: make([]int, g.cols)}
	for i, row := range g.rows {
		for len(row) < g.cols {
			row = append(row, &cell{from: len(row), to: len(row) + 1, head: i < len(g.head) && g.head[i]})
		}
		if g.head[i] && t.header == i {
			t.header++
		}
		t.rows = append(t.rows, row)
	}
	for t.index < t.cols-1 && t.isIndex(t.index) {
		t.index++
	}
	for c := range t.cols {
		t.right[c] = t.isNumeric(c)
	}
	t.measure()
	return t
}

func (t *Table) body() [][]*cell { return t.rows[t.header:] }

func (t *Table) isIndex(col int) bool {
	for _, row := range t.body() {
		if !row[col].head {
			return false
		}
	}
	return len(t.body()) > 0
}

// isNumeric tells columns whose texts are all numbers, or words for none.
func (t *Table) isNumeric(col int) bool {
	numbers := false
	for _, row := range t.body() {
		switch text := row[col].text; {
		case text == "" || missing(text):
		case isNumber(text):
			numbers = true
		default:
			return false
		}
	}
	return numbers
}

func missing(text string) bool {
	switch text {
	case "NaN", "nan", "NA", "<NA>", "None", "NaT", "null", "inf", "-inf", "...", "…", "-", "–":
		return true
	}
	return false
}

func isNumber(text string) bool {
	text = strings.TrimLeft(text, "+-−$€£¥ ")
	digits := 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case digits == 0 && r != '.':
			return false
		case !strings.ContainsRune(".,_ eE+-jJ%", r):
			return false
		}
	}
	// A date is digits and dashes too.
	return digits > 0 && strings.Count(text, "-") < 2
}

// measure gives each column the width of its longest text, and the last of those that a
// text spans what that lacks.
func (t *Table) measure() {
	for _, row := range t.rows {
		for c, e := range row {
			if e.to-e.from == 1 {
				t.widths[c] = max(t.widths[c], e.width)
			}
		}
	}
	for _, row := range t.rows {
		for c := 0; c < t.cols; c = max(row[c].to, c+1) {
			if e := row[c]; e.to-e.from > 1 {
				have := gap * (e.to - e.from - 1)
				for _, w := range t.widths[e.from:e.to] {
					have += w
				}
				t.widths[e.to-1] += max(e.width-have, 0)
			}
		}
	}
}
