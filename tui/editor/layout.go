package editor

import (
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/themes"
)

// minText is how many columns of text there must be beside line numbers.
const minText = 4

// View says how an editor is drawn.
type View struct {
	Wrap    bool // long lines go on in the next row; else the text scrolls sideways
	Numbers bool // line numbers at the left
	Focused bool // the bracket pair at the cursor is shown
	Theme   themes.Theme
}

// view is how the text lies on the screen. Rows are counted for cols and wrap.
type view struct {
	View
	width  int // as last asked for
	gutter int // columns of the line numbers
	cols   int // columns of the text; one more is left for the cursor. 0: never drawn
	window int // columns beside the line numbers
	rows   sums
	total  int // rows of all lines, -1 if not known. For Wrap only
	left   int // first column shown. Without Wrap only
	styles *styles
}

// SetView sets how the editor is drawn.
func (e *Editor) SetView(v View) {
	w := &e.view
	if v.Wrap != w.Wrap {
		w.forget()
		w.left = 0
	}
	if w.styles == nil || v.Theme != w.Theme {
		w.styles = newStyles(&v.Theme)
	}
	w.View = v
}

// forget says that the rows of all lines have changed.
func (v *view) forget() {
	v.total = -1
	v.rows.cut(0)
}

// replaced says that the lines from … to-1, still in e, will be added ones.
func (v *view) replaced(e *Editor, from, to int, added []string) {
	if !v.Wrap || v.cols == 0 {
		return
	}
	v.rows.cut(from)
	if v.total < 0 {
		return
	}
	for _, l := range e.lines[from:to] {
		v.total -= e.rowsOf(l)
	}
	for _, l := range added {
		v.total += e.rowsOf(l)
	}
}

// layout fits the text into a width.
func (e *Editor) layout(width int) {
	v := &e.view
	v.width = max(width, 1)
	v.gutter = 0
	if v.Numbers {
		if g := max(len(strconv.Itoa(len(e.lines))), 2) + 1; v.width-g-1 >= minText {
			v.gutter = g
		}
	}
	v.window = v.width - v.gutter
	if cols := max(v.window-1, 1); cols != v.cols {
		v.cols = cols
		v.forget()
	}
}

// height is the number of rows as last laid out.
func (e *Editor) height() int {
	v := &e.view
	if !v.Wrap || v.cols == 0 {
		return len(e.lines)
	}
	if v.total < 0 {
		v.total = 0
		for _, l := range e.lines {
			v.total += e.rowsOf(l)
		}
	}
	return v.total
}

// cell is a column, or two, of a line as drawn. A tab is several cells.
type cell struct {
	from, to int // bytes of the line
	row, col int // row of the line; column of the row
	width    int
	part     int // of a tab
}

// walk goes over the cells of line until fn returns false, and returns where the line
// ends: a row and a column.
func (e *Editor) walk(line string, fn func(c cell) bool) (row, col int) {
	v := &e.view
	wrap := v.Wrap && v.cols > 0
	logical := 0 // column if the line were not wrapped: tab stops count from its start
	for i := 0; i < len(line); {
		n, w := cluster(line[i:])
		parts := 1
		if line[i] == '\t' && n == 1 {
			parts = e.opt.TabWidth - logical%e.opt.TabWidth
		}
		for part := range parts {
			if wrap {
				if w = min(w, v.cols); col+w > v.cols {
					row, col = row+1, 0
				}
			}
			if !fn(cell{i, i + n, row, col, w, part}) {
				return row, col
			}
			col += w
			logical += w
		}
		i += n
	}
	return row, col
}

// isPlain tells whether every byte of line is a cell of its own.
func isPlain(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// rowsOf returns how many rows line takes; for Wrap only.
func (e *Editor) rowsOf(line string) int {
	// But for tabs, no character is wider than it has bytes.
	if len(line)+strings.Count(line, "\t")*(e.opt.TabWidth-1) <= e.view.cols {
		return 1
	}
	if isPlain(line) {
		return max(1, (len(line)+e.view.cols-1)/e.view.cols)
	}
	row, _ := e.walk(line, func(cell) bool { return true })
	return row + 1
}

func (e *Editor) rowsAt(i int) int { return e.rowsOf(e.lines[i]) }

// unwrapped returns p's line and its column if the line were not wrapped.
func (e *Editor) unwrapped(p Pos) (y, col int) {
	line := e.lines[p.Line][:p.Byte]
	if isPlain(line) {
		return p.Line, len(line)
	}
	for i := 0; i < len(line); {
		n, w := cluster(line[i:])
		if line[i] == '\t' && n == 1 {
			w = e.opt.TabWidth - col%e.opt.TabWidth
		}
		col += w
		i += n
	}
	return p.Line, col
}

// rowCol returns the row of the whole drawing and its column where p is.
func (e *Editor) rowCol(p Pos) (y, col int) {
	v := &e.view
	if !v.Wrap || v.cols == 0 {
		return e.unwrapped(p)
	}
	y = v.rows.before(p.Line, e.rowsAt)
	line := e.lines[p.Line]
	if isPlain(line) {
		if p.Byte == len(line) && p.Byte > 0 { // behind the last row, never on one more
			return y + (p.Byte-1)/v.cols, (p.Byte-1)%v.cols + 1
		}
		return y + p.Byte/v.cols, p.Byte % v.cols
	}
	row, col := e.walk(line, func(c cell) bool { return c.from < p.Byte })
	return y + row, col
}

// lineAt returns the line that row y of the drawing belongs to, and its row of it.
func (e *Editor) lineAt(y int) (line, row int) {
	y = max(0, y)
	if !e.view.Wrap || e.view.cols == 0 {
		return min(y, len(e.lines)-1), 0
	}
	return e.view.rows.find(min(y, e.height()-1), len(e.lines), e.rowsAt)
}

// posAt returns the place nearest to a column of row y.
func (e *Editor) posAt(col, y int) Pos {
	i, row := e.lineAt(y)
	line := e.lines[i]
	col = max(col, 0)
	if isPlain(line) {
		at := col
		if e.view.Wrap && e.view.cols > 0 {
			at = row*e.view.cols + min(col, e.view.cols)
			if at < len(line) && col >= e.view.cols { // that is the next row's start
				at--
			}
		}
		return Pos{i, min(at, len(line))}
	}
	return Pos{i, e.byteAt(line, row, col)}
}

// byteAt returns the boundary nearest to a column of a row of line; where the row ends
// before, its last one that is not the start of the next row.
func (e *Editor) byteAt(line string, row, col int) int {
	at, tab, last := len(line), cell{}, 0
	behind := false // the place is the tab or, if that is still on the row, behind it
	e.walk(line, func(c cell) bool {
		switch {
		case behind && c.from == tab.from:
			return true
		case behind:
			if c.row == row || tab.row < row {
				at = c.from
			} else {
				at = tab.from
			}
			return false
		case c.row > row:
			at = last
			return false
		}
		if c.part == 0 {
			tab = c
		}
		if c.row < row {
			return true
		}
		last = c.from
		if col >= c.col+c.width {
			return true
		}
		at = c.from
		if line[c.from] == '\t' && (tab.row < row || (col-tab.col)*2 >= e.opt.TabWidth) {
			at, behind = c.to, true
		}
		return behind
	})
	return at
}

// Height is the number of rows at a width, at least 1. The last column of the width is
// left free, for the cursor at a row's end.
func (e *Editor) Height(width int) int {
	e.layout(width)
	return e.height()
}

// Estimate is Height: it is cheap.
func (e *Editor) Estimate(width int) int { return e.Height(width) }

// CursorXY is where the cursor is in the drawing at a width: a column, and a row of the
// whole height.
func (e *Editor) CursorXY(width int) (x, y int) {
	e.layout(width)
	y, col := e.rowCol(e.cursor)
	e.scrollTo(col)
	return e.view.gutter + max(0, min(col-e.view.left, e.view.window-1)), y
}

// PosAt is the place in the text nearest to a place of the drawing, as last drawn.
func (e *Editor) PosAt(x, y int) Pos {
	v := &e.view
	return e.posAt(max(x-v.gutter, 0)+v.left, max(0, min(y, e.height()-1)))
}

// scrollTo scrolls sideways so that a column is seen; by a quarter of the width at least,
// since each time all rows are drawn anew.
func (e *Editor) scrollTo(col int) {
	v := &e.view
	switch {
	case v.Wrap:
		v.left = 0
	case col < v.left:
		v.left = max(0, col-v.cols/4)
		if col <= v.cols*3/4 {
			v.left = 0
		}
	case col > v.left+v.cols:
		v.left = col - v.cols + v.cols/4
	}
}
