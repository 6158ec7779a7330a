package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/fileops"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
	"github.com/nbterm/nbterm/tui/tree"
)

// treePane is the tree of files beside the notebook.
type treePane struct {
	open    bool
	focused bool       // the keyboard is the tree's
	tree    *tree.Tree // nil until it was opened first
	line    *treeLine  // being typed, else nil
	load    treeLoad
	clicks  clicks
	found   FoundFiles // of a host, to be closed at the end
	finding bool
	clip    treeClip
	running []string       // paths of notebooks with a kernel in the host process
	done    []fileops.Done // to files, the last one last
	own     []string       // paths that this changed, the last ones last
}

// treeLine is a line that takes a name for the tree.
type treeLine struct {
	label, note string
	text        lineedit.Line
	changed     func()                    // after each key; nil for nothing
	keep        func(text string) tea.Cmd // for Enter
	forget      func()                    // for Escape; nil for nothing
}

const (
	leastBeside = 60 // columns of a screen on which the tree stands beside the notebook, not over it
	leastTree   = 24
	mostTree    = 60
)

func (m *Model) treeActions() map[keymap.Action]func() tea.Cmd {
	t := func(f func(*tree.Tree)) func() tea.Cmd { return m.onTreeDo(f) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.ToggleTree:   m.toggleTree,
		keymap.OpenTree:     m.openTree,
		keymap.LeaveTree:    quietly(m.escapeTree),
		keymap.TreeDown:     t(func(t *tree.Tree) { t.Move(1) }),
		keymap.TreeUp:       t(func(t *tree.Tree) { t.Move(-1) }),
		keymap.TreePageDown: t(func(t *tree.Tree) { t.Move(t.Page()) }),
		keymap.TreePageUp:   t(func(t *tree.Tree) { t.Move(-t.Page()) }),
		keymap.TreeFirst:    t(func(t *tree.Tree) { t.Choose(0) }),
		keymap.TreeLast:     t(func(t *tree.Tree) { t.Choose(t.Len() - 1) }),
		keymap.TreeOpen:     m.treeOpen,
		keymap.TreeReplace:  m.treeReplace,
		keymap.TreeExpand:   m.treeExpand,
		keymap.TreeCollapse: m.treeCollapse,
		keymap.TreeParent:   m.treeParent,
		keymap.TreeFilter:   quietly(m.askTreeFilter),
		keymap.TreeHidden:   quietly(m.toggleHidden),
		keymap.TreeIgnored:  quietly(m.toggleIgnored),
		keymap.TreeSort:     m.sortTree,
		keymap.TreeRefresh:  m.refreshTree,
		keymap.TreeKeep:     m.keepTreeLine,
		keymap.TreeForget:   quietly(m.forgetTreeLine),
	}
}

// onTreeDo makes a handler of what only moves the cursor.
func (m *Model) onTreeDo(f func(*tree.Tree)) func() tea.Cmd {
	return func() tea.Cmd {
		if m.tree.tree != nil {
			f(m.tree.tree)
			m.dirty = true
		}
		return nil
	}
}

// toggleTree opens the tree with the keyboard on it, or closes it.
func (m *Model) toggleTree() tea.Cmd {
	if m.tree.open {
		m.closeTree()
		return nil
	}
	return m.openTree()
}

// openTree shows the tree, if it does not show, and gives it the keyboard.
func (m *Model) openTree() tea.Cmd {
	switch {
	case m.tree.finding:
		return nil
	case m.opt.Files == nil && m.opt.FindFiles != nil:
		return m.findFiles()
	case m.opt.Files == nil:
		m.setHint("there are no files to show here")
		return nil
	}
	cmd := m.showTree()
	m.leaveEdit()
	m.tree.focused = true
	m.keys.Reset()
	return cmd
}

// beginTree opens the tree at the start, where that was asked for. Over SSH it costs much:
// with it beside the notebook each scrolled line is a screen full of bytes. That is said
// among what stays: other news of the start must not cover it.
func (m *Model) beginTree() tea.Cmd {
	if !m.opt.OpenTree {
		return nil
	}
	if m.opt.getenv("SSH_TTY") != "" || m.opt.getenv("SSH_CONNECTION") != "" { // a tmux passes on only the second to new windows
		m.say(info, m.slowTree())
		return nil
	}
	return m.openTree()
}

// slowTree says why the tree does not show over SSH.
func (m *Model) slowTree() string {
	return "the tree would make scrolling slow over SSH; " + m.table.Keys(keymap.Command, keymap.OpenTree) + " shows it"
}

// showTree shows the tree. What it wants is read, anew if it was shown before.
func (m *Model) showTree() tea.Cmd {
	m.dirty = true
	if m.tree.open {
		return nil
	}
	m.tree.open = true
	m.messages.drop(m.slowTree())
	m.layout()
	m.penMoved()
	if m.tree.tree == nil {
		return tea.Batch(m.findTreeRoot(m.treeRoot()), m.findRunningPaths())
	}
	return tea.Batch(m.wantAll(), m.findRunningPaths())
}

func (m *Model) closeTree() {
	m.tree.open, m.tree.focused, m.tree.line = false, false, nil
	m.keys.Reset()
	m.tree.load.close()
	m.layout()
	m.list.Reveal(m.selected)
	m.penMoved()
	m.dirty = true
}

// escapeTree gives up the filter, else gives the keyboard back to the notebook.
func (m *Model) escapeTree() {
	switch t := m.tree.tree; {
	case len(m.messages.stack) > 0 || m.hint.covered:
		m.dismiss()
	case t != nil && t.Filtering() != "":
		t.Filter("")
	default:
		m.leaveTree()
	}
	m.dirty = true
}

// leaveTree gives the keyboard back to the notebook. Where the tree covers that, it closes.
func (m *Model) leaveTree() {
	if !m.tree.focused {
		return
	}
	m.tree.focused, m.tree.line = false, nil
	m.keys.Reset()
	m.dirty = true
	if m.treeCovers() {
		m.closeTree()
	}
}

// treeCovers tells whether there is no room for tree and notebook side by side.
func (m *Model) treeCovers() bool { return m.width < leastBeside }

// shareColumns gives tree and notebook their columns.
func (m *Model) shareColumns() {
	m.size.page, m.size.tree = m.width, 0
	switch {
	case !m.tree.open:
		return
	case m.treeCovers():
		m.size.tree = m.width
	default:
		m.size.tree = min(max(m.width*3/10, leastTree), mostTree) + 1
		m.size.page = m.width - m.size.tree
	}
	if m.tree.tree != nil {
		m.tree.tree.SetHeight(max(m.size.list-1, 1))
	}
}

// columnOfPage is where the notebook begins.
func (m *Model) columnOfPage() int { return m.width - m.size.page }

// beside moves a cursor of the notebook to where that is.
func (m *Model) beside(c *tea.Cursor) *tea.Cursor {
	if c != nil {
		c.X += m.columnOfPage()
	}
	return c
}

// treeShows tells whether the tree is on the screen: pages that stand in the notebook's
// place take its columns too.
func (m *Model) treeShows() bool {
	return m.size.tree > 0 && m.compare == nil && m.help == nil
}

// putTree draws the tree at the left of the notebook's lines.
func (m *Model) putTree(lines []string) {
	if !m.treeShows() {
		return
	}
	width, rule := m.size.tree-1, m.look.theme.Border.Render("│")
	if m.treeCovers() {
		width, rule = m.size.tree, ""
	}
	for i, left := range m.treeLines(width, len(lines)) {
		if lines[i] = left + rule + lines[i]; rule == "" {
			lines[i] = left
		}
	}
}

// treeLines draws n lines of the tree: its root, and the rows.
func (m *Model) treeLines(width, n int) []string {
	th := m.look.theme
	lines := make([]string, 0, n)
	if n == 0 {
		return lines
	}
	lines = append(lines, th.Heading.Render(m.treeHead(width)))
	m.markRunning()
	if m.tree.tree == nil {
		lines = append(lines, padTo(th.Muted.Render("  …"), width))
	} else {
		lines = append(lines, m.tree.tree.Lines(width, tree.Look{
			Theme: th, Icons: m.opt.treeIcons(), Focused: m.tree.focused, Now: m.look.now(),
		})...)
	}
	lines = lines[:min(len(lines), n)]
	for len(lines) < n {
		lines = append(lines, strings.Repeat(" ", width))
	}
	return lines
}

// treeHead names the root, and the place of the files where that is not this machine.
func (m *Model) treeHead(width int) string {
	place := ""
	if caps := m.opt.Files.Capabilities(); caps.Remote {
		place = "[" + render.Sanitize(caps.Name) + "] "
	}
	if m.tree.tree == nil {
		return padTo(ansi.Truncate(" "+place, width, "…"), width)
	}
	root := render.Sanitize(strings.ToValidUTF8(m.tree.tree.Root(), "�"))
	if home := m.opt.getenv("HOME"); home != "" && place == "" && (root == home || strings.HasPrefix(root, home+"/")) {
		root = "~" + root[len(home):]
	}
	place = ansi.Truncate(" "+place, width, "…")
	if over := ansi.StringWidth(place) + ansi.StringWidth(root) - width; over > 0 {
		root = ansi.TruncateLeft(root, over+1, "…")
	}
	return ansi.Truncate(padTo(place+root, width), width, "")
}

// The ways of Options.TreeIcons.
const (
	TreeASCII   = "ascii"
	TreeUnicode = "unicode"
)

// treeIcons are the icons that the settings ask for.
func (o Options) treeIcons() tree.Icons {
	if o.TreeIcons == TreeUnicode {
		return tree.Unicode()
	}
	return tree.ASCII()
}

// onTree tells whether a cell of the screen is the tree's.
func (m *Model) onTree(x, y int) bool {
	return m.treeShows() && x < m.size.tree && y < m.size.list
}

func (m *Model) scrollTree(n int) {
	if m.tree.tree != nil {
		m.tree.tree.Scroll(n)
		m.dirty = true
	}
}

// clickTree goes to a row. A click on a folder expands or collapses it, two open a file.
func (m *Model) clickTree(c tea.MouseClickMsg) tea.Cmd {
	n := m.tree.clicks.count(c.X, c.Y, m.look.now())
	m.leaveEdit()
	m.tree.focused = true
	m.keys.Reset()
	m.dirty = true
	t := m.tree.tree
	if t == nil {
		return nil
	}
	row, ok := t.RowAt(c.Y - 1)
	if !ok {
		return nil
	}
	t.Choose(row)
	if _, e, _ := t.Current(); n == 1 && e.Kind != tree.Folder {
		return nil
	}
	return m.treeOpen()
}

// treeStat is the status bar's word about the tree.
func (m *Model) treeStat() string {
	t := m.tree.tree
	if t == nil {
		return ""
	}
	label := counted(min(t.Cursor()+1, t.Len())) + "/" + counted(t.Len())
	if text := t.Filtering(); text != "" {
		label = "/" + render.Sanitize(text) + "  " + label
	}
	if mode, _ := m.tree.load.mode(); mode == fswatch.ModePoll && !m.opt.Files.Capabilities().Remote {
		label = "polled  " + label
	}
	return label + " "
}

// counted writes a number with commas.
func counted(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
