package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/find"
	"github.com/nbterm/nbterm/tui/keymap"
)

func (m *Model) outputActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.ClearOutput:   quietly(m.clearOutput),
		keymap.CopyOutput:    m.copyOutput,
		keymap.NextForm:      quietly(m.nextForm),
		keymap.FoldOutput:    quietly(func() { m.setFold(foldAll) }),
		keymap.ExpandOutput:  m.expand,
		keymap.FoldInput:     quietly(m.foldInput),
		keymap.EarlierOutput: quietly(m.earlierOutput),
		keymap.PanLeft:       quietly(func() { m.pan(-1) }),
		keymap.PanRight:      quietly(func() { m.pan(1) }),
	}
}

func (m *Model) clearOutput() {
	if current := m.cell(); current == nil || m.someRun(m.chosen()) {
		return
	}
	m.changeChosen("clear the output", func(c *cellView) []notebook.Op {
		return []notebook.Op{notebook.ClearOutputs{Keys: []notebook.CellKey{c.key}}}
	})
}

// eachChosen changes how the selected cells are drawn.
func (m *Model) eachChosen(f func(c *cellView)) {
	for _, c := range m.chosen() {
		f(c)
	}
	m.refresh(keysOf(m.chosen())...)
	m.list.Reveal(m.selected)
}

// setFold folds the outputs as asked, or back as they were.
func (m *Model) setFold(f fold) {
	if c := m.cell(); c != nil && c.fold == f {
		f = foldLong
	}
	m.eachChosen(func(c *cellView) { c.fold = f })
}

// expand shows all of the outputs.
func (m *Model) expand() tea.Cmd {
	var blocks []render.Block
	for _, c := range m.chosen() {
		c.decode()
		blocks = append(blocks, c.order...)
	}
	return m.whole(blocks, max(m.size.page-m.look.gutter(m.size.page), 1), func() tea.Cmd {
		m.setFold(foldNone)
		return nil
	})
}

func (m *Model) foldInput() {
	if c := m.cell(); c != nil {
		hide := !c.inputFolded
		m.eachChosen(func(c *cellView) { c.inputFolded = hide })
	}
}

// nextForm goes through the MIME forms of the cell's outputs; the first is the one that
// reads best.
func (m *Model) nextForm() {
	c := m.cell()
	if c == nil {
		return
	}
	name := c.nextForm()
	if name == "" {
		m.setHint("the output has one form only")
		return
	}
	m.refresh(c.key)
	m.list.Reveal(m.selected)
	m.setHint("shown as " + name)
}

// pan scrolls the tables of the selected cells sideways.
func (m *Model) pan(by int) {
	moved := false
	for _, c := range m.chosen() {
		for _, b := range c.order {
			moved = render.Pan(b, by) || moved
		}
	}
	if !moved {
		m.setHint("no table goes on there")
		return
	}
	m.refresh(keysOf(m.chosen())...)
}

// copyOutput copies the outputs of the selected cells as text.
func (m *Model) copyOutput() tea.Cmd {
	var texts []string
	for _, c := range m.chosen() {
		for _, o := range c.shown() {
			if text := find.OutputText(o.Decode()); text != "" {
				texts = append(texts, strings.TrimSuffix(text, "\n"))
			}
		}
	}
	if len(texts) == 0 {
		m.setHint("there is no output that can be copied as text")
		return nil
	}
	text := strings.Join(texts, "\n")
	m.setHint(fmt.Sprintf("copied %s of output", lineCount(strings.Count(text, "\n")+1)))
	return m.toClipboard(text)
}

// clipboardLimit is what terminals take in one sequence; more is dropped by some, and
// stops others.
const clipboardLimit = 1 << 20

// toClipboard sets the terminal's clipboard (OSC 52), which works over SSH too. A terminal
// that does not know the sequence ignores it.
func (m *Model) toClipboard(text string) tea.Cmd {
	if len(text) > clipboardLimit {
		m.setHint(fmt.Sprintf("%d KB are too much for the terminal's clipboard", len(text)>>10))
		return nil
	}
	return tea.SetClipboard(text)
}
