package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/keymap"
)

// completionRows is how many completions are shown at once.
const completionRows = 8

// completion is the list of what could stand at the cursor. The zero completion is closed.
type completion struct {
	asked  int           // the question under way, or the last one; its answer is dropped if another number comes
	asking bool          // it is under way
	over   chan struct{} // while asking
	open   bool
	start  int // byte of the text where what is replaced begins
	tail   int // bytes behind the cursor that are replaced too
	all    []kernelclient.Match
	shown  []kernelclient.Match
	at     int // the marked one
	top    int // the first one drawn
}

// completedMsg is the answer to a question.
type completedMsg struct {
	asked int
	session.Completion
	err error
}

func (m *Model) completionActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.CompletionAccept: quietly(m.acceptCompletion),
		keymap.CompletionDown:   quietly(func() { m.moveCompletion(1) }),
		keymap.CompletionUp:     quietly(func() { m.moveCompletion(-1) }),
		keymap.CompletionNext:   quietly(func() { m.moveCompletion(completionRows) }),
		keymap.CompletionBack:   quietly(func() { m.moveCompletion(-completionRows) }),
		keymap.CompletionClose:  quietly(m.dropCompletion),
	}
}

// dropCompletion closes the list, and forgets the question under way.
func (m *Model) dropCompletion() {
	if m.completion.asking {
		close(m.completion.over)
	}
	m.completion = completion{asked: m.completion.asked + 1}
	m.dirty = true
}

// complete asks for what could stand at the cursor; where no word ends it indents.
func (m *Model) complete() tea.Cmd {
	pen := m.pen()
	if pen == nil {
		return nil
	}
	if m.editing.cell.cell.Type != notebook.Code || !follows(pen, func(r rune) bool { return r == '.' || isWord(r) }) {
		m.record(pen.Indent())
		return nil
	}
	ask, key, source, offset := m.askKernel(), m.editing.cell.key, pen.Text(), pen.Offset(pen.Cursor())
	s := m.session
	return m.do(func(ctx context.Context) tea.Msg {
		var c session.Completion
		err := ask.patiently(ctx, func() (err error) {
			c, err = s.Complete(ctx, key, source, offset)
			return err
		})
		return completedMsg{ask.asked, c, err}
	})
}

// inquiry is a question to a kernel, from the goroutine that waits for the answer.
type inquiry struct {
	asked    int
	starting bool          // the kernel was not ready
	over     chan struct{} // closed when nobody waits for the answer any more
}

// askKernel begins a question to the kernel in place of any other, and shows that it is asked.
func (m *Model) askKernel() inquiry {
	m.dropCompletion()
	m.completion.asking, m.completion.over = true, make(chan struct{})
	s := m.session.State().State
	return inquiry{m.completion.asked, s == event.Starting || s == event.Restarting, m.completion.over}
}

const (
	startPatience = 20 * time.Second       // for a kernel that is starting
	startPause    = 100 * time.Millisecond // between two tries
	firstRun      = 2 * time.Second        // for the cell that started it
)

// patiently asks, and asks again while the kernel is starting and somebody waits. The cell
// that started it has mostly run in a moment.
func (q inquiry) patiently(ctx context.Context, ask func() error) error {
	if !q.starting {
		return ask()
	}
	err := ask()
	for tries := startPatience / startPause; tries > 0; tries-- {
		switch {
		case errors.Is(err, kernelclient.ErrBusy):
			tries = min(tries, firstRun/startPause)
		case !errors.Is(err, kernelclient.Gone):
			return err
		}
		select {
		case <-q.over:
			return err
		default:
		}
		if pause.For(ctx, startPause) != nil {
			return err
		}
		err = ask()
	}
	return err
}

// answered reports whether the answer to a question is still wanted.
func (m *Model) answered(asked int) bool {
	if asked != m.completion.asked {
		return false
	}
	m.completion.asking, m.dirty = false, true
	return true
}

func isWord(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.Nd, unicode.M) }

// follows tells whether nothing is selected and the character before the cursor is of a kind.
func follows(pen *editor.Editor, kind func(rune) bool) bool {
	if pen.SelectedText() != "" {
		return false
	}
	at := pen.Cursor()
	r, n := utf8.DecodeLastRuneInString(pen.Line(at.Line)[:at.Byte])
	return n > 0 && kind(r)
}

// completed shows the answer, unless typing went on. What the kernel cannot tell, because
// it runs code or is not there, the words of the notebook may.
func (m *Model) completed(msg completedMsg) {
	pen := m.pen()
	if !m.answered(msg.asked) || pen == nil || !msg.Fresh(m.editing.cell.key, pen.Text(), pen.Offset(pen.Cursor())) {
		return
	}
	c := completion{asked: msg.asked, start: msg.Start, tail: max(msg.End-msg.Offset, 0), all: harmless(msg.Matches)}
	if msg.err != nil || len(c.all) == 0 {
		c.start, c.tail = session.WordStart(msg.Source, msg.Offset), 0
		c.all = nil
		for _, w := range m.session.Words(msg.Source[c.start:msg.Offset]) {
			c.all = append(c.all, kernelclient.Match{Text: w, Type: "word"})
		}
	}
	switch {
	case len(c.all) > 0:
	case errors.Is(msg.err, kernelclient.ErrBusy):
		m.setHint("the kernel is busy, and the notebook has no word that goes on like this")
	case msg.err != nil:
		m.setHint("no completion: " + msg.err.Error())
	default:
		m.setHint("no completion")
	}
	if c.shown = c.all; len(c.all) == 0 || c.start > msg.Offset {
		return
	}
	c.open = true
	m.completion, m.dirty = c, true
	if len(c.all) == 1 {
		m.acceptCompletion()
	} else if errors.Is(msg.err, kernelclient.ErrBusy) {
		m.setHint("the kernel is busy: these are words of the notebook")
	} else if errors.Is(msg.err, kernelclient.Gone) {
		m.setHint("no kernel is ready: these are words of the notebook")
	}
}

// harmless leaves out matches with control characters, which nobody could have typed.
func harmless(all []kernelclient.Match) []kernelclient.Match {
	return slices.DeleteFunc(slices.Clone(all), func(c kernelclient.Match) bool {
		return strings.ContainsFunc(c.Text, unicode.IsControl)
	})
}

// filterCompletion follows what is typed, and closes the list when nothing fits or the
// cursor left the word.
func (m *Model) filterCompletion() {
	c, pen := &m.completion, m.pen()
	if !c.open || pen == nil {
		return
	}
	at := pen.Offset(pen.Cursor())
	if at < c.start {
		m.dropCompletion()
		return
	}
	typed := strings.ToLower(pen.Text()[c.start:at])
	c.shown, c.at, c.top = nil, 0, 0
	for _, match := range c.all {
		if strings.HasPrefix(strings.ToLower(match.Text), typed) {
			c.shown = append(c.shown, match)
		}
	}
	if len(c.shown) == 0 {
		m.dropCompletion()
	}
}

func (m *Model) moveCompletion(n int) {
	c := &m.completion
	if at := c.at + n; n == 1 || n == -1 {
		c.at = (at + len(c.shown)) % max(len(c.shown), 1)
	} else {
		c.at = max(min(at, len(c.shown)-1), 0)
	}
	m.dirty = true
}

// acceptCompletion puts the marked completion in place of the word, as one step.
func (m *Model) acceptCompletion() {
	c, pen := m.completion, m.pen()
	if !c.open || pen == nil || c.at >= len(c.shown) {
		return
	}
	m.dropCompletion()
	from, to := pen.PosOf(c.start), pen.PosOf(pen.Offset(pen.Cursor())+c.tail)
	m.record(pen.Replace(from, to, c.shown[c.at].Text, "Complete"))
}

// completionKey takes a key while the list is open. It reports whether the key was one
// for the list.
func (m *Model) completionKey(name string) (tea.Cmd, bool) {
	a, bound := m.table.Own(keymap.Completing, name)
	if !bound || !m.completion.open && (a != keymap.CompletionClose || !m.completion.asking) {
		return nil, false
	}
	return m.act(a), true
}

// completionLines draws the list; width is its columns.
func (m *Model) completionLines(rows, room int) (lines []string, width int) {
	c, th := &m.completion, m.look.theme
	c.top = min(max(c.top, c.at-rows+1), c.at)
	shown := c.shown[c.top:min(c.top+rows, len(c.shown))]
	text, typ := 0, 0
	for _, match := range shown {
		text = max(text, ansi.StringWidth(render.Sanitize(match.Text)))
		typ = max(typ, ansi.StringWidth(render.Sanitize(match.Type)))
	}
	text = min(text, max(room-2, 1))
	if typ = min(typ, room-text-4); typ < 3 {
		typ = -2
	}
	width = text + typ + 4
	for i, match := range shown {
		style, left := th.StatusBar, " "
		if c.top+i == c.at {
			style, left = th.Selection, "▌"
		}
		line := left + padTo(render.Sanitize(match.Text), text) + " "
		if typ > 0 {
			line += " " + padTo(render.Sanitize(match.Type), typ) + " "
		}
		lines = append(lines, style.Render(padTo(line, width)))
	}
	return lines, width
}

// padTo cuts or fills a text to a width.
func padTo(s string, width int) string {
	s = ansi.Truncate(s, max(width, 0), "…")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// overlayCompletion draws the list over the notebook's lines: below the cursor, or above
// it where there is more room.
func (m *Model) overlayCompletion(lines []string) {
	c := &m.completion
	if !c.open && !c.asking || m.mode() != keymap.Edit {
		return
	}
	cursor := m.editCursor()
	if cursor == nil {
		return
	}
	rows := min(max(len(c.shown), 1), completionRows)
	below, above := len(lines)-cursor.Y-1, cursor.Y
	up := below < rows && above > below
	if rows = min(rows, max(below, above)); rows <= 0 {
		return
	}
	var box []string
	var width, typed int
	if c.open {
		box, width = m.completionLines(rows, min(m.size.page, 60))
		pen := m.pen()
		typed = ansi.StringWidth(pen.Text()[c.start:pen.Offset(pen.Cursor())])
	} else {
		width = min(ansi.StringWidth(askingText), m.size.page)
		box = []string{m.look.theme.StatusBar.Render(padTo(askingText, width))}
	}
	x := max(min(cursor.X-typed-1, m.size.page-width), 0)
	y := cursor.Y + 1
	if up {
		y = cursor.Y - len(box)
	}
	for i, line := range box {
		lines[y+i] = over(lines[y+i], line, x, width)
	}
}

// askingText stands in the list's place until the kernel answers.
const askingText = " asking the kernel… "

// over puts a piece of a width over a line at a column.
func over(line, piece string, x, width int) string {
	left := padTo(ansi.Truncate(line, x, ""), x)
	right := ansi.TruncateLeft(line, x+width, "")
	if room := max(ansi.StringWidth(line)-x-width, 0); ansi.StringWidth(right) > room { // half of a wide character
		right = " " + ansi.TruncateLeft(line, x+width+1, "")
	}
	return left + "\x1b[m" + piece + right
}
