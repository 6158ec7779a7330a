package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/editor"
)

// look is what all cells need to be drawn: it ties render to the theme.
type look struct {
	theme    themes.Theme
	palette  *editor.Palette // of theme
	language string
	now      func() time.Time
	numbers  bool // of the lines of sources
	cut      bool // long lines of sources scroll sideways instead of being wrapped
	marks    marks
	pictures *render.Pictures // nil: none are drawn
}

func newLook(th themes.Theme, language string, now func() time.Time) *look {
	l := &look{language: language, now: now}
	l.setTheme(th)
	return l
}

func (l *look) setTheme(th themes.Theme) { l.theme, l.palette = th, editor.NewPalette(th) }

func (l *look) source(c *notebook.Cell) render.Block {
	if c.Type == notebook.Markdown {
		return render.MarkdownWith(c.Source, c.Attachments(), l.theme, l.pictures)
	}
	e := editor.New(c.Source, editor.Options{Language: l.languageOf(c)})
	e.SetView(l.editorView(false)) // entering edit mode moves no text
	return e
}

// languageOf is the language of a document's code; where it says nothing, Python: that is
// what will run it then.
func languageOf(doc *notebook.Document) string {
	language := doc.Language()
	if name, _, _ := doc.Kernelspec(); language == "" && name == "" {
		return "python"
	}
	return language
}

// languageOf is the language of a cell's source, "" for plain text.
func (l *look) languageOf(c *notebook.Cell) string {
	switch c.Type {
	case notebook.Code:
		return cmp.Or(c.Language(), l.language)
	case notebook.Markdown:
		return "markdown"
	default:
		return ""
	}
}

// outputs draws one output, or the pieces of one stream.
func (l *look) outputs(pieces []mime.Output) render.Block {
	return render.OutputsWith(pieces, l.theme, l.pictures)[0]
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// folded stands for n lines of output that are folded away.
func (l *look) folded(n, width int) string {
	return l.theme.StandIn.Render(ansi.Truncate(fmt.Sprintf("… %s of output; o shows them", lineCount(n)), width, "…"))
}

// foldedSource stands for n lines of source that are folded away.
func (l *look) foldedSource(n, width int) string {
	return l.theme.StandIn.Render(ansi.Truncate(fmt.Sprintf("… %d more lines; - shows them", n), width, "…"))
}

const (
	fullGutter  = 11 // bar, mark, rule
	smallGutter = 7
	barOnly     = 1
)

// gutter is the width of what stands left of a cell's lines.
func (l *look) gutter(width int) int {
	switch {
	case width >= 60:
		return fullGutter
	case width >= 30:
		return smallGutter
	}
	return barOnly
}

// prefix draws the gutter of one line of a cell.
func (l *look) prefix(v *cellView, width, row int, code bool) string {
	bar := " "
	switch {
	case row >= v.height-1: // not beside the blank line
	case v.selected:
		bar = l.theme.SelectionBar.Render("▌")
	case v.marked:
		bar = l.theme.SelectionBar.Render("▎")
	}
	gutter := l.gutter(width)
	if gutter == barOnly {
		return bar
	}
	mark, style := "", themes.Style{}
	switch row {
	case 0:
		mark, style = l.mark(v)
	case 1:
		mark, style = l.word(v)
	}
	room := gutter - 1 - 2
	mark = ansi.Truncate(mark, room, "")
	rule := "  "
	if code {
		rule = l.theme.Border.Render("│") + " "
	}
	return bar + style.Render(mark) + strings.Repeat(" ", room-ansi.StringWidth(mark)) + rule
}

// mark is the first line's mark: the count, or what becomes of the cell.
func (l *look) mark(v *cellView) (string, themes.Style) {
	switch v.cell.Type {
	case notebook.Code:
	case notebook.Markdown:
		return "", themes.Style{}
	default:
		return render.Sanitize(string(v.cell.Type)), l.theme.Muted
	}
	count := "[ ]"
	if v.cell.Count > 0 {
		count = fmt.Sprintf("[%d]", v.cell.Count)
	}
	switch v.status.Phase {
	case session.Queued:
		return "[·]", l.theme.Queued
	case session.Running:
		return "[*]", l.theme.Running
	case session.Failed, session.Died:
		return count + "✗", l.theme.Failed
	case session.Interrupted:
		return count + "!", l.theme.Failed
	default:
		return count, l.theme.Prompt
	}
}

// waiting is the word for a place in the queue, in at most eight characters.
func waiting(place int) string {
	switch {
	case place < 1:
		return "queued"
	case place < 10:
		return fmt.Sprintf("queued %d", place)
	}
	return fmt.Sprintf("no. %d", place)
}

// word is the second line's: the same in a word, or the time it took.
func (l *look) word(v *cellView) (string, themes.Style) {
	if v.cell.Type != notebook.Code {
		return "", themes.Style{} // it may have been code when it ran
	}
	st := v.status
	if !st.Phase.Pending() && st.Edited(v.cell) {
		return "edited", l.theme.Muted
	}
	switch st.Phase {
	case session.Queued:
		return waiting(v.place), l.theme.Queued
	case session.Running:
		return short(l.now().Sub(st.Started)), l.theme.Running
	case session.Failed:
		return "failed", l.theme.Failed
	case session.Died:
		return "died", l.theme.Failed
	case session.Interrupted:
		return "stopped", l.theme.Failed
	case session.NotRun:
		return "not run", l.theme.Muted
	case session.Fresh:
	case session.Done:
		if took := st.Ended.Sub(st.Started); took >= time.Second {
			return short(took), l.theme.Muted
		}
	}
	if own := v.cell.Language(); own != "" && !strings.EqualFold(own, l.language) {
		return render.Sanitize(own), l.theme.Muted
	}
	return "", themes.Style{}
}

// short writes a duration in at most six characters, to the second.
func short(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02d", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02d", s/3600, s/60%60)
}
