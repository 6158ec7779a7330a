package tui

import (
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/celllist"
	"github.com/nbterm/nbterm/tui/keymap"
)

// Model is the program's state. The goroutine of Bubble Tea's event loop owns it, and
// after Run's event loop ended the goroutine that called Run.
type Model struct {
	*tab          // the notebook that is worked on: the active one, but while a message of another is handled
	active *tab   // the notebook that shows
	tabs   []*tab // all that are open; never empty

	opt     Options
	free    *jobs // of no tab
	pending int   // commands whose result was not handled yet
	probing probing

	table *keymap.Table
	keys  *keymap.Resolver
	acts  map[keymap.Action]func() tea.Cmd

	clipboard []notebook.NewCell
	theme     themes.Theme
	pictures  *render.Pictures // of all tabs: their numbers are the terminal's
	painting  bool             // some are being decoded

	attention attention
	messages  messages
	hint      hint
	help      *helpPage
	recent    []string // names of the actions that were called by name, the last one first
	tree      treePane
	editor    *editorRun // the external editor that runs, for signals

	width, height int
	size          sizing
	frame         tea.View
	frames        int // how many different frames there were
	clock         workClock
	dirty         bool // the frame must be rebuilt
	sixteen       bool // the terminal has 16 colours
	mouseOff      bool
	modifiedEnter bool // this terminal can send Shift-Enter
	remains       remains
	swallow       bool // the rest of a key that the terminal library does not know comes next

	leave  OnQuit // what the user wants to become of the kernel
	stop   bool   // the user agreed that what runs ends with the program
	signal os.Signal
}

func newModel(opt Options) *Model {
	table := keymap.Default()
	m := &Model{
		opt: opt, free: &jobs{pool: newPool()}, table: table, theme: opt.Theme, pictures: &render.Pictures{}, keys: keymap.NewResolver(table), dirty: true,
		width: opt.Width, height: opt.Height, editor: &editorRun{},
	}
	m.acts = m.handlers()
	m.openPictures()
	m.addTab(Opened{Session: opt.Session, File: opt.File, Remote: opt.Remote, Broken: opt.Broken, Notices: opt.Notices})
	return m
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var modes tea.Cmd
	if m.opt.getenv("SSH_TTY") != "" {
		// Bubble Tea does not ask unknown terminals over SSH for synchronized output and
		// grapheme widths, though the link is where they help most. A terminal that does not
		// know the query ignores it.
		modes = tea.Raw(queryModes)
	}
	return tea.Batch(modes, m.askBackground(), m.askKitty(), m.beginTab(), m.beginTree())
}

// mode is what the keyboard is for.
func (m *Model) mode() keymap.Mode {
	switch {
	case m.question != nil:
		return keymap.Question
	case m.broken != nil && !m.tree.focused:
		return keymap.Text
	case m.path != nil:
		return keymap.Path
	case m.picker != nil:
		return keymap.List
	case m.find.open:
		return keymap.Find
	case m.help != nil && m.help.asking:
		return keymap.HelpLine
	case m.help != nil:
		return keymap.Help
	case m.pane != nil && m.pane.asking:
		return keymap.PaneLine
	case m.pane != nil:
		return keymap.Pane
	case m.tree.focused && m.tree.line != nil:
		return keymap.TreeLine
	case m.tree.focused:
		return keymap.Tree
	case m.prompt.focused:
		return keymap.Prompt
	case m.editing.cell != nil:
		return keymap.Edit
	}
	return keymap.Command
}

// cell is the selected cell's view, nil in a notebook without cells.
func (m *Model) cell() *cellView {
	if m.selected < 0 || m.selected >= len(m.cells) {
		return nil
	}
	return m.cells[m.selected]
}

// syncCells takes over the document's cells after it changed. Views of cells that are
// still there stay, with all that they drew.
func (m *Model) syncCells() {
	cells := m.doc.Cells()
	m.cells = m.cells[:0]
	items := make([]celllist.Item, len(cells))
	present := make(map[notebook.CellKey]*cellView, len(cells))
	for i, c := range cells {
		v := m.byKey[c.Key]
		if v == nil {
			v = newCellView(c, m.look)
		}
		v.set(c, m.session.Status(c.Key))
		present[c.Key] = v
		m.cells = append(m.cells, v)
		items[i] = v
	}
	m.byKey = present
	m.list.SetItems(items)
	at := m.selected
	if m.current != nil && present[m.current.key] == m.current {
		at = m.doc.Index(m.current.key)
	}
	m.choose(at)
	m.dirty = true
}

// choose makes cell i the selected one, as near as there is one.
func (m *Model) choose(i int) {
	if m.current != nil {
		m.current.selected = false
	}
	m.selected = max(min(i, len(m.cells)-1), 0)
	if m.current = m.cell(); m.current != nil {
		m.current.selected = true
	}
	m.keepEdit()
	m.showSpan()
	m.dirty = true
}

// refresh redraws cells after their content or status changed.
func (m *Model) refresh(keys ...notebook.CellKey) {
	for _, key := range keys {
		v, c := m.byKey[key], m.doc.Cell(key)
		if v == nil || c == nil {
			continue
		}
		v.set(c, m.session.Status(key))
		v.setAnswers(m.session.Answers(key))
		v.touch()
		m.list.Changed(m.doc.Index(key))
	}
	m.numberQueue()
	m.dirty = true
}
