package tree

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
)

// Icons are the signs before the names.
type Icons struct {
	Closed, Open, File, Notebook string // each of one column
}

// ASCII are the icons that every terminal can show.
func ASCII() Icons { return Icons{Closed: "+", Open: "-", File: " ", Notebook: " "} }

// Unicode are icons that most fonts have.
func Unicode() Icons { return Icons{Closed: "▸", Open: "▾", File: " ", Notebook: "◆"} }

// Look is how the tree is drawn.
type Look struct {
	Theme   themes.Theme
	Icons   Icons
	Focused bool // the cursor is the keyboard's
	Now     time.Time
}

const (
	sizeColumns = 9  // with a blank before it
	timeColumns = 13 // likewise
	sizesFrom   = 44 // width of a pane with sizes
	timesFrom   = 58 // and with times too
	deepest     = 12 // levels that are indented: what is deeper stands there too
)

// Lines draws the rows of the window in a width, as many as SetHeight said. Each line is
// as wide as that.
func (t *Tree) Lines(width int, l Look) []string {
	lines := make([]string, 0, t.height)
	for i := t.top; i < min(t.top+t.height, len(t.rows)); i++ {
		lines = append(lines, t.line(t.rows[i], i == t.cursor, width, l))
	}
	if len(lines) == 0 {
		lines = append(lines, l.Theme.Muted.Render(pad(ansi.Truncate("   "+t.nothing(), width, "…"), width)))
	}
	for len(lines) < t.height {
		lines = append(lines, strings.Repeat(" ", width))
	}
	return lines
}

// nothing says why there are no rows.
func (t *Tree) nothing() string {
	switch {
	case t.root.why != "":
		return t.root.why
	case !t.root.listed:
		return "…"
	case t.filter != nil:
		return "nothing is called that"
	case len(t.root.entries) > 0:
		return "all is hidden; . shows it"
	}
	return "empty"
}

func (t *Tree) line(r row, marked bool, width int, l Look) string {
	e := r.entry()
	sub := r.in.open[e.Name]
	icon := l.Icons.File
	switch {
	case e.Kind == Folder && sub != nil:
		icon = l.Icons.Open
	case e.Kind == Folder:
		icon = l.Icons.Closed
	case e.Notebook():
		icon = l.Icons.Notebook
	}
	left := strings.Repeat("  ", min(r.in.depth, deepest)) + icon + " "
	name := render.Sanitize(strings.ToValidUTF8(e.Name, "�"))
	if e.Kind == Folder {
		name += "/"
	}
	note := t.note(r, e, sub)
	right := columns(e, width, l.Now)
	room := max(width-1-ansi.StringWidth(left)-len(right), 1)
	name = ansi.Truncate(name, max(room-min(ansi.StringWidth(note), room/2), 1), "…")
	note = ansi.Truncate(note, max(room-ansi.StringWidth(name), 0), "…")
	gap := strings.Repeat(" ", max(room-ansi.StringWidth(name)-ansi.StringWidth(note), 0))
	style := t.style(r, e, l.Theme)
	if marked {
		bar, base := " ", l.Theme.Selection
		if l.Focused {
			bar = "▌"
		} else {
			base = style
		}
		return cutTo(l.Theme.SelectionBar.Render(bar)+base.Render(left+name+note+gap+right), width)
	}
	return cutTo(" "+style.Render(left+name)+l.Theme.Muted.Render(note+gap+right), width)
}

func (t *Tree) style(r row, e *Entry, th themes.Theme) themes.Style {
	style := th.Text
	switch {
	case e.Is(Broken | Unreadable):
		style = th.Failed
	case e.Kind == Folder:
		style = th.Accent
	case e.Notebook():
		style = th.Link
		style.Underline = false
	}
	if e.Is(Ignored) || len(t.cut) > 0 && t.cut[join(r.in.path, e.Name)] {
		style = th.Muted
	}
	if e.Is(Changed) {
		style.Bold = true
	}
	return style
}

// note is what is said behind a name.
func (t *Tree) note(r row, e *Entry, sub *folder) string {
	var b strings.Builder
	if len(t.running) > 0 && t.running[join(r.in.path, e.Name)] {
		b.WriteString(" *")
	}
	if e.Is(Changed) {
		b.WriteString(" ~")
	}
	if e.Is(Broken | Unreadable) {
		b.WriteString(" !")
	}
	if kind := [...]string{"", "", " |", " =", " #"}[e.Kind]; kind != "" {
		b.WriteString(kind)
	}
	if e.Is(Link) && !e.Is(Broken) {
		b.WriteString(" -> " + render.Sanitize(strings.ToValidUTF8(e.Target, "�")))
	}
	switch {
	case sub == nil:
	case sub.why != "":
		b.WriteString("  " + render.Sanitize(sub.why))
	case !sub.whole:
		b.WriteString("  …")
	case len(sub.entries) == 0:
		b.WriteString("  empty")
	}
	return b.String()
}

// columns are the size and the time at the right of a wide pane.
func columns(e *Entry, width int, now time.Time) string {
	if width < sizesFrom {
		return ""
	}
	size := ""
	if e.Kind == File && !e.Is(Broken) {
		size = render.ByteSize(e.Size)
	}
	text := fmt.Sprintf("%*s", sizeColumns, size)
	if width >= timesFrom {
		text += fmt.Sprintf("%*s", timeColumns, age(e.Time, now))
	}
	return text
}

// age writes when something was, as "ls -l" does: the year where it is long ago.
func age(nano int64, now time.Time) string {
	if nano == 0 {
		return ""
	}
	at := time.Unix(0, nano).In(now.Location())
	if d := now.Sub(at); d > 180*24*time.Hour || d < -time.Hour {
		return at.Format("Jan _2  2006")
	}
	return at.Format("Jan _2 15:04")
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// cutTo cuts a line that is too long for a very narrow pane.
func cutTo(line string, width int) string {
	if ansi.StringWidth(line) > width {
		return ansi.Truncate(line, width, "")
	}
	return line
}
