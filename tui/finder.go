package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/find"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// finder is the search: what was asked for, what was found, and the line it is typed in.
type finder struct {
	open      bool // the line is shown and takes the keys
	once      bool // Enter closes the line
	replacing bool // the second field is shown
	second    bool // and takes the keys
	text      lineedit.Line
	with      lineedit.Line
	query     find.Query // its Text is that of the last search
	last      string     // what was searched for last, also after it was dropped
	pattern   *find.Pattern
	err       error // of the pattern

	from   find.Hit         // where the search began: hits before it come last
	cells  []*notebook.Cell // that were searched
	hits   []find.Hit
	more   bool
	at     int // the hit that was gone to, -1 for none
	serial int // of the newest search
	cancel context.CancelFunc
	busy   bool
	cursor int // column in the field that takes the keys
}

// foundMsg is what a search found.
type foundMsg struct {
	serial int
	hits   []find.Hit
	more   bool
	then   func() tea.Cmd
}

func (m *Model) findActions() map[keymap.Action]func() tea.Cmd {
	toggle := func(flag func(*find.Query) *bool) func() tea.Cmd {
		return func() tea.Cmd {
			f := flag(&m.find.query)
			*f = !*f
			return m.findAgain()
		}
	}
	return map[keymap.Action]func() tea.Cmd{
		keymap.OpenFind:     func() tea.Cmd { return m.openFind(false) },
		keymap.Search:       func() tea.Cmd { return m.openFind(true) },
		keymap.FindNext:     func() tea.Cmd { return m.findStep(1) },
		keymap.FindPrevious: func() tea.Cmd { return m.findStep(-1) },
		keymap.FindDown:     func() tea.Cmd { return m.findStep(1) },
		keymap.FindUp:       func() tea.Cmd { return m.findStep(-1) },
		keymap.FindAccept:   m.findAccept,
		keymap.FindField:    quietly(m.findField),
		keymap.FindCase:     toggle(func(q *find.Query) *bool { return &q.Case }),
		keymap.FindWord:     toggle(func(q *find.Query) *bool { return &q.Word }),
		keymap.FindRegexp:   toggle(func(q *find.Query) *bool { return &q.Regexp }),
		keymap.FindReplace:  m.replaceAll,
		keymap.CloseFind:    quietly(m.closeFind),
	}
}

func (m *Model) openFind(once bool) tea.Cmd {
	if m.question != nil {
		return nil
	}
	f := &m.find
	f.open, f.once, f.replacing, f.second = true, once, false, false
	f.text = lineedit.Line{}
	f.with = lineedit.Line{}
	f.at = -1
	m.findFrom(m.selected)
	m.keys.Reset()
	m.dirty = true
	return m.findAgain()
}

// findFrom lets the next step of the search begin at the top of cell i.
func (m *Model) findFrom(i int) {
	m.find.from = find.Hit{Cell: i, Output: find.Source, From: -1}
	if c := m.cell(); c != nil {
		m.find.from.Key = c.key
	}
}

// closeFind closes the line. The search stays, for the keys that go on with it.
func (m *Model) closeFind() {
	m.find.open = false
	m.dirty = true
}

// dropFind forgets the search, so that nothing is marked any more. It reports whether
// there was one.
func (m *Model) dropFind() bool {
	was := m.find.pattern != nil
	m.find.pattern, m.find.hits, m.find.at = nil, nil, -1
	m.look.marks = marks{}
	m.dirty = m.dirty || was
	return was
}

func (m *Model) findField() {
	f := &m.find
	f.replacing, f.once = true, false
	f.second = !f.second
	m.dirty = true
}

// findAgain searches for what the line says, and goes to the first hit.
func (m *Model) findAgain() tea.Cmd {
	f := &m.find
	f.query.Text = f.text.String()
	if f.query.Text != "" {
		f.last = f.query.Text
	}
	f.pattern, f.err = f.query.Compile()
	m.look.marks = marks{pattern: f.pattern}
	f.at = -1
	return m.search(func() tea.Cmd {
		return m.goToHit(m.firstHit())
	})
}

// search looks for the pattern off this goroutine; then comes after it.
func (m *Model) search(then func() tea.Cmd) tea.Cmd {
	f := &m.find
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	f.serial++
	f.hits, f.more, f.busy = nil, false, false
	m.dirty = true
	if f.pattern == nil {
		return nil
	}
	f.busy = true
	f.cells = m.doc.Cells()
	ctx, cancel := context.WithCancel(m.jobs.ctx)
	f.cancel = cancel
	serial, cells, pattern := f.serial, f.cells, f.pattern
	return m.do(func(context.Context) tea.Msg {
		defer cancel()
		// The only errors are the end of ctx, after which nobody waits for the hits, and a spill
		// file that cannot be read, which drawing it tells.
		hits, more, _ := find.Search(ctx, cells, pattern)
		return foundMsg{serial, hits, more, then}
	})
}

func (m *Model) found(msg foundMsg) tea.Cmd {
	f := &m.find
	if msg.serial != f.serial {
		return nil
	}
	f.hits, f.more, f.busy = msg.hits, msg.more, false
	if i := m.doc.Index(f.from.Key); i >= 0 {
		f.from.Cell = i
	}
	m.dirty = true
	return msg.then()
}

// current tells whether the hits are those of the notebook as it is.
func (f *finder) current(cells []*notebook.Cell) bool {
	return !f.busy && len(cells) == len(f.cells) && (len(cells) == 0 || &cells[0] == &f.cells[0])
}

// fresh calls then with hits of the notebook as it is now.
func (m *Model) fresh(then func() tea.Cmd) tea.Cmd {
	if m.find.current(m.doc.Cells()) {
		return then()
	}
	return m.search(then)
}

// firstHit is the first hit at or behind the place where the search began, -1 for none.
func (m *Model) firstHit() int {
	for i, h := range m.find.hits {
		if !h.Before(m.find.from) {
			return i
		}
	}
	return min(len(m.find.hits), 1) - 1
}

// findStep goes to the next hit, or back for a negative n, and round at the ends.
func (m *Model) findStep(n int) tea.Cmd {
	if m.find.pattern == nil && !m.find.open && m.findLast() {
		return m.search(func() tea.Cmd { return m.stepHit(n) })
	}
	if m.find.pattern == nil {
		if !m.find.open {
			m.setHint("nothing was searched for; " + m.table.Keys(keymap.Command, keymap.Search) + " does")
		}
		return nil
	}
	return m.fresh(func() tea.Cmd { return m.stepHit(n) })
}

// findLast takes up the last search again after it was dropped.
func (m *Model) findLast() bool {
	f := &m.find
	f.query.Text = f.last
	f.pattern, f.err = f.query.Compile()
	m.look.marks = marks{pattern: f.pattern}
	return f.pattern != nil
}

func (m *Model) stepHit(n int) tea.Cmd {
	f := &m.find
	if len(f.hits) == 0 {
		m.setHint("not found: " + render.Sanitize(f.query.Text))
		return nil
	}
	i := m.firstHit()
	switch {
	case n > 0 && !f.from.Before(f.hits[i]) && !f.hits[i].Before(f.from): // standing on it
		i++
	case n < 0:
		i--
	}
	cmd := m.goToHit((i + len(f.hits)) % len(f.hits))
	if !f.open && cmd == nil {
		m.setHint(render.Sanitize(f.query.Text) + ": " + f.count())
	}
	return cmd
}

// findAccept is Enter: on to the next hit, or replace this one.
func (m *Model) findAccept() tea.Cmd {
	f := &m.find
	switch {
	case f.second:
		return m.replaceOne()
	case f.once:
		m.closeFind()
		if f.pattern != nil && len(f.hits) == 0 && !f.busy {
			m.setHint("not found: " + render.Sanitize(f.query.Text))
		}
		return nil
	}
	return m.findStep(1)
}

// goToHit selects the hit's cell and shows its line. Another selection made meanwhile is
// where the next search step begins from.
func (m *Model) goToHit(i int) tea.Cmd {
	f := &m.find
	f.at = i
	if i < 0 || i >= len(f.hits) {
		return nil
	}
	f.from = f.hits[i]
	at := m.doc.Index(f.from.Key)
	if at < 0 {
		return nil
	}
	m.selectCell(at)
	m.find.from = f.hits[i] // selectCell began anew at the cell
	m.dirty = true
	if f.from.Output == find.Source {
		m.revealHit(at)
		return nil
	}
	return m.wholeCell(m.cells[at], func() tea.Cmd {
		// Meanwhile another hit may have been gone to, or none.
		if at := m.doc.Index(f.from.Key); at >= 0 && f.at >= 0 && f.at < len(f.hits) && f.hits[f.at] == f.from {
			m.revealHit(at)
		}
		return nil
	})
}

// revealHit shows the line of the hit that was gone to, which is in cell at.
func (m *Model) revealHit(at int) {
	row := m.cells[at].showHit(m.find.from, m.find.pattern, m.size.page)
	m.list.Changed(at)
	m.list.RevealLine(at, row)
	m.dirty = true
}

// count says where in the hits the search stands.
func (f *finder) count() string {
	plus := ""
	if f.more {
		plus = "+"
	}
	switch {
	case f.err != nil:
		return "not a regular expression"
	case f.pattern == nil:
		return ""
	case f.busy:
		return "…"
	case len(f.hits) == 0:
		return "not found"
	case f.at < 0:
		return fmt.Sprintf("%d%s hits", len(f.hits), plus)
	}
	return fmt.Sprintf("%d of %d%s", f.at+1, len(f.hits), plus)
}

// findRemark is what stands at the right of the line of find: as much as has room.
func (m *Model) findRemark() string {
	f := &m.find
	flags, on := "", ""
	for _, flag := range []struct {
		on     bool
		action keymap.Action
		name   string
	}{{f.query.Case, keymap.FindCase, "case"}, {f.query.Word, keymap.FindWord, "word"}, {f.query.Regexp, keymap.FindRegexp, "regexp"}} {
		name := flag.name
		if flag.on {
			name = "[" + name + "]"
			on += " " + name
		}
		flags += "  " + m.table.Keys(keymap.Find, flag.action) + " " + name
	}
	right := f.count() + flags
	if all := right + "  " + m.table.Keys(keymap.Find, keymap.FindField) + " replace"; !f.once && !f.replacing && ansi.StringWidth(findLabel+f.text.String()+all)+2 <= m.width {
		return all
	}
	if ansi.StringWidth(right) > m.width*2/3 {
		return f.count() + on
	}
	return right
}

const findLabel = "Find: "

// findLines draws the line of find, and that of the replacement.
func (m *Model) findLines(n int) []string {
	f := &m.find
	first, cursor := m.inputLine(findLabel, &f.text, m.findRemark())
	lines := []string{first}
	f.cursor = cursor
	if f.replacing {
		keys := m.table.Keys(keymap.Find, keymap.FindAccept) + " one  " + m.table.Keys(keymap.Find, keymap.FindReplace) + " all"
		second, cursor := m.inputLine("Replace by: ", &f.with, keys)
		switch {
		case n > 1:
			lines = append(lines, second)
		case f.second:
			lines[0] = second
		}
		if f.second {
			f.cursor = cursor
		}
	}
	return append(lines, m.remarks(n-len(lines))...)
}

// inputLine draws a line that is being typed: a label, the text, and a remark at the
// right. It tells in which column the cursor stands.
func (m *Model) inputLine(label string, line *lineedit.Line, right string) (drawn string, cursor int) {
	th := m.look.theme
	label = ansi.Truncate(label, m.width/2, "")
	beside := m.width - ansi.StringWidth(label) - ansi.StringWidth(line.String()) - 2
	right = ansi.Truncate(right, max(m.width*2/3, beside), "")
	text, cursor := windowOf(line, m.width-ansi.StringWidth(label)-ansi.StringWidth(right)-1)
	gap := max(m.width-ansi.StringWidth(label)-ansi.StringWidth(text)-ansi.StringWidth(right), 0)
	return th.Accent.Render(label) + text + strings.Repeat(" ", gap) + th.Muted.Render(right), ansi.StringWidth(label) + cursor
}

// windowOf is the part of a typed line that fits, with its cursor's column.
func windowOf(line *lineedit.Line, room int) (text string, cursor int) {
	room = max(room, 1)
	before, after := line.Parts()
	if over := ansi.StringWidth(before) - (room - 1); over > 0 {
		before = ansi.TruncateLeft(before, over, "")
	}
	cursor = ansi.StringWidth(before)
	return before + ansi.Truncate(after, room-cursor, ""), cursor
}
