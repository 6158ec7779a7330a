package tui

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

// openedMsg brings a notebook that was asked for.
type openedMsg struct {
	path    string
	opened  Opened
	err     error
	replace *tab // to be closed for it, nil for none
}

func (m *Model) tabActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.NextTab:     quietly(func() { m.stepTab(1) }),
		keymap.PreviousTab: quietly(func() { m.stepTab(-1) }),
		keymap.CloseTab:    m.closeTab,
	}
}

func (m *Model) stepTab(by int) {
	if n := len(m.tabs); n > 1 {
		m.showTab(m.tabs[(slices.Index(m.tabs, m.active)+by+n)%n])
		return
	}
	m.setHint("this is the only notebook; the tree (" + m.table.Keys(keymap.Command, keymap.OpenTree) + ") opens others")
}

// openNotebook shows the notebook at a path, with slashes: its tab if it is open, else a new
// one. replace closes the tab that shows for it; one that nothing was done in goes anyway.
func (m *Model) openNotebook(path string, replace bool) tea.Cmd {
	place := m.tree.found.Place
	for _, t := range m.tabs {
		if t.file != nil && (slashPath(t.file.Path) == path && place == "" || t.file.Path == place+path) {
			m.leaveTree()
			m.showTab(t)
			return nil
		}
	}
	if m.opt.Open == nil {
		m.setHint("other notebooks cannot be opened here")
		return nil
	}
	var old *tab
	if replace || m.broken != nil || m.untouched() {
		old = m.tab
	}
	m.setHint("opening " + render.Sanitize(filepath.Base(path)))
	open, ask := m.opt.Open, OpenAsk{Path: filepath.FromSlash(path)}
	if place != "" {
		ask = OpenAsk{Path: path, Files: m.opt.Files, Place: place}
	}
	return m.doFree(func(ctx context.Context) tea.Msg {
		o, err := open(ctx, ask)
		return openedMsg{path, o, err, old}
	})
}

// untouched tells whether the notebook that shows is a new one in which nothing was done.
func (m *Model) untouched() bool {
	return m.file != nil && !m.file.Exists() && !m.doc.Dirty() && !m.session.Started()
}

// opened shows a notebook that was opened.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	m.setHint("")
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	m.leavePen()
	m.leaveEdit()
	m.leaveTree()
	m.addTab(msg.opened)
	m.keys.Reset()
	fresh, cmds := m.tab, []tea.Cmd{m.beginTab()}
	if m.broken != nil && msg.replace != nil && msg.replace.broken == nil {
		msg.replace = nil // it shows no more than what was there
	}
	if slices.Contains(m.tabs, msg.replace) {
		m.showTab(msg.replace)
		cmds = append(cmds, m.closeTab())
		if m.question == nil {
			m.showTab(fresh)
		}
	}
	m.dirty = true
	return tea.Batch(cmds...)
}

// removeTab shows another tab in the place of one that is closed.
func (m *Model) removeTab(t *tab) {
	at := slices.Index(m.tabs, t)
	m.tabs = slices.Delete(m.tabs, at, at+1)
	m.showTab(m.tabs[min(at, len(m.tabs)-1)])
}

// tabLine names the open notebooks, the one that shows in sight.
func (m *Model) tabLine() string {
	th := m.look.theme
	var labels []string
	shown := slices.Index(m.tabs, m.active)
	for i, t := range m.tabs {
		name := "untitled"
		switch {
		case t.broken != nil:
			name = filepath.Base(t.broken.Path)
		case t.file != nil:
			name = filepath.Base(t.file.Path)
		}
		label := " " + strconv.Itoa(i+1) + " " + ansi.Truncate(render.Sanitize(name), max(m.width/3, 8), "…") + " "
		if t.doc.Dirty() {
			label = " " + strconv.Itoa(i+1) + " ●" + label[len(strconv.Itoa(i+1))+2:]
		}
		if t.session.Running() {
			label += "* "
		}
		labels = append(labels, label)
	}
	from, width := shown, ansi.StringWidth(labels[shown])
	for from > 0 && width+ansi.StringWidth(labels[from-1]) < m.width-2 {
		from--
		width += ansi.StringWidth(labels[from])
	}
	var b strings.Builder
	room := m.width
	if from > 0 {
		b.WriteString(th.Muted.Render("‹"))
		room--
	}
	for i := from; i < len(labels) && room > 0; i++ {
		style := th.Muted
		if i == shown {
			style = th.Selection
		}
		label := ansi.Truncate(labels[i], room, "›")
		room -= ansi.StringWidth(label)
		b.WriteString(style.Render(label))
	}
	return b.String()
}

// routeTab handles a message of a tab, which need not be the one that shows.
func (m *Model) routeTab(msg tabMsg) tea.Cmd {
	switch {
	case msg.tab == m.tab:
		return m.route(msg.msg)
	case !slices.Contains(m.tabs, msg.tab):
		if _, counted := msg.msg.(doneMsg); counted {
			m.pending--
		}
		return nil
	}
	m.tab = msg.tab
	cmd := tea.Batch(m.route(msg.msg), m.settle(), m.keepCopy())
	m.tab = m.active
	m.dirty = true // what was laid out may be the other's
	return cmd
}

// eachTab calls f for each tab, as if it was the one that shows.
func (m *Model) eachTab(f func()) {
	for _, t := range slices.Clone(m.tabs) {
		m.tab = t
		f()
	}
	m.tab = m.active
}

// showTab shows a tab.
func (m *Model) showTab(t *tab) {
	if t == m.active {
		return
	}
	m.leavePen()
	m.tab, m.active = t, t
	m.keys.Reset()
	m.layout()
	m.measureDrawn()
	m.list.Reveal(m.selected)
	m.penMoved()
	m.dirty = true
}

// leavePen ends what is half done in the tab that shows: a sequence of keys, a drag.
func (m *Model) leavePen() {
	m.editing.burst.End()
	m.editing.drag.held = false
	m.dropCompletion()
}
