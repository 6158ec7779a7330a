package editor

// The movements return whether the cursor could go that way: where it could not, the
// caller may cross to the next cell. With extend the selection grows or shrinks.

// Left moves by one character; without extend, a selection ends at its start.
func (e *Editor) Left(extend bool) bool {
	if from, _, ok := e.Selection(); ok && !extend {
		e.moveTo(from, false)
		return true
	}
	p := e.cursor
	switch {
	case p.Byte > 0:
		p.Byte = prevByte(e.lines[p.Line], p.Byte)
	case p.Line > 0:
		p = Pos{p.Line - 1, len(e.lines[p.Line-1])}
	default:
		return false
	}
	e.moveTo(p, extend)
	return true
}

// Right moves by one character; without extend, a selection ends at its end.
func (e *Editor) Right(extend bool) bool {
	if _, to, ok := e.Selection(); ok && !extend {
		e.moveTo(to, false)
		return true
	}
	p := e.cursor
	switch {
	case p.Byte < len(e.lines[p.Line]):
		p.Byte = nextByte(e.lines[p.Line], p.Byte)
	case p.Line+1 < len(e.lines):
		p = Pos{p.Line + 1, 0}
	default:
		return false
	}
	e.moveTo(p, extend)
	return true
}

// WordLeft moves to the start of the word before the cursor.
func (e *Editor) WordLeft(extend bool) bool {
	p := e.cursor
	if p == (Pos{}) {
		return false
	}
	if p.Byte == 0 {
		p = Pos{p.Line - 1, len(e.lines[p.Line-1])}
	}
	p.Byte = wordStart(e.lines[p.Line], p.Byte)
	e.moveTo(p, extend)
	return true
}

// WordRight moves to the end of the word behind the cursor.
func (e *Editor) WordRight(extend bool) bool {
	p := e.cursor
	if p == e.end() {
		return false
	}
	if p.Byte == len(e.lines[p.Line]) {
		p = Pos{p.Line + 1, 0}
	}
	p.Byte = wordEnd(e.lines[p.Line], p.Byte)
	e.moveTo(p, extend)
	return true
}

// Home moves to the first character of the line that is not blank, from there to the
// line's start.
func (e *Editor) Home(extend bool) {
	p := e.cursor
	n := snapByte(e.lines[p.Line], indentOf(e.lines[p.Line]))
	if p.Byte == n {
		n = 0
	}
	e.moveTo(Pos{p.Line, n}, extend)
}

// End moves to the line's end.
func (e *Editor) End(extend bool) {
	e.moveTo(Pos{e.cursor.Line, len(e.lines[e.cursor.Line])}, extend)
}

// DocStart moves to the text's start.
func (e *Editor) DocStart(extend bool) { e.moveTo(Pos{}, extend) }

// DocEnd moves to the text's end.
func (e *Editor) DocEnd(extend bool) { e.moveTo(e.end(), extend) }

// Up moves by one row as drawn, and keeps the column through shorter rows. On the first
// row it returns false; with extend it goes to the text's start there.
func (e *Editor) Up(extend bool) bool { return e.vertical(-1, extend) }

// Down is Up downwards.
func (e *Editor) Down(extend bool) bool { return e.vertical(1, extend) }

// PageUp moves up by a number of rows; on the first row to the text's start.
func (e *Editor) PageUp(rows int, extend bool) bool { return e.page(-max(rows, 1), extend) }

// PageDown is PageUp downwards.
func (e *Editor) PageDown(rows int, extend bool) bool { return e.page(max(rows, 1), extend) }

func (e *Editor) page(by int, extend bool) bool {
	if e.vertical(by, extend) {
		return true
	}
	before := e.cursor
	if by < 0 {
		e.DocStart(extend)
	} else {
		e.DocEnd(extend)
	}
	return e.cursor != before
}

// vertical moves by rows, or as many as there are.
func (e *Editor) vertical(by int, extend bool) bool {
	y, col := e.rowCol(e.cursor)
	goal := e.goal
	if goal < 0 {
		goal = col
	}
	to := max(0, min(y+by, e.height()-1))
	if to == y {
		if !extend {
			return false
		}
		before := e.cursor
		if by < 0 {
			e.DocStart(true)
		} else {
			e.DocEnd(true)
		}
		return e.cursor != before
	}
	e.moveTo(e.posAt(goal, to), extend)
	e.goal = goal
	return true
}

// Column is the column that Up and Down aim for: to be handed to the Enter of the editor
// that the cursor crosses to.
func (e *Editor) Column() int {
	if e.goal >= 0 {
		return e.goal
	}
	_, col := e.rowCol(e.cursor)
	return col
}

// Enter puts the cursor at a column of the first row, or of the last.
func (e *Editor) Enter(last bool, column int) {
	y := 0
	if last {
		y = e.height() - 1
	}
	e.moveTo(e.posAt(column, y), false)
	e.goal = column
}

// Click moves the cursor to a place of the drawing, as PosAt has it. To drag, click with extend.
func (e *Editor) Click(x, y int, extend bool) { e.moveTo(e.PosAt(x, y), extend) }

// SelectWordAt selects the word, the blanks or the marks at a place of the drawing.
func (e *Editor) SelectWordAt(x, y int) {
	p := e.PosAt(x, y)
	line := e.lines[p.Line]
	if line == "" {
		e.SetCursor(p)
		return
	}
	at := p.Byte
	if at == len(line) {
		at = prevByte(line, at)
	}
	c := classOf(line[at:])
	e.Select(Pos{p.Line, skipBack(line, at, c)}, Pos{p.Line, skip(line, at, c)})
}

// SelectLineAt selects the line at a row of the drawing, with its line end.
func (e *Editor) SelectLineAt(y int) {
	line := e.PosAt(0, y).Line
	to := Pos{line, len(e.lines[line])}
	if line+1 < len(e.lines) {
		to = Pos{line + 1, 0}
	}
	e.Select(Pos{line, 0}, to)
}
