package tui

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/keymap"
)

// Broken is a file that is no notebook. The program says why, and shows it as text if the
// user wants to see it; nothing can be changed or saved.
type Broken struct {
	Path   string
	Data   []byte
	Why    string   // and what to do
	Line   int      // where, counted from 1; 0 for nowhere
	Copies []string // notebooks that may be older states of it
}

// brokenPage is a Broken on the screen.
type brokenPage struct {
	Broken
	text  bool     // it is shown as text
	top   int      // the first line shown
	lines [][]byte // nil until shown
}

func (m *Model) brokenActions() map[keymap.Action]func() tea.Cmd {
	page := func() int { return max(m.size.list-1, 1) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.ViewText:     quietly(m.viewText),
		keymap.TextDown:     quietly(func() { m.scrollText(1) }),
		keymap.TextUp:       quietly(func() { m.scrollText(-1) }),
		keymap.TextPageDown: quietly(func() { m.scrollText(page()) }),
		keymap.TextPageUp:   quietly(func() { m.scrollText(-page()) }),
		keymap.TextFirst:    quietly(func() { m.scrollText(-len(m.broken.lines)) }),
		keymap.TextLast:     quietly(func() { m.scrollText(len(m.broken.lines)) }),
		keymap.CloseText:    m.closeTab,
	}
}

// viewText shows the text, with the place of the trouble in sight, or goes back.
func (m *Model) viewText() {
	b := m.broken
	b.text = !b.text
	if b.lines == nil {
		b.lines = bytes.Split(b.Data, []byte{'\n'})
		m.scrollText(b.Line - 1 - m.size.list/3)
	}
	m.dirty = true
}

func (m *Model) scrollText(n int) {
	b := m.broken
	b.top = max(min(b.top+n, len(b.lines)-m.size.list), 0)
	m.dirty = true
}

// draw draws n lines of the page.
func (b *brokenPage) draw(width, n int, th themes.Theme) []string {
	if !b.text {
		return b.explain(width, n, th)
	}
	digits := len(fmt.Sprint(len(b.lines)))
	var out []string
	for i := b.top; i < min(b.top+n, len(b.lines)); i++ {
		number := fmt.Sprintf("%*d ", digits, i+1)
		style := th.LineNumber
		if i+1 == b.Line {
			style = th.Failed
		}
		text := b.lines[i]
		text = text[:min(len(text), 4*width)] // no more than can be seen
		line := render.Sanitize(strings.ReplaceAll(string(text), "\t", "    "))
		out = append(out, style.Render(ansi.Truncate(number, width, ""))+ansi.Truncate(line, max(width-digits-1, 0), "…"))
	}
	return out
}

func (b *brokenPage) explain(width, n int, th themes.Theme) []string {
	var out []string
	add := func(style themes.Style, text string) {
		for _, l := range wrapPlain(render.Sanitize(text), width, n) {
			out = append(out, style.Render(l))
		}
	}
	out = append(out, "")
	add(th.Heading, filepath.Base(b.Path)+" does not open as a notebook")
	out = append(out, "")
	add(th.Failed, b.Why)
	if len(b.Copies) > 0 {
		out = append(out, "")
		add(th.Text, "There are notebooks that may be older states of it:")
		for _, c := range b.Copies {
			add(th.Accent, "  nbterm "+c)
		}
	}
	return out
}

// status is the status bar's text about it, and the keys.
func (b *brokenPage) status(t *keymap.Table) (left, right, keys string) {
	left = " " + render.Sanitize(filepath.Base(b.Path)) + " · no notebook, nothing is changed"
	if b.text {
		right = fmt.Sprintf("%d/%d ", b.top+1, len(b.lines))
	}
	view := " view as text"
	if b.text {
		view = " back"
	}
	return left, right, t.Keys(keymap.Text, keymap.ViewText) + view + "  " + t.Keys(keymap.Text, keymap.CloseText) + " quit"
}

// onBroken tells what may be done while a file is shown that is no notebook.
func (m *Model) onBroken(a keymap.Action) bool {
	return m.brokenActions()[a] != nil || slices.Contains([]keymap.Action{
		keymap.Quit, keymap.Repaint, keymap.ToggleMouse, keymap.Suspend,
		keymap.ToggleTree, keymap.OpenTree, keymap.NextTab, keymap.PreviousTab, keymap.Dismiss,
	}, a)
}
