package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/keymap"
)

// editing is edit mode: the selected cell takes text. The document owns the text and its
// history; the editor is where the cursor and the selection are.
type editing struct {
	cell   *cellView // that is edited, nil in command mode; always the selected one
	group  editor.Grouper
	burst  editor.Burst
	start  editor.Mark // of the present burst
	typed  bool        // since the cell was run last
	clip   string      // what was cut or copied
	clicks clicks
	drag   dragging
}

// pen is the editor of the cell that is edited, nil in command mode.
func (m *Model) pen() *editor.Editor {
	if m.editing.cell == nil {
		return nil
	}
	return m.editing.cell.editor
}

// enterEdit edits the selected cell; on a cell with an open input() it goes back to its
// line instead. It reports whether the cell is being edited.
func (m *Model) enterEdit() bool {
	c := m.cell()
	if c == nil || m.backToPrompt() {
		return false
	}
	if why := m.doc.ReadOnly(); why != "" {
		m.say(failure, "the notebook is read-only: "+why)
		return false
	}
	m.setMark("")
	m.editing.cell, m.editing.typed = c, true
	m.editing.burst.End()
	m.keys.Reset()
	c.openEditor()
	m.follow = ""
	m.penMoved()
	return true
}

// leaveEdit goes back to command mode. The cell stays selected.
func (m *Model) leaveEdit() {
	c := m.editing.cell
	if c == nil {
		return
	}
	m.editing.cell = nil
	m.keys.Reset()
	m.dropCompletion()
	c.closeEditor()
	defer m.showWaitingPage()
	if i := m.doc.Index(c.key); i >= 0 {
		m.list.Changed(i)
		m.list.Reveal(i)
	}
	m.dirty = true
}

// keepEdit leaves edit mode if another cell is selected now.
func (m *Model) keepEdit() {
	if m.editing.cell != nil && m.editing.cell != m.current {
		m.leaveEdit()
	}
}

// penMoved shows the cursor after it moved or the text changed.
func (m *Model) penMoved() {
	c := m.editing.cell
	if c == nil {
		return
	}
	c.touch()
	m.list.Changed(m.selected)
	m.showPen()
	m.dirty = true
}

// showPen scrolls as little as needed to show the cursor's line in edit mode.
func (m *Model) showPen() {
	if c := m.editing.cell; c != nil {
		_, y := c.editor.CursorXY(max(m.size.page-m.look.gutter(m.size.page), 1))
		m.list.ShowLine(m.selected, y)
	}
}

// record makes an edit that the editor made one of the document.
func (m *Model) record(ed editor.Edit) {
	c := m.editing.cell
	if c == nil {
		return
	}
	m.follow = ""
	if len(ed.Changes) > 0 {
		m.editing.typed = true
		if err := m.write(c.key, ed); err != nil {
			m.fail(err)
			c.editor.SetText(m.doc.Cell(c.key).Source)
		}
		cell := m.doc.Cell(c.key)
		c.cell = cell // the editor has this text already
		c.set(cell, m.session.Status(c.key))
	}
	m.penMoved()
}

func (m *Model) write(key notebook.CellKey, ed editor.Edit) error {
	group := m.editing.group.Group(ed, m.clock.key())
	if c := ed.Changes[0]; group != "" {
		return m.doc.Type(group, key, notebook.Splice{From: c.From, To: c.To, Text: c.Text})
	}
	ops := make([]notebook.Op, len(ed.Changes))
	for i, c := range ed.Changes {
		ops[i] = notebook.Edit{Key: key, Splice: notebook.Splice{From: c.From, To: c.To, Text: c.Text}}
	}
	return m.doc.Do(ed.Label, ops...)
}

// penTravel undoes or redoes one step. It goes on editing where that was.
func (m *Model) penTravel(possible bool, otherwise string, step func() (notebook.Place, error)) {
	if m.editing.cell == nil {
		m.travel(possible, otherwise, step)
		return
	}
	if !possible {
		m.setHint(otherwise)
		return
	}
	place, err := step()
	m.fail(err)
	c := m.editing.cell
	if now := m.doc.Cell(c.key); now != nil && place.Key == c.key {
		c.editor.Restore(now.Source)
		c.cell = now
	}
	m.syncCells()
	if i := m.doc.Index(place.Key); i >= 0 && (i != m.selected || m.editing.cell == nil) {
		m.selectCell(i)
		m.enterEdit()
	}
	m.penMoved()
}

// openEditor makes the view draw its source as an editor does, with the cursor where it
// was left.
func (v *cellView) openEditor() {
	v.editor = editor.New(v.cell.Source, editor.Options{Language: v.look.languageOf(v.cell)})
	v.editor.SetView(v.look.editorView(true))
	v.editor.SetCursor(v.penAt)
	v.touch()
}

// penOffset is the byte of the source at which the cursor is, or was left.
func (v *cellView) penOffset() int {
	e := v.editor
	if e == nil {
		e = editor.New(v.cell.Source, editor.Options{})
		e.SetCursor(v.penAt)
	}
	return e.Offset(e.Cursor())
}

// setPenOffset moves the cursor to a byte of the source.
func (v *cellView) setPenOffset(at int) {
	if e := v.editor; e != nil {
		e.SetCursor(e.PosOf(at))
		return
	}
	v.penAt = editor.New(v.cell.Source, editor.Options{}).PosOf(at)
}

func (v *cellView) closeEditor() {
	if v.editor != nil {
		v.penAt, v.editor, v.source = v.editor.Cursor(), nil, nil
		v.touch()
	}
}

// editorView is how editors are drawn.
func (l *look) editorView(focused bool) editor.View {
	return editor.View{Wrap: !l.cut, Numbers: l.numbers, Focused: focused, Palette: l.palette}
}

// editCursor is where the terminal's cursor stands in edit mode, nil if that is out of sight.
func (m *Model) editCursor() *tea.Cursor {
	gutter := m.look.gutter(m.size.page)
	x, y := m.pen().CursorXY(max(m.size.page-gutter, 1))
	row, shown := m.list.Row(m.selected, y)
	if !shown {
		return nil
	}
	c := tea.NewCursor(min(gutter+x, m.size.page-1), row)
	c.Shape = tea.CursorBar
	return c
}

// redraw draws all sources anew: how they are drawn has changed.
func (m *Model) redraw() {
	for _, v := range m.cells {
		v.source = nil
		if v.editor != nil {
			v.editor.SetView(m.look.editorView(true))
		}
		v.touch()
	}
	m.syncCells()
	m.list.Reveal(m.selected)
	m.penMoved()
}

func (m *Model) toggleNumbers() {
	m.look.numbers = !m.look.numbers
	m.redraw()
}

func (m *Model) toggleWrap() {
	m.look.cut = !m.look.cut
	m.redraw()
	if m.look.cut {
		m.setHint("long lines scroll with the cursor; " + m.table.Keys(keymap.Command, keymap.ToggleWrap) + " wraps them")
	} else {
		m.setHint("long lines are wrapped")
	}
}

// clicks tells double and triple clicks from single ones.
type clicks struct {
	x, y, n int
	at      time.Time
}

// workClock tells when keys came, without the time that we spent on the messages before:
// keys that waited for that came right behind each other. Those of one read came at once.
type workClock struct {
	began time.Time // zero while nothing is done
	spent time.Duration
	reads func() uint64 // how many reads of the terminal there were; nil: not known
	read  uint64        // the one that last belongs to
	last  time.Time
}

func (w *workClock) begin(now time.Time) { w.began = now }

func (w *workClock) end(now time.Time) {
	if !w.began.IsZero() {
		w.spent += now.Sub(w.began)
		w.began = time.Time{}
	}
}

// key is the time of the key that is being handled.
func (w *workClock) key() time.Time {
	if w.reads != nil {
		n := w.reads()
		if n == w.read {
			return w.last
		}
		w.read = n
	}
	w.last = w.began.Add(-w.spent)
	return w.last
}

const clickPause = 400 * time.Millisecond

// count takes in a click and returns which one of a row it is: 1, 2 or 3.
func (c *clicks) count(x, y int, at time.Time) int {
	if x != c.x || y != c.y || at.Sub(c.at) > clickPause {
		c.n = 0
	}
	*c = clicks{x, y, c.n%3 + 1, at}
	return c.n
}
