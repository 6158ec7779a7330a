package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

func (m *Model) paletteActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.OpenPalette: quietly(m.openPalette),
		keymap.CommandLine: quietly(m.openCommandLine),
	}
}

// openPalette lists all actions of the mode that it is opened from, and the headings of the notebook.
func (m *Model) openPalette() {
	all := m.actionItems()
	headings := m.headingItems()
	for i := range headings {
		headings[i].group = "headings"
	}
	all = append(all, headings...)
	m.openPicker(&picker{
		label: "> ", note: "actions and headings", empty: "nothing is called that",
		items: func(text string) []item { return rankItems(all, text) },
	})
}

// openCommandLine takes a number of a cell or a command, and lists what it could be.
func (m *Model) openCommandLine() {
	all := m.actionItems()
	m.openPicker(&picker{
		label: ":", note: "N: cell N · N:M its line M · line M · a command", empty: "there is no such command",
		items: func(text string) []item {
			return slices.Concat(m.short(text), m.places(text), rankItems(all, text))
		},
	})
}

func (m *Model) openOutline() {
	all := m.headingItems()
	m.openPicker(&picker{
		label: "§ ", note: "headings", empty: "no cell has a Markdown heading",
		items: func(text string) []item { return rankItems(all, text) },
	})
}

// actionItems are the actions that can be called by name, those that were last.
func (m *Model) actionItems() []item {
	var all []item
	seen := map[keymap.Action]bool{}
	for _, rows := range m.callable() {
		for _, b := range rows {
			if m.acts[b.Action] != nil && !seen[b.Action] {
				seen[b.Action] = true
				all = append(all, m.actionItem(b))
			}
		}
	}
	all = slices.Concat(all, m.errorItems(), m.pagerItems())
	if len(m.recent) == 0 {
		return all
	}
	var first []item
	for _, name := range m.recent {
		if i := slices.IndexFunc(all, func(it item) bool { return it.name == name }); i >= 0 {
			first = append(first, all[i])
			all = slices.Delete(all, i, i+1)
			first[len(first)-1].group = "recently used"
		}
	}
	for i := range all {
		all[i].group = "all"
	}
	return append(first, all...)
}

// callable are the rows of the key table whose actions can be called now: those of the
// mode, those of command mode, and those of edit mode, which begin with editing.
func (m *Model) callable() [3][]keymap.Binding {
	var own, command, edit []keymap.Binding
	mode := m.mode()
	for _, b := range m.table.Bindings() {
		switch b.Mode {
		case keymap.Command, keymap.Everywhere:
			command = append(command, b)
		case mode:
			own = append(own, b)
		case keymap.Edit:
			edit = append(edit, b)
		default:
		}
	}
	return [...][]keymap.Binding{own, command, edit}
}

// mostRecent is how many actions are remembered as recently used.
const mostRecent = 8

func (m *Model) actionItem(b keymap.Binding) item {
	return item{name: b.Help, detail: b.Group, right: b.ShowAll(), do: func() tea.Cmd {
		m.recent = slices.DeleteFunc(m.recent, func(name string) bool { return name == b.Help })
		m.recent = slices.Insert(m.recent, 0, b.Help)
		m.recent = m.recent[:min(len(m.recent), mostRecent)]
		if b.Mode == keymap.Edit && m.editing.cell == nil && !m.enterEdit() {
			return nil
		}
		return m.act(b.Action)
	}}
}

// headingItems are the headings of the Markdown cells, indented by their level.
func (m *Model) headingItems() []item {
	var out []item
	for i, c := range m.doc.Cells() {
		for _, h := range notebook.Headings(c) {
			out = append(out, item{
				name: strings.Repeat("  ", h.Level-1) + "§ " + render.Sanitize(h.Text), right: fmt.Sprintf("cell %d", i+1),
				do: quietly(func() { m.goToLine(m.doc.Index(c.Key), h.Line) }),
			})
		}
	}
	return out
}

// short are commands that people who know vi type.
func (m *Model) short(typed string) []item {
	switch strings.TrimSpace(typed) {
	case "w":
		return []item{{name: "save", do: func() tea.Cmd { return m.act(keymap.Save) }}}
	case "q":
		return []item{{name: "quit", do: func() tea.Cmd { return m.act(keymap.Quit) }}}
	case "wq", "x":
		return []item{{name: "save and quit", do: func() tea.Cmd { return m.userSave(m.quit) }}}
	case "outline":
		return []item{{name: "outline", detail: "go to a heading", do: quietly(m.openOutline)}}
	}
	return nil
}

// places are the items for a cell's or line's number that was typed.
func (m *Model) places(typed string) []item {
	typed = strings.TrimSpace(typed)
	if n, ok := number(strings.TrimPrefix(typed, "split ")); ok && strings.HasPrefix(typed, "split ") {
		return m.splitItem(n)
	}
	if rest, ok := strings.CutPrefix(typed, "line "); ok {
		typed = ":" + rest
	}
	first, second, two := strings.Cut(typed, ":")
	cell, okCell := number(first)
	line, okLine := number(second)
	switch {
	case two && first == "" && okLine: // a line of this cell
		cell = m.selected + 1
	case !okCell || two && second != "" && !okLine:
		return nil
	}
	if len(m.cells) == 0 {
		return nil
	}
	cell = min(max(cell, 1), len(m.cells))
	name := fmt.Sprintf("go to cell %d of %d", cell, len(m.cells))
	if okLine {
		name = fmt.Sprintf("go to line %d of cell %d", line, cell)
	}
	return []item{{name: name, do: quietly(func() { m.goToLine(cell-1, line-1) })}}
}

// splitItem offers to split the selected cell above one of its lines.
func (m *Model) splitItem(line int) []item {
	c := m.cell()
	if c == nil || line < 2 || line > strings.Count(c.cell.Source, "\n")+1 {
		return nil
	}
	at := len(firstLines(c.cell.Source, line-1))
	return []item{{name: fmt.Sprintf("split the cell above line %d", line), do: quietly(func() { m.split(c.key, at) })}}
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && n >= 0
}

// goToLine selects cell i and shows a line of its source, counted from 0; of a lower one,
// the cell's beginning.
func (m *Model) goToLine(i, line int) {
	if i < 0 || i >= len(m.cells) {
		return
	}
	m.selectCell(i)
	if line <= 0 {
		return
	}
	c := m.cells[i]
	if c.inputFolded {
		c.inputFolded = false
		m.refresh(c.key)
	}
	m.list.RevealLine(i, c.rowOfLine(line, m.size.page))
	m.dirty = true
}
