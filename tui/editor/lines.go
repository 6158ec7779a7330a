package editor

import "strings"

// selectedLines returns the first and last line that the selection or the cursor is on. A
// selection that ends at a line's start does not count that line.
func (e *Editor) selectedLines() (first, last int) {
	from, to, _ := e.Selection()
	if to.Byte == 0 && to.Line > from.Line {
		to.Line--
	}
	return from.Line, to.Line
}

// reline gives lines first … last what to makes of them: the new line and by how much its
// head grew, with which the cursor and the selection go along.
func (e *Editor) reline(first, last int, label string, to func(line string) (string, int)) Edit {
	var b strings.Builder
	grew := make([]int, last-first+1)
	changed := false
	for i := first; i <= last; i++ {
		if i > first {
			b.WriteByte('\n')
		}
		line, n := to(e.lines[i])
		changed = changed || line != e.lines[i]
		grew[i-first] = n
		b.WriteString(line)
	}
	if !changed {
		return Edit{}
	}
	along := func(p Pos) Pos {
		if p.Line >= first && p.Line <= last && p.Byte > 0 {
			p.Byte = max(0, p.Byte+grew[p.Line-first])
		}
		return p
	}
	anchor, cursor := along(e.anchor), along(e.cursor)
	if e.anchor == e.cursor && e.cursor.Byte == 0 {
		cursor.Byte = max(0, grew[0])
		anchor = cursor
	}
	e.closers = nil
	c := e.replace(Pos{first, 0}, Pos{last, len(e.lines[last])}, b.String())
	e.place(anchor, cursor)
	return e.edit(Single, label, c)
}

// place puts the ends of the selection where an edit wants them.
func (e *Editor) place(anchor, cursor Pos) {
	e.anchor, e.cursor = e.snap(anchor), e.snap(cursor)
}

// Indent indents the selected lines by one step; without a selection it puts blanks up to
// the next step at the cursor.
func (e *Editor) Indent() Edit {
	unit := e.unit()
	if _, _, ok := e.Selection(); ok {
		first, last := e.selectedLines()
		return e.reline(first, last, "Indent", func(line string) (string, int) {
			if line == "" {
				return line, 0
			}
			return unit + line, len(unit)
		})
	}
	if spacesOnly(unit) {
		_, col := e.unwrapped(e.cursor)
		unit = unit[col%len(unit):]
	}
	e.closers = nil
	return e.edit(Typing, "Typing", e.replace(e.cursor, e.cursor, unit))
}

// Outdent takes one step of indentation off the selected lines or the cursor's.
func (e *Editor) Outdent() Edit {
	first, last := e.selectedLines()
	unit := len(e.unit())
	return e.reline(first, last, "Outdent", func(line string) (string, int) {
		n := 0
		for n < unit && n < len(line) && line[n] == ' ' {
			n++
		}
		if n == 0 && strings.HasPrefix(line, "\t") {
			n = 1
		}
		return line[n:], -n
	})
}

// ToggleComment makes the selected lines, or the cursor's, comments of the language, or
// code again if all of them are comments. Without comments in the language it does nothing.
func (e *Editor) ToggleComment() Edit {
	custom := e.custom()
	if custom.comment == "" {
		return Edit{}
	}
	first, last := e.selectedLines()
	all, indent, blanks := true, -1, true
	for _, line := range e.lines[first : last+1] {
		if isBlank(line) {
			continue
		}
		n := indentOf(line)
		blanks = false
		all = all && strings.HasPrefix(line[n:], custom.comment)
		if indent < 0 || n < indent {
			indent = n
		}
	}
	if all && !blanks {
		return e.reline(first, last, "Uncomment", custom.uncomment)
	}
	return e.reline(first, last, "Comment", func(line string) (string, int) {
		if isBlank(line) && !blanks {
			return line, 0
		}
		at := indent
		if blanks {
			at = len(line)
		}
		return custom.commentAt(line, at)
	})
}

func (c custom) commentAt(line string, at int) (string, int) {
	end := ""
	if c.commentEnd != "" {
		end = " " + c.commentEnd
	}
	return line[:at] + c.comment + " " + line[at:] + end, len(c.comment) + 1
}

func (c custom) uncomment(line string) (string, int) {
	if isBlank(line) {
		return line, 0
	}
	at := indentOf(line)
	rest := strings.TrimPrefix(line[at:], c.comment)
	rest = strings.TrimPrefix(rest, " ")
	n := len(line) - at - len(rest)
	if c.commentEnd != "" {
		if cut, ok := strings.CutSuffix(rest, c.commentEnd); ok {
			rest = strings.TrimSuffix(cut, " ")
		}
	}
	return line[:at] + rest, -n
}

// MoveLines moves the selected lines, or the cursor's, by one line. At the end of the
// text it does nothing.
func (e *Editor) MoveLines(down bool) Edit {
	first, last := e.selectedLines()
	anchor, cursor := e.anchor, e.cursor
	var out, in Change
	shift := -1
	if down {
		if last+1 >= len(e.lines) {
			return Edit{}
		}
		shift = 1
		next := e.lines[last+1]
		e.closers = nil
		out = e.replace(Pos{last, len(e.lines[last])}, Pos{last + 1, len(next)}, "")
		in = e.replace(Pos{first, 0}, Pos{first, 0}, next+"\n")
	} else {
		if first == 0 {
			return Edit{}
		}
		prev := e.lines[first-1]
		e.closers = nil
		out = e.replace(Pos{first - 1, 0}, Pos{first, 0}, "")
		end := Pos{last - 1, len(e.lines[last-1])}
		in = e.replace(end, end, "\n"+prev)
	}
	anchor.Line += shift
	cursor.Line += shift
	e.place(anchor, cursor)
	return e.edit(Single, "Move lines", out, in)
}

// DuplicateLines puts a copy of the selected lines, or the cursor's, below them; the
// cursor and the selection go to the copy.
func (e *Editor) DuplicateLines() Edit {
	first, last := e.selectedLines()
	anchor, cursor := e.anchor, e.cursor
	end := Pos{last, len(e.lines[last])}
	e.closers = nil
	c := e.replace(end, end, "\n"+e.slice(Pos{first, 0}, end))
	anchor.Line += last - first + 1
	cursor.Line += last - first + 1
	e.place(anchor, cursor)
	return e.edit(Single, "Duplicate lines", c)
}
