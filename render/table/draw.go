package table

import (
	"fmt"
	"math"
	"strings"

	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// gap is how many spaces stand between columns.
const gap = 2

// columnLimits are the widths at which columns are cut, tried in turn until all fit.
var columnLimits = [...]int{60, 32, 20}

// Layout is a Table laid out for a width, from one of its columns on. Its lines are drawn
// when they are asked for.
type Layout struct {
	t     *Table
	th    *themes.Theme
	width int
	slots []slot
	index int // how many columns stay at the left

	first, end int // the others that are shown
}

// slot is a column on the screen, or the mark where columns are left out.
type slot struct{ col, width int }

// mark is the col of the slot that says that columns are left out.
const mark = -1

// Layout lays the table out. The columns that name the rows stay; of the others the first
// `skip` are left out, and those at the right that find no room.
func (t *Table) Layout(width, skip int, th *themes.Theme) Layout {
	l := Layout{t: t, th: th, width: max(width, 1), index: t.index, first: t.index, end: t.cols}
	limits := columnLimits[:]
	if t.Uncut {
		limits = append([]int{math.MaxInt}, limits...)
	}
	for _, limit := range limits {
		l.slots = t.columns(0, t.cols, limit)
		if total(l.slots) <= l.width {
			return l
		}
	}
	l.pin()
	l.first = min(l.index+max(skip, 0), t.cols-1)
	if l.first > l.index {
		l.slots = append(l.slots, slot{mark, 1})
	}
	l.fill()
	return l
}

func (t *Table) columns(from, to, limit int) []slot {
	out := make([]slot, 0, to-from)
	for c := from; c < to; c++ {
		out = append(out, slot{c, min(max(t.widths[c], 1), limit)})
	}
	return out
}

// total is the width of columns side by side.
func total(slots []slot) int {
	n := max(gap*(len(slots)-1), 0)
	for _, s := range slots {
		n += s.width
	}
	return n
}

// pin places the columns that stay at the left, in half of the width at most; where they
// are too many for that they scroll like the others.
func (l *Layout) pin() {
	l.slots = l.t.columns(0, l.index, columnLimits[2])
	if total(l.slots) <= l.width/2 {
		return
	}
	each := l.width/2/l.index - gap
	if each < 3 {
		l.index, l.slots = 0, nil
		return
	}
	l.slots = l.t.columns(0, l.index, each)
}

// fill adds columns while there is room, and a mark for the others. The first one is cut
// rather than left out.
func (l *Layout) fill() {
	for l.end = l.first; l.end < l.t.cols; l.end++ {
		next := append(l.slots, l.t.columns(l.end, l.end+1, columnLimits[2])...)
		over := total(next) - l.width
		if l.end < l.t.cols-1 {
			over += gap + 1
		}
		if over > 0 && l.end > l.first {
			break
		}
		last := &next[len(next)-1]
		last.width = max(last.width-max(over, 0), 1)
		l.slots = next
	}
	if l.More() {
		l.slots = append(l.slots, slot{mark, 1})
	}
}

// More tells whether columns are left out at the right.
func (l Layout) More() bool { return l.end < l.t.cols }

// whole tells whether all columns are shown.
func (l Layout) whole() bool { return l.first == l.index && !l.More() }

// Height is the number of lines.
func (l Layout) Height() int {
	n := len(l.t.rows)
	if l.t.header > 0 {
		n++
	}
	if !l.whole() {
		n++
	}
	return n
}

// Line draws line i, of as many as Height says.
func (l Layout) Line(i int) string {
	header := l.t.header
	switch {
	case i < header:
		return l.row(i)
	case header > 0 && i == header:
		return l.th.Border.Render(strings.Repeat("─", min(total(l.slots), l.width)))
	case header > 0:
		i--
	}
	if i < len(l.t.rows) {
		return l.row(i)
	}
	note := fmt.Sprintf("columns %d–%d of %d", l.first-l.index+1, l.end-l.index, l.t.cols-l.index)
	if l.end == l.first+1 {
		note = fmt.Sprintf("column %d of %d", l.end-l.index, l.t.cols-l.index)
	}
	return l.th.StandIn.Render(ansi.Truncate(note, l.width))
}

// row draws a row of the table.
func (l Layout) row(i int) string {
	var styled, plain strings.Builder
	var blank string // owed before the next text
	for s := 0; s < len(l.slots); {
		text, style, end := l.field(i, l.t.rows[i], s)
		word := strings.Trim(text, " ")
		left := text[:len(text)-len(strings.TrimLeft(text, " "))]
		if blank += left; word != "" {
			styled.WriteString(blank + style.Render(word))
			plain.WriteString(blank + word)
			blank = text[min(len(left)+len(word), len(text)):]
		}
		blank += strings.Repeat(" ", gap)
		s = end
	}
	if total(l.slots) > l.width { // too narrow for one column
		return ansi.Truncate(plain.String(), l.width)
	}
	return styled.String()
}

// field is the text at slot s of a row, and the slot behind it.
func (l Layout) field(i int, row []*cell, s int) (text string, style themes.Style, end int) {
	at := l.slots[s]
	if at.col == mark {
		return "…", l.th.Muted, s + 1
	}
	e, width := row[at.col], at.width
	for end = s + 1; end < len(l.slots) && l.slots[end].col != mark && l.slots[end].col < e.to; end++ {
		width += gap + l.slots[end].width
	}
	switch {
	case i < l.t.header:
		style = l.th.Strong
	case at.col < l.t.index:
		style = l.th.Muted
	default:
		style = l.th.Text
	}
	text = ansi.Truncate(e.text, width)
	room := max(width-ansi.Width(text), 0)
	before := 0
	switch {
	case e.side == right, e.side == unsaid && l.t.right[at.col] && e.to-e.from == 1:
		before = room
	case e.side == center:
		before = room / 2
	}
	return strings.Repeat(" ", before) + text + strings.Repeat(" ", room-before), style, end
}
