package editor

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nbterm/nbterm/render/highlight"
	"github.com/nbterm/nbterm/themes"
)

const styleOff = "\x1b[m"

// The ways in which a character can be marked; they add up.
const (
	selected = 1 << iota
	matched
	markings
)

// kinds is how many highlight.Kinds there are.
const kinds = int(highlight.Decorator) + 1

// Palette is the styles of a theme as sequences that turn them on. Editors share one.
type Palette struct {
	on     [kinds][markings]string
	number themes.Style
}

// NewPalette makes the palette of a theme.
func NewPalette(th themes.Theme) *Palette {
	s := &Palette{number: th.LineNumber}
	for k := range kinds {
		for m := range markings {
			st := highlight.Kind(k).Style(&th)
			if m&matched != 0 {
				st.Bold, st.Underline = true, true
			}
			if m&selected != 0 {
				st = th.Selection.Over(st)
			}
			s.on[k][m] = st.On()
		}
	}
	return s
}

// Lines draws the rows from … from+n-1 at a width, fewer at the end. Each starts and ends
// in the reset state, has SGR sequences only, and is at most width columns wide.
func (e *Editor) Lines(width, from, n int) []string {
	_, _ = e.CursorXY(width) // scrolls sideways
	if e.view.Palette == nil {
		e.view.Palette = &Palette{}
	}
	if from < 0 || n <= 0 || from >= e.height() {
		return nil
	}
	d := drawer{e: e, left: n}
	if e.view.Focused {
		d.a, d.b, d.match = e.MatchAt()
	}
	d.selFrom, d.selTo, _ = e.Selection()
	line, row := e.lineAt(from)
	for ; line < len(e.lines) && d.left > 0; line++ {
		d.line(line, row)
		row = 0
	}
	return d.out
}

// drawer draws rows.
type drawer struct {
	e              *Editor
	out            []string
	left           int // rows still wanted
	selFrom, selTo Pos
	a, b           Pos // the pair of brackets
	match          bool

	row      []byte
	on       string // what the row's end is drawn in
	number   int    // of the line, 0 once it has been drawn
	from, to int    // selected bytes of the line
	atA, atB int    // brackets of the line, -1 for none
}

// line draws a line's rows from one of them on.
func (d *drawer) line(i, row int) {
	v := &d.e.view
	text := d.e.lines[i]
	d.mark(i, len(text))
	d.number = 0
	if row == 0 {
		d.number = i + 1
	}
	spans := d.e.colours.spans(d.e, i)
	d.startRow()
	last := row
	paint := func(c cell) bool {
		if c.row < row {
			return true
		}
		if c.row > last {
			last = c.row
			if d.endRow(); d.left == 0 {
				return false
			}
			d.startRow()
		}
		for len(spans) > 0 && spans[0].End <= c.from {
			spans = spans[1:]
		}
		kind := highlight.Plain
		if len(spans) > 0 {
			kind = spans[0].Kind
		}
		return d.put(text, c, kind)
	}
	if isPlain(text) {
		d.e.plainCells(text, row, paint)
	} else {
		d.e.walk(text, paint)
	}
	if v.Wrap && d.left > 0 && last < d.e.rowsOf(text)-1 { // an empty row for the cursor
		if d.endRow(); d.left > 0 {
			d.startRow()
		}
	}
	if d.left > 0 {
		d.lineEnd(i)
		d.endRow()
	}
}

// mark notes what of line i is selected and matched.
func (d *drawer) mark(i, length int) {
	d.from, d.to, d.atA, d.atB = 0, 0, -1, -1
	if i >= d.selFrom.Line && i <= d.selTo.Line && d.selFrom != d.selTo {
		d.to = length
		if i == d.selFrom.Line {
			d.from = d.selFrom.Byte
		}
		if i == d.selTo.Line {
			d.to = d.selTo.Byte
		}
	}
	if d.match && d.a.Line == i {
		d.atA = d.a.Byte
	}
	if d.match && d.b.Line == i {
		d.atB = d.b.Byte
	}
}

// plainCells is walk for plain lines; it goes straight to where drawing starts.
func (e *Editor) plainCells(text string, row int, fn func(cell) bool) {
	v := &e.view
	if !v.Wrap {
		for at := v.left; at < len(text); at++ {
			if !fn(cell{from: at, to: at + 1, col: at, width: 1}) {
				return
			}
		}
		return
	}
	breaks := e.breaks(text)
	for ; row <= len(breaks); row++ {
		from, to := rowBytes(text, breaks, row)
		for at := from; at < to; at++ {
			if !fn(cell{from: at, to: at + 1, row: row, col: at - from, width: 1}) {
				return
			}
		}
	}
}

// put draws a cell, or what of it is in the window; false: no more of the line is.
func (d *drawer) put(text string, c cell, kind highlight.Kind) bool {
	v := &d.e.view
	col := c.col - v.left
	if col > v.window || col == v.window && c.width > 0 {
		return v.Wrap // there, further rows follow
	}
	if col+c.width <= 0 && (c.width > 0 || col < 0) {
		return true
	}
	marking := 0
	if c.from >= d.from && c.from < d.to {
		marking |= selected
	}
	if c.from == d.atA || c.from == d.atB {
		marking |= matched
	}
	d.style(v.Palette.on[kind][marking])
	if col < 0 || col+c.width > v.window { // half of a wide character
		d.row = append(d.row, ' ')
		return true
	}
	d.row = appendCell(d.row, text[c.from:c.to], c.width)
	return true
}

// appendCell writes a cluster so that nothing of it can drive the terminal.
func appendCell(row []byte, s string, width int) []byte {
	if c := s[0]; len(s) == 1 && c >= 0x20 && c < 0x7f {
		return append(row, c)
	}
	if s == "\t" {
		return append(row, ' ')
	}
	r, size := utf8.DecodeRuneInString(s)
	if p := picture(r); p != 0 && size == len(s) {
		return utf8.AppendRune(row, p)
	}
	if _, w := cluster(s); w > width { // a wide character where only one column is
		return append(row, '?')
	}
	return append(row, strings.ToValidUTF8(s, "\ufffd")...)
}

func (d *drawer) style(on string) {
	if on == d.on {
		return
	}
	if d.on != "" {
		d.row = append(d.row, styleOff...)
	}
	d.row = append(d.row, on...)
	d.on = on
}

// lineEnd shows a selected line end as a blank.
func (d *drawer) lineEnd(i int) {
	v := &d.e.view
	end := Pos{i, len(d.e.lines[i])}
	if end.Before(d.selFrom) || !end.Before(d.selTo) {
		return
	}
	if _, col := d.e.rowCol(end); col >= v.left && col < v.left+v.window {
		d.style(v.Palette.on[highlight.Plain][selected])
		d.row = append(d.row, ' ')
	}
}

// startRow begins a row with its line number.
func (d *drawer) startRow() {
	v := &d.e.view
	d.row = d.row[:0]
	if v.gutter == 0 {
		return
	}
	n := ""
	if d.number > 0 {
		n = strconv.Itoa(d.number)
		d.number = 0
	}
	d.row = append(d.row, v.Palette.number.Render(strings.Repeat(" ", v.gutter-1-len(n))+n)...)
	d.row = append(d.row, ' ')
}

func (d *drawer) endRow() {
	d.style("")
	d.out = append(d.out, string(d.row))
	d.left--
}
