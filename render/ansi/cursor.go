package ansi

// cursor is the Store as the parser sees it: what a terminal does with text and controls.
type cursor Store

func (c *cursor) store() *Store { return (*Store)(c) }
func (c *cursor) line() *line   { return &c.live[c.row] }

func (c *cursor) text(p []byte, ascii bool) {
	if c.atEnd {
		c.append(p, ascii)
		return
	}
	c.edit()
	for len(p) > 0 {
		n, w := cluster(p)
		if c.col+w > maxLine {
			c.newline()
			c.text(p, ascii)
			return
		}
		c.cells, c.col = overwrite(c.cells, c.col, p[:n], w, c.style)
		p = p[n:]
	}
}

// append adds text at the row's end, breaking lines that grow too long.
func (c *cursor) append(p []byte, ascii bool) {
	for {
		l := c.line()
		room := maxLine - len(l.text)
		if len(p) <= room {
			l.append(p, c.style, ascii, c.piece)
			return
		}
		n := 0
		if room > 0 {
			n = cutBefore(p, room)
		}
		if n > 0 {
			l.append(p[:n], c.style, ascii, c.piece)
		}
		p = p[n:]
		if c.newline(); !c.atEnd { // below is an old line: go on as in any other
			c.text(p, ascii)
			return
		}
	}
}

// edit makes the row one of cells, and col at most its length.
func (c *cursor) edit() {
	if !c.editing {
		c.cells = expand(c.cells[:0], c.line().text)
		c.editing = true
	}
	c.dirty = true
	for len(c.cells) < c.col {
		c.cells = append(c.cells, cell{text: " "})
	}
}

// column returns the cursor's column.
func (c *cursor) column() int {
	if c.atEnd {
		return c.line().measure()
	}
	return c.col
}

// moveTo sets the column within the row.
func (c *cursor) moveTo(col int) {
	width := len(c.cells)
	if !c.editing {
		width = c.line().measure()
	}
	c.col = max(0, min(col, max(maxColumn, width)))
	c.atEnd = !c.editing && c.col == width
}

// moveRow puts the cursor on another live row.
func (c *cursor) moveRow(row, col int) {
	c.store().settle()
	c.editing = false
	c.row = max(0, min(row, len(c.live)-1))
	c.moveTo(col)
}

func (c *cursor) newline() {
	if c.row+1 < len(c.live) {
		c.moveRow(c.row+1, 0)
		return
	}
	if c.editing {
		c.store().settle()
		c.editing = false
	}
	c.store().addLine()
}

func (c *cursor) control(b byte) {
	switch b {
	case '\n':
		c.newline()
	case '\r':
		c.col = 0
		c.atEnd = !c.editing && len(c.line().text) == 0
	case '\b':
		c.moveTo(c.column() - 1)
	case '\t':
		c.tab()
	}
}

func (c *cursor) tab() {
	col := c.column()
	n := tabWidth - col%tabWidth
	if c.atEnd {
		c.append([]byte("        ")[:n], true)
		return
	}
	c.moveTo(col + n)
}

func (c *cursor) csi(params []byte, final byte) {
	if final == 'm' {
		c.style.apply(params)
		return
	}
	n := max(1, number(params)) // nonsense is 10000, which bounds stop
	switch final {
	case 'A':
		c.moveRow(c.row-n, c.column())
	case 'B':
		c.moveRow(c.row+n, c.column())
	case 'C':
		c.moveTo(c.column() + n)
	case 'D':
		c.moveTo(c.column() - n)
	case 'E':
		c.moveRow(c.row+n, 0)
	case 'F':
		c.moveRow(c.row-n, 0)
	case 'G':
		c.moveTo(n - 1)
	case 'K':
		c.erase(number(params))
	}
}

// erase clears the row from the cursor (0), up to it (1) or whole (2).
func (c *cursor) erase(mode int) {
	if mode == 0 && c.atEnd {
		return
	}
	col := c.column()
	if mode == 2 || mode == 0 && col == 0 {
		c.editing = false
		c.line().clear()
		c.moveTo(col)
		return
	}
	c.moveToCells(col)
	switch mode {
	case 0:
		split(c.cells, col)
		c.cells = c.cells[:min(col, len(c.cells))]
	case 1:
		split(c.cells, col+1)
		for i := range min(col+1, len(c.cells)) {
			c.cells[i] = cell{text: " "}
		}
	}
}

// moveToCells makes the row one of cells with the cursor at col.
func (c *cursor) moveToCells(col int) {
	c.atEnd, c.col = false, col
	c.edit()
}
