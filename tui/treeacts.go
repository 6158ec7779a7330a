package tui

import (
	"context"
	"errors"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/tree"
)

// isBelow tells whether a path is in a folder or below it.
func isBelow(p, dir string) bool {
	return strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// treeOpen expands a folder or collapses it, and opens a file.
func (m *Model) treeOpen() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	p, e, ok := t.Current()
	switch {
	case !ok:
		return nil
	case e.Is(tree.Broken):
		return m.explainLink(p)
	case e.Kind == tree.Folder && t.Expanded(p):
		return m.treeCollapse()
	case e.Kind == tree.Folder:
		return m.treeExpand()
	case e.Notebook():
		return m.openNotebook(p, false)
	}
	return m.preview(p)
}

// treeReplace opens a notebook in place of the one that shows.
func (m *Model) treeReplace() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	p, e, ok := t.Current()
	if !ok || !e.Notebook() || e.Is(tree.Broken) {
		m.setHint("only a notebook can take the place of one")
		return nil
	}
	return m.openNotebook(p, true)
}

// explainLink says why a link leads nowhere.
func (m *Model) explainLink(p string) tea.Cmd {
	files := m.opt.Files
	return m.doFree(func(ctx context.Context) tea.Msg {
		e, err := files.Stat(ctx, p)
		name := render.Sanitize(path.Base(p))
		switch {
		case err != nil:
			return treeSaidMsg{failure, plainError(err)}
		case e.Problem == fswatch.Invalid:
			return treeSaidMsg{failure, name + " is a link that leads in a circle"}
		case e.Problem == fswatch.Permission:
			return treeSaidMsg{failure, name + " is a link to something that you may not read"}
		}
		return treeSaidMsg{failure, name + " is a link that leads nowhere"}
	})
}

// treeSaidMsg is something to say about a file.
type treeSaidMsg struct {
	kind kind
	text string
}

// plainError is what an error of the files says.
func plainError(err error) string {
	var own *fswatch.Error
	if errors.As(err, &own) {
		return own.Error()
	}
	return err.Error()
}

func (m *Model) treeExpand() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	p, e, ok := t.Current()
	if !ok || e.Kind != tree.Folder {
		return nil
	}
	m.dirty = true
	if t.Expanded(p) { // into it
		t.Move(1)
		return nil
	}
	t.Expand()
	return tea.Batch(m.listFirst(p), m.watchTree())
}

func (m *Model) treeCollapse() tea.Cmd {
	t := m.tree.tree
	m.dirty = true
	if t == nil || !t.Collapse() {
		return nil
	}
	return m.watchTree()
}

// treeParent shows the folder above the root.
func (m *Model) treeParent() tea.Cmd {
	t := m.tree.tree
	if t == nil || path.Dir(t.Root()) == t.Root() {
		return nil
	}
	old := t.Root()
	m.tree.load.reveal = old
	return m.setTreeRoot(path.Dir(old))
}

func (m *Model) toggleHidden() {
	if t := m.tree.tree; t != nil {
		t.ToggleHidden()
		m.setHint(map[bool]string{true: "hidden files show", false: "hidden files do not show"}[t.Hidden()])
	}
}

func (m *Model) toggleIgnored() {
	if t := m.tree.tree; t != nil {
		t.ToggleIgnored()
		m.setHint(map[bool]string{true: "files that .gitignore names do not show", false: "files that .gitignore names show"}[t.HidesIgnored()])
	}
}

// sortTree goes on to the next order. Sorting is done where folders are read.
func (m *Model) sortTree() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	t.SetOrder(t.Order().Next())
	m.setHint("sorted by " + t.Order().String())
	return m.listSoon(t.Want()...)
}

func (m *Model) refreshTree() tea.Cmd {
	if m.tree.tree == nil {
		return nil
	}
	m.tree.load.forget = true
	m.setHint("all folders are read again")
	return tea.Batch(m.listSoon(m.tree.tree.Want()...), m.findRunningPaths())
}

// askTreeFilter opens the line of the filter.
func (m *Model) askTreeFilter() {
	t := m.tree.tree
	if t == nil {
		return
	}
	line := &treeLine{
		label: "/", note: "Enter keeps, Esc forgets",
		keep: func(string) tea.Cmd {
			t.Chose()
			return nil
		},
		forget: func() { t.Filter("") },
	}
	line.text.Insert(t.Filtering())
	line.changed = func() { t.Filter(line.text.String()) }
	m.openTreeLine(line)
}

func (m *Model) openTreeLine(l *treeLine) {
	m.tree.line = l
	m.keys.Reset()
	m.dirty = true
}

func (m *Model) treeLineChanged() tea.Cmd {
	if l := m.tree.line; l != nil && l.changed != nil {
		l.changed()
	}
	m.dirty = true
	return nil
}

func (m *Model) keepTreeLine() tea.Cmd {
	l := m.tree.line
	m.tree.line = nil
	m.dirty = true
	if l == nil {
		return nil
	}
	return l.keep(l.text.String())
}

func (m *Model) forgetTreeLine() {
	l := m.tree.line
	m.tree.line = nil
	m.dirty = true
	if l != nil && l.forget != nil {
		l.forget()
	}
}

// treeLineDrawn draws the line that is typed for the tree.
func (m *Model) treeLineDrawn() string {
	line, _ := m.inputLine(m.tree.line.label, &m.tree.line.text, m.tree.line.note)
	return line
}

func (m *Model) treeLineCursor() *tea.Cursor {
	_, x := m.inputLine(m.tree.line.label, &m.tree.line.text, m.tree.line.note)
	return tea.NewCursor(min(x, m.width-1), m.size.list+m.size.pane+m.size.notes-1)
}
