package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// helpPage lists the key table, or those keys that have the text that is looked for.
type helpPage struct {
	table  *keymap.Table
	top    int // the first line shown
	asking bool
	line   lineedit.Line // what to look for
}

func (m *Model) helpActions() map[keymap.Action]func() tea.Cmd {
	page := func() int { return max(m.size.list-1, 1) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.HelpDown:     quietly(func() { m.scrollHelp(1) }),
		keymap.HelpUp:       quietly(func() { m.scrollHelp(-1) }),
		keymap.HelpPageDown: quietly(func() { m.scrollHelp(page()) }),
		keymap.HelpPageUp:   quietly(func() { m.scrollHelp(-page()) }),
		keymap.HelpTop:      quietly(func() { m.scrollHelp(-1 << 30) }),
		keymap.HelpBottom:   quietly(func() { m.scrollHelp(1 << 30) }),
		keymap.HelpFind:     quietly(func() { m.help.asking = true; m.dirty = true }),
		keymap.HelpFound:    quietly(func() { m.help.asking = false; m.dirty = true }),
		keymap.HelpForget:   quietly(m.forgetHelp),
		keymap.CloseHelp:    quietly(m.closeHelp),
	}
}

func (m *Model) openHelp() {
	if m.question == nil {
		m.help = &helpPage{table: m.table}
		m.keys.Reset()
		m.dirty = true
	}
}

// closeHelp closes the page, or first shows all keys again.
func (m *Model) closeHelp() {
	if m.help.line.String() != "" {
		m.forgetHelp()
		return
	}
	m.help, m.dirty = nil, true
}

// forgetHelp shows all keys again.
func (m *Model) forgetHelp() {
	m.help = &helpPage{table: m.table}
	m.dirty = true
}

func (m *Model) scrollHelp(n int) {
	if m.help != nil {
		last := max(len(m.help.all(m.width, m.look.theme))-m.size.list, 0)
		m.help.top = min(max(m.help.top+n, 0), last)
		m.dirty = true
	}
}

// lines draws n lines of the page.
func (h *helpPage) lines(width, n int, th themes.Theme) []string {
	all := h.all(width, th)
	return all[min(h.top, len(all)):min(h.top+n, len(all))]
}

// position says which page of n lines is shown.
func (h *helpPage) position(width, n int) string {
	total := len(h.all(width, themes.NoColor()))
	pages := max((total+n-1)/max(n, 1), 1)
	page := min((h.top+n-1)/max(n, 1)+1, pages)
	return fmt.Sprintf("page %d/%d ", page, pages)
}

const (
	helpKeys   = 26 // columns for the keys
	helpColumn = 74 // columns of one of several columns
	helpGap    = 3  // between columns
)

// all is the whole page, in columns where there is room for them.
func (h *helpPage) all(width int, th themes.Theme) []string {
	columns := max((width+helpGap)/(helpColumn+helpGap), 1)
	room := (width+helpGap)/columns - helpGap
	groups := h.groups(room, th)
	if len(groups) == 0 {
		return []string{th.Muted.Render(ansi.Truncate("no key or action has that", width, "…"))}
	}
	var out []string
	for i, column := range share(groups, columns) {
		for y, line := range column {
			if y == len(out) {
				out = append(out, "")
			}
			if i > 0 {
				out[y] = padStyled(out[y], i*(room+helpGap))
			}
			out[y] += line
		}
	}
	return out
}

// groups are the headings with their lines, in the table's order.
func (h *helpPage) groups(width int, th themes.Theme) [][]string {
	text := strings.ToLower(h.line.String())
	var out [][]string
	for _, g := range h.table.Groups() {
		lines := []string{th.Heading.Render(ansi.Truncate(g, width, ""))}
		for _, b := range h.table.Bindings() {
			if b.Group == g && strings.Contains(strings.ToLower(b.ShowAll()+" "+b.Help+" "+g), text) {
				lines = append(lines, helpLine(b, width, th))
			}
		}
		if len(lines) > 1 {
			out = append(out, append(lines, ""))
		}
	}
	return out
}

// share puts groups into at most n columns of about the same height, in their order.
func share(groups [][]string, n int) [][]string {
	total := 0
	for _, g := range groups {
		total += len(g)
	}
	columns := [][]string{nil}
	for _, g := range groups {
		last := len(columns) - 1
		if here := len(columns[last]); here > 0 && len(columns) < n && here+len(g)/2 > total/n {
			columns = append(columns, nil)
			last++
		}
		columns[last] = append(columns[last], g...)
	}
	for i, c := range columns {
		columns[i] = c[:len(c)-1] // the blank line behind the last group
	}
	return columns
}

// padStyled fills a line that may have colours up to a width.
func padStyled(line string, width int) string {
	return line + strings.Repeat(" ", max(width-ansi.StringWidth(line), 0))
}

func helpLine(b keymap.Binding, width int, th themes.Theme) string {
	keys := b.ShowAll()
	pad := min(helpKeys, width/2)
	if w := ansi.StringWidth(keys); w < pad {
		keys += strings.Repeat(" ", pad-w)
	} else {
		keys += " "
	}
	keys = ansi.Truncate(keys, width, "")
	return th.Accent.Render(keys) + ansi.Truncate(b.Help, max(width-ansi.StringWidth(keys), 0), "…")
}
