package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diff"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/keymap"

	tea "charm.land/bubbletea/v2"
)

// comparePage sets two versions of the notebook against each other, cell by cell. A
// question stays open below it.
type comparePage struct {
	oldName, newName string
	pairs            []diff.Pair
	top              int
	theirs           bool // the newer one is another program's, which may change it again

	width int // that all is for
	all   []string
}

// sideBySide is the least width for two columns.
const sideBySide = 100

func (m *Model) compareActions() map[keymap.Action]func() tea.Cmd {
	page := func() int { return max(m.size.list-1, 1) }
	return map[keymap.Action]func() tea.Cmd{
		keymap.CompareDown:     quietly(func() { m.scrollCompare(1) }),
		keymap.CompareUp:       quietly(func() { m.scrollCompare(-1) }),
		keymap.ComparePageDown: quietly(func() { m.scrollCompare(page()) }),
		keymap.ComparePageUp:   quietly(func() { m.scrollCompare(-page()) }),
	}
}

// openCompare shows how two versions differ and asks the question again that is being answered.
func (m *Model) openCompare(oldName, newName string, old, now []*notebook.Cell) {
	m.compare = &comparePage{oldName: oldName, newName: newName, pairs: diff.Cells(old, now)}
	m.dirty = true
}

func (m *Model) scrollCompare(n int) {
	if m.compare == nil {
		return
	}
	last := max(len(m.compare.draw(m.width, m.look.theme))-m.size.list, 0)
	m.compare.top = min(max(m.compare.top+n, 0), last)
	m.dirty = true
}

// lines draws n lines of the page.
func (c *comparePage) lines(width, n int, th themes.Theme) []string {
	all := c.draw(width, th)
	return all[min(c.top, len(all)):min(c.top+n, len(all))]
}

// draw makes the whole page for a width.
func (c *comparePage) draw(width int, th themes.Theme) []string {
	if c.all != nil && c.width == width {
		return c.all
	}
	c.width = width
	c.all = []string{th.Heading.Render(ansi.Truncate(fmt.Sprintf("- %s    + %s    %s", c.oldName, c.newName, cellsDiffer(c.pairs)), width, "…"))}
	for _, p := range c.pairs {
		if !p.Differs() {
			continue
		}
		c.all = append(c.all, "", th.Accent.Render(ansi.Truncate(headline(p), width, "…")))
		if width >= sideBySide {
			c.all = append(c.all, columns(p.Lines(), width, th)...)
		} else {
			c.all = append(c.all, unified(p.Lines(), width, th)...)
		}
	}
	return c.all
}

// headline says which cell it is and what became of it.
func headline(p diff.Pair) string {
	switch {
	case p.Old == nil:
		return fmt.Sprintf("cell %d: added", p.NewAt)
	case p.New == nil:
		return fmt.Sprintf("cell %d: removed", p.OldAt)
	}
	var what []string
	if p.Type {
		what = append(what, fmt.Sprintf("%s made %s", render.Sanitize(string(p.Old.Type)), render.Sanitize(string(p.New.Type))))
	}
	if p.Source {
		what = append(what, "changed")
	}
	if p.Moved {
		what = append(what, fmt.Sprintf("moved from %d", p.OldAt))
	}
	if p.Output {
		what = append(what, "other outputs")
	}
	return fmt.Sprintf("cell %d: %s", p.NewAt, strings.Join(what, ", "))
}

func unified(lines []diff.Line, width int, th themes.Theme) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = diffStyle(l.Op, th).Render(ansi.Truncate(diffText(l), width, "…"))
	}
	return out
}

func diffText(l diff.Line) string {
	return map[diff.Op]string{diff.Both: "  ", diff.Removed: "- ", diff.Added: "+ ", diff.Gap: "…"}[l.Op] + render.Sanitize(strings.ReplaceAll(l.Text, "\t", "    "))
}

func diffStyle(op diff.Op, th themes.Theme) themes.Style {
	return map[diff.Op]themes.Style{diff.Both: th.Text, diff.Removed: th.Failed, diff.Added: th.Done, diff.Gap: th.Muted}[op]
}

// columns puts what was removed beside what was added in its place.
func columns(lines []diff.Line, width int, th themes.Theme) []string {
	half := (width - 3) / 2
	var out []string
	var left, right []diff.Line
	row := func(l, r diff.Line) {
		a := ansi.Truncate(diffText(l), half, "…")
		a = diffStyle(l.Op, th).Render(a) + strings.Repeat(" ", max(half-ansi.StringWidth(a), 0))
		out = append(out, a+th.Border.Render(" │ ")+diffStyle(r.Op, th).Render(ansi.Truncate(diffText(r), half, "…")))
	}
	flush := func() {
		for i := range max(len(left), len(right)) {
			var l, r diff.Line
			if i < len(left) {
				l = left[i]
			}
			if i < len(right) {
				r = right[i]
			}
			row(l, r)
		}
		left, right = nil, nil
	}
	for _, l := range lines {
		switch l.Op {
		case diff.Removed:
			left = append(left, l)
		case diff.Added:
			right = append(right, l)
		case diff.Both, diff.Gap:
			flush()
			row(l, l)
		}
	}
	flush()
	return out
}
