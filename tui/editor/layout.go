package editor

import (
	"strconv"
)

// minText is how many columns of text there must be beside line numbers.
const minText = 4

// View says how an editor is drawn.
type View struct {
	Wrap    bool     // long lines go on in the next row; else the text scrolls sideways
	Numbers bool     // line numbers at the left
	Focused bool     // the bracket pair at the cursor is shown
	Palette *Palette // nil: no colours
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
	kept   keptBreaks
}

// SetView sets how the editor is drawn.
func (e *Editor) SetView(v View) {
	w := &e.view
	if v.Wrap != w.Wrap {
		w.forget()
		w.left = 0
	}
	if v.Palette == nil {
		v.Palette = &Palette{}
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
	from, to    int // bytes of the line
	row, col    int // row of the line; column of the row
	width       int
	part, parts int // of a tab
}

// walk goes over the cells of line until fn returns false, and returns where the line
// ends: a row and a column.
func (e *Editor) walk(line string, fn func(c cell) bool) (row, col int) {
	wrap := e.view.Wrap && e.view.cols > 0
	var breaks []int
	if wrap {
		breaks = e.breaks(line)
	}
	logical := 0 // column if the line were not wrapped: tab stops count from its start
	for i := 0; i < len(line); {
		if len(breaks) > 0 && breaks[0] == i {
			row, col, breaks = row+1, 0, breaks[1:]
		}
		n, w := cluster(line[i:])
		parts := 1
		if line[i] == '\t' && n == 1 {
			if parts = e.opt.TabWidth - logical%e.opt.TabWidth; wrap { // it ends with the row
				parts = max(1, min(parts, e.view.cols-col))
			}
		}
		if wrap {
			w = min(w, e.view.cols)
		}
		for part := range parts {
			if !fn(cell{i, i + n, row, col, w, part, parts}) {
				return row, col
			}
			col += w
			logical += w
		}
		i += n
	}
	if len(breaks) > 0 {
		return row + 1, 0
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
func (e *Editor) rowsOf(line string) int { return len(e.breaks(line)) + 1 }

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
		breaks := e.breaks(line)
		row := rowOfByte(breaks, p.Byte)
		from, _ := rowBytes(line, breaks, row)
		return y + row, p.Byte - from
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
	if !isPlain(line) {
		return Pos{i, e.byteAt(line, row, col)}
	}
	if !e.view.Wrap || e.view.cols == 0 {
		return Pos{i, min(col, len(line))}
	}
	from, to := rowBytes(line, e.breaks(line), row)
	if to < len(line) || to == len(line) && row < len(e.breaks(line)) {
		to-- // that is the next row's start
	}
	return Pos{i, min(from+col, max(to, from))}
}

// byteAt returns the boundary nearest to a column of a row of line; where the row ends
// before, its last one that is not the start of the next row.
func (e *Editor) byteAt(line string, row, col int) int {
	at, tab, last := -1, -1, len(line)
	endRow, _ := e.walk(line, func(c cell) bool {
		switch {
		case c.row != row:
			return c.row < row
		case tab >= 0 && c.from != tab:
			at = c.from // behind the tab, and still on the row
			return false
		}
		last = c.from
		switch {
		case tab >= 0 || col >= c.col+c.width:
			return true
		case c.parts > 1 && (col-c.col+c.part)*2 >= c.parts:
			tab = c.from
			return true
		}
		at = c.from
		return false
	})
	switch {
	case at >= 0:
		return at
	case endRow > row:
		return last
	}
	return len(line)
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

// RowOf is the row of the drawing at a width that a line begins on.
func (e *Editor) RowOf(line, width int) int {
	e.layout(width)
	y, _ := e.rowCol(Pos{Line: max(0, min(line, len(e.lines)-1))})
	return y
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
