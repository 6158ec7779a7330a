package tui

import (
	"slices"
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
	top   int // the first one drawn

	cursor int // column, as drawn
}

// item is one thing to choose. Its texts are clean.
type item struct {
	name   string
	detail string // said behind the name
	right  string // said at the right: its key, its group
	why    string // it cannot be chosen, and this says why
	do     func() tea.Cmd
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
	p.shown = p.items("")
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
		p.shown, p.at, p.top = p.items(p.line.String()), 0, 0
		m.dirty = true
	}
	return nil
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
	if i := p.top + y - first; y >= first && y < m.size.list && i < len(p.shown) {
		p.at = i
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
	return max(min(len(m.picker.shown), m.size.list*2/3-1), 1)
}

// pickerLines draws the list: a line that is typed, and the items below it.
func (m *Model) pickerLines() []string {
	p := m.picker
	rows := m.pickerRows()
	p.top = min(max(p.top, p.at-rows+1), p.at)
	first, cursor := m.inputLine(p.label, &p.line, p.note)
	p.cursor = cursor
	lines := []string{first}
	for i := p.top; i < min(p.top+rows, len(p.shown)); i++ {
		lines = append(lines, m.itemLine(p.shown[i], i == p.at))
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

// matches tells whether a text has all words of what was typed, in any case.
func matches(text, typed string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(typed)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// filterItems returns the items that match: those whose name begins with it first, those
// that cannot be chosen last.
func filterItems(all []item, typed string) []item {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return all
	}
	var first, rest, last []item
	for _, it := range all {
		begins := strings.HasPrefix(strings.ToLower(it.name), strings.ToLower(typed))
		switch {
		case !begins && !matches(it.name+" "+it.detail+" "+it.right, typed):
		case it.why != "":
			last = append(last, it)
		case begins:
			first = append(first, it)
		default:
			rest = append(rest, it)
		}
	}
	return slices.Concat(first, rest, last)
}
