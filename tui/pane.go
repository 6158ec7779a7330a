package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/find"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// pane shows a text below the notebook: what the kernel knows of a name, or an output.
type pane struct {
	block   render.Block
	title   string        // what it is, "" where that is plain
	top     int           // the first line shown
	tall    bool          // takes more than half of the screen if it needs it
	line    lineedit.Line // what to search for
	asking  bool          // line is being typed
	from    int           // where the search began
	pattern *find.Pattern
	search  *paneSearch // under way, else nil
}

// inspectedMsg is the answer to a question about a name.
type inspectedMsg struct {
	asked int
	session.Inspection
	err error
}

func (m *Model) paneActions() map[keymap.Action]func() tea.Cmd {
	page := func() int { return max(m.size.pane-2, 1) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.PaneDown:     quietly(func() { m.scrollPane(1) }),
		keymap.PaneUp:       quietly(func() { m.scrollPane(-1) }),
		keymap.PanePageDown: quietly(func() { m.scrollPane(page()) }),
		keymap.PanePageUp:   quietly(func() { m.scrollPane(-page()) }),
		keymap.PaneTop:      quietly(func() { m.scrollPane(-1 << 30) }),
		keymap.PaneBottom:   quietly(func() { m.scrollPane(1 << 30) }),
		keymap.PaneFind:     quietly(m.askPane),
		keymap.PaneNext:     func() tea.Cmd { return m.searchPane(1) },
		keymap.PanePrevious: func() tea.Cmd { return m.searchPane(-1) },
		keymap.PaneClose:    quietly(m.closePane),
		keymap.PaneFound:    quietly(func() { m.pane.asking = false; m.dirty = true }),
		keymap.PaneForget:   quietly(m.forgetPane),
	}
}

// inspect asks what the word at the cursor is; where there is none it outdents.
func (m *Model) inspect() tea.Cmd {
	pen := m.pen()
	if pen == nil {
		return nil
	}
	if m.editing.cell.cell.Type != notebook.Code || !follows(pen, func(r rune) bool { return r == '(' || isWord(r) }) {
		m.record(pen.Outdent())
		return nil
	}
	ask, key, source, offset := m.askKernel(), m.editing.cell.key, pen.Text(), nameEnd(pen)
	s := m.session
	return m.do(func(ctx context.Context) tea.Msg {
		var i session.Inspection
		err := ask.patiently(ctx, func() (err error) {
			i, err = s.Inspect(ctx, key, source, offset, 0)
			return err
		})
		return inspectedMsg{ask.asked, i, err}
	})
}

// nameEnd is where the name ends that is asked about: the cursor, or before the bracket
// there.
func nameEnd(pen *editor.Editor) int {
	at := pen.Offset(pen.Cursor())
	if follows(pen, func(r rune) bool { return r == '(' }) {
		at--
	}
	return at
}

// inspected shows the answer, unless typing went on.
func (m *Model) inspected(msg inspectedMsg) {
	pen := m.pen()
	switch {
	case !m.answered(msg.asked) || pen == nil || !msg.Fresh(m.editing.cell.key, pen.Text(), nameEnd(pen)):
	case errors.Is(msg.err, kernelclient.ErrBusy):
		m.setHint("the kernel is busy; it can tell when the cell is done")
	case msg.err != nil:
		m.setHint(render.Sanitize(msg.err.Error()))
	case !msg.Found:
		m.setHint("the kernel knows nothing of that")
	default:
		m.openPane(msg.Data, 0)
	}
}

// showPages shows what cells asked to be shown apart. Whoever is typing is not interrupted:
// it waits until edit mode is left.
func (m *Model) showPages(pages []session.Page) {
	if len(pages) == 0 {
		return
	}
	last := pages[len(pages)-1]
	if m.editing.cell != nil && m.editing.typed {
		m.page = &last
		m.setHint("the cell has something to show; Esc shows it")
		return
	}
	m.openPane(last.Data, last.Start)
}

// showWaitingPage shows a page that waited for the end of typing.
func (m *Model) showWaitingPage() {
	if p := m.page; p != nil {
		m.page = nil
		m.openPane(p.Data, p.Start)
	}
}

// openPane shows a bundle from a line on. Its plain text is what kernels make for terminals.
func (m *Model) openPane(data mime.Bundle, start int) {
	if v := data.Get("text/plain"); v != nil {
		data = mime.Bundle{{Type: "text/plain", Value: v}}
	}
	m.pane = &pane{block: render.Output(&mime.Data{Bundle: data}, m.look.theme), top: max(start, 0)}
	m.keys.Reset()
	m.layout()
	m.scrollPane(0)
	m.penMoved()
	m.dirty = true
}

func (m *Model) closePane() {
	m.pane = nil
	m.dirty = true
}

// paneHeight is how many rows the pane gets of n: as many as it needs, but no more than
// half, or all but a few.
func (m *Model) paneHeight(n int) int {
	if m.pane == nil || n < 3 {
		return 0
	}
	most := n / 2
	if m.pane.tall {
		most = n - min(3, n/4)
	}
	return min(m.pane.count(m.width)+1, max(most, 2))
}

// count is the number of lines of the pane at a width.
func (p *pane) count(width int) int { return p.block.Height(max(width, 1)) }

func (m *Model) scrollPane(n int) {
	p := m.pane
	if p == nil {
		return
	}
	last := max(p.count(m.width)-max(m.size.pane-1, 1), 0)
	p.top = min(max(p.top+n, 0), last)
	m.dirty = true
}

// paneLines draws the pane in n rows: a rule with its keys, and the text.
func (m *Model) paneLines(n int) []string {
	p, th := m.pane, m.look.theme
	count := p.count(m.width)
	lines := make([]string, 0, n)
	if p.asking {
		line, _ := m.inputLine("/", &p.line, "Enter keeps, Esc forgets")
		lines = append(lines, line)
	} else {
		lines = append(lines, paneRule(fmt.Sprintf("── %slines %d–%d of %d ", p.title, min(p.top+1, count), min(p.top+n-1, count), count), " / finds  q closes ──", m.width, th))
	}
	shown := p.block.Lines(max(m.width, 1), p.top, n-1)
	for i := 0; len(lines) < n; i++ {
		line := ""
		if i < len(shown) {
			line = shown[i]
		}
		if p.pattern != nil {
			line = markLine(line, p.pattern, th.Match)
		}
		lines = append(lines, line)
	}
	return lines
}

// paneRule is a rule with words at its ends.
func paneRule(left, right string, width int, th themes.Theme) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 0 {
		return th.Border.Render(ansi.Truncate(left, width, ""))
	}
	return th.Border.Render(left + strings.Repeat("─", gap) + right)
}
