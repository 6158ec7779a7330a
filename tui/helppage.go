package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/keymap"
)

// helpPage lists the key table.
type helpPage struct {
	table *keymap.Table
	top   int // the first line shown
}

func (m *Model) helpActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.HelpDown:     quietly(func() { m.scrollHelp(1) }),
		keymap.HelpUp:       quietly(func() { m.scrollHelp(-1) }),
		keymap.HelpPageDown: quietly(func() { m.scrollHelp(max(m.size.list-1, 1)) }),
		keymap.HelpPageUp:   quietly(func() { m.scrollHelp(-max(m.size.list-1, 1)) }),
		keymap.CloseHelp:    quietly(func() { m.help = nil; m.dirty = true }),
	}
}

func (m *Model) openHelp() {
	if m.question == nil {
		m.help = &helpPage{table: m.table}
		m.keys.Reset()
		m.dirty = true
	}
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

const helpKeys = 26 // columns for the keys

// all is the whole page. Bindings of one heading stand together, in the table's order.
func (h *helpPage) all(width int, th themes.Theme) []string {
	var out []string
	for _, g := range h.table.Groups() {
		if out != nil {
			out = append(out, "")
		}
		out = append(out, th.Heading.Render(ansi.Truncate(g, width, "")))
		for _, b := range h.table.Bindings() {
			if b.Group == g {
				out = append(out, helpLine(b, width, th))
			}
		}
	}
	return out
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
