package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/keymap"
)

// resizeQuiet is how long the size must rest before the notebook is laid out anew: a
// window that is dragged sends many sizes, and each costs a full paint.
const resizeQuiet = 60 * time.Millisecond

// sizing is how the rows are shared out, and sizes on their way.
type sizing struct {
	list   int // rows of the notebook
	page   int // columns of the notebook
	tree   int // columns of the tree, its rule at the right included; 0: it does not show
	notes  int // rows of a message, a question or a hint
	pane   int // rows of the pane below it
	tabs   int // rows that name the open notebooks: none for a single one
	status int // rows of the status bar

	known   bool // a first size was taken
	pending tea.WindowSizeMsg
	serial  int
}

type (
	sizeMsg        struct{ tea.WindowSizeMsg } // the terminal's, to be waited out
	sizeSettledMsg int                         // the serial of a size that was waited out
	sizeReadyMsg   struct{ tea.WindowSizeMsg } // becomes a WindowSizeMsg that passes
)

// filterSizes keeps sizes from the renderer until they settled: it erases the screen for
// each. It is the program's message filter.
func filterSizes(model tea.Model, msg tea.Msg) tea.Msg {
	m, ok := model.(*Model)
	if !ok {
		return msg
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if m.size.known && (msg.Width != m.width || msg.Height != m.height || m.size.pending != (tea.WindowSizeMsg{})) {
			return sizeMsg{msg}
		}
		m.size.known = true
	case sizeReadyMsg:
		return msg.WindowSizeMsg
	}
	return msg
}

func (m *Model) sizeComing(msg sizeMsg) tea.Cmd {
	m.size.pending = msg.WindowSizeMsg
	m.size.serial++
	return m.free.after(resizeQuiet, sizeSettledMsg(m.size.serial))
}

// sizeSettled lets the newest size through.
func (m *Model) sizeSettled(msg sizeSettledMsg) tea.Cmd {
	if int(msg) != m.size.serial {
		return nil
	}
	ready := sizeReadyMsg{m.size.pending}
	return func() tea.Msg { return ready }
}

func (m *Model) resized(width, height int) {
	m.size.pending = tea.WindowSizeMsg{}
	m.width, m.height = width, height
	m.layout()
	m.list.Reveal(m.selected)
	m.penMoved()
	m.keepTail()
	m.dirty = true
}

// leastForTabs is how many rows a screen has that shows the names of the tabs.
const leastForTabs = 8

// layout shares out the rows. The notebook gets what the others leave, and at least one.
func (m *Model) layout() {
	m.size.status = 0
	if m.height >= 2 {
		m.size.status = 1
	}
	m.size.tabs = 0
	if len(m.tabs) > 1 && m.height >= leastForTabs {
		m.size.tabs = 1
	}
	below := m.size.status + m.size.tabs
	m.size.notes = len(m.notes(max(m.height-below-1, 0)))
	m.size.list = max(m.height-below-m.size.notes, 0)
	m.givePicturesRoom()
	m.size.pane = m.paneHeight(m.size.list)
	m.size.list -= m.size.pane
	m.shareColumns()
	m.list.SetSize(m.size.page, m.size.list)
}

// notes are the lines above the status bar, at most n: a question, else a line that is
// typed, else the newest message. Only a question may take more than a third of a screen of
// some size: it must be answered.
func (m *Model) notes(n int) []string {
	if n > 0 && m.width > 0 && m.question != nil {
		lines := m.question.lines(m.table, m.compare != nil, m.width, n)
		for i, l := range lines {
			lines[i] = m.look.theme.Accent.Render(strings.ReplaceAll(l, unbroken, " "))
		}
		return lines
	}
	n = min(n, max(m.height/3, 1))
	switch {
	case n <= 0 || m.width <= 0:
		return nil
	case m.path != nil:
		return m.path.notes(m.width, n, m.look.theme)
	case m.mode() == keymap.TreeLine:
		return []string{m.treeLineDrawn()}
	case m.help != nil && m.help.asking:
		line, _ := m.inputLine("/", &m.help.line, "Enter keeps, Esc forgets")
		return []string{line}
	case m.find.open && m.picker == nil:
		return m.findLines(n)
	}
	return m.remarks(n)
}
