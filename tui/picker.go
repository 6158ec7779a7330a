package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// picker is a list to choose from, filtered by what is typed. It covers the lower part of
// the notebook.
type picker struct {
	label string // before the line
	note  string // what the list is for, or why it is there
	empty string // shown where there is nothing to choose
	line  lineedit.Line
	items func(text string) []item // for what is typed
	shown []item
	at    int // the marked one
	top   int // the first row drawn

	cursor int // column, as drawn
}

// item is one thing to choose. Its texts are clean.
type item struct {
	name   string
	detail string // said behind the name
	right  string // said at the right: its key, its group
	why    string // it cannot be chosen, and this says why
	group  string // stands above the first of it, where the list is in groups
	do     func() tea.Cmd
}

// pickerRow is one row below the typed line: an item, or what is said above a group of them.
type pickerRow struct {
	head string
	item int // its index, if head is ""
}

// rows are all rows of the list, and which one the marked item has.
func (p *picker) rows() (rows []pickerRow, marked int) {
	group := ""
	for i, it := range p.shown {
		if it.group != group && it.group != "" {
			rows = append(rows, pickerRow{head: it.group})
		}
		group = it.group
		if i == p.at {
			marked = len(rows)
		}
		rows = append(rows, pickerRow{item: i})
	}
	return rows, marked
}

func (m *Model) pickerActions() map[keymap.Action]func() tea.Cmd {
	page := func() int { return max(m.pickerRows()-1, 1) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.ListAccept:   m.pick,
		keymap.ListDown:     quietly(func() { m.movePick(1) }),
		keymap.ListUp:       quietly(func() { m.movePick(-1) }),
		keymap.ListPageDown: quietly(func() { m.movePick(page()) }),
		keymap.ListPageUp:   quietly(func() { m.movePick(-page()) }),
		keymap.CloseList:    quietly(m.closePicker),
	}
}

// openPicker shows a list. One that is open gives way, a question does not.
func (m *Model) openPicker(p *picker) {
	if m.question != nil {
		return
	}
	m.picker = p
	p.filter()
	m.keys.Reset()
	m.dirty = true
}

func (m *Model) closePicker() {
	m.picker = nil
	m.dirty = true
}

// filterPicker follows what is typed.
func (m *Model) filterPicker() tea.Cmd {
	if p := m.picker; p != nil {
		p.filter()
		m.dirty = true
	}
	return nil
}

// filter makes the list for what is typed, and marks what fits it best.
func (p *picker) filter() {
	typed := p.line.String()
	p.shown, p.top = p.items(typed), 0
	p.at = best(p.shown, typed)
}

// refill makes the list anew after there was more to choose from: the marked item stays.
func (p *picker) refill() {
	marked := item{}
	if p.at < len(p.shown) {
		marked = p.shown[p.at]
	}
	top := p.top
	p.filter()
	p.top = top
	for i, it := range p.shown {
		if it.name == marked.name && it.group == marked.group && it.detail == marked.detail {
			p.at = i
			break
		}
	}
}

func (m *Model) movePick(n int) {
	if p := m.picker; p != nil {
		p.at = max(min(p.at+n, len(p.shown)-1), 0)
		m.dirty = true
	}
}

// clickPicker marks the item in a row of the screen.
func (m *Model) clickPicker(y int) {
	p := m.picker
	first := m.size.list - min(len(m.pickerLines()), m.size.list) + 1
	rows, _ := p.rows()
	if i := p.top + y - first; y >= first && y < m.size.list && i < len(rows) && rows[i].head == "" {
		p.at = rows[i].item
		m.dirty = true
	}
}

// pick takes the marked item and closes the list. One that cannot be chosen says why.
func (m *Model) pick() tea.Cmd {
	p := m.picker
	if p == nil || p.at >= len(p.shown) {
		return nil
	}
	it := p.shown[p.at]
	if it.why != "" {
		m.setHint(it.why)
		return nil
	}
	m.closePicker()
	return it.do()
}

// pickerRows is how many rows the items get: two thirds of the notebook's, less the line.
func (m *Model) pickerRows() int {
	if m.picker == nil {
		return 0
	}
	rows, _ := m.picker.rows()
	return max(min(len(rows), m.size.list*2/3-1), 1)
}

// pickerLines draws the list: a line that is typed, and the items below it.
func (m *Model) pickerLines() []string {
	p := m.picker
	room := m.pickerRows()
	rows, marked := p.rows()
	p.top = min(max(p.top, marked-room+1), marked)
	if p.top == marked && marked > 0 && rows[marked-1].head != "" && room > 1 {
		p.top-- // what stands above it shows too
	}
	first, cursor := m.inputLine(p.label, &p.line, p.note)
	p.cursor = cursor
	lines := []string{first}
	for _, r := range rows[p.top:min(p.top+room, len(rows))] {
		if r.head != "" {
			lines = append(lines, m.look.theme.Heading.Render(ansi.Truncate(r.head, m.width, "…")))
		} else {
			lines = append(lines, m.itemLine(p.shown[r.item], r.item == p.at))
		}
	}
	if len(p.shown) == 0 {
		lines = append(lines, m.look.theme.Muted.Render(ansi.Truncate("  "+p.empty, m.width, "…")))
	}
	return lines
}

func (m *Model) itemLine(it item, marked bool) string {
	th := m.look.theme
	left, style := "  ", th.Text
	if marked {
		left, style = "▌ ", th.Selection
	}
	right := ansi.Truncate(it.right, m.width/3, "…")
	if it.why != "" && ansi.StringWidth(it.name+it.why+right)+8 > m.width {
		right = "" // why it cannot be chosen counts more
	}
	room := max(m.width-2-ansi.StringWidth(right)-1, 0)
	name := ansi.Truncate(it.name, room, "…")
	detail := ""
	if it.why != "" {
		detail = "✗ " + it.why
	} else if it.detail != "" {
		detail = it.detail
	}
	if detail != "" {
		detail = ansi.Truncate("  "+detail, room-ansi.StringWidth(name), "…")
	}
	gap := strings.Repeat(" ", max(room+1-ansi.StringWidth(name)-ansi.StringWidth(detail), 0))
	if marked {
		return th.SelectionBar.Render(left) + style.Render(name+detail+gap+right)
	}
	detailStyle := th.Muted
	if it.why != "" {
		detailStyle = th.Failed
	}
	return left + style.Render(name) + detailStyle.Render(detail) + gap + th.Muted.Render(right)
}
