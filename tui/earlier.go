package tui

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
)

// older is what an earlier run put out, shown in place of the cell's outputs. The document
// keeps the newest, which are what is saved.
type older struct {
	session.Earlier
	runs int  // of the cell, when it was asked for
	last bool // nothing older is kept
}

// shown is the outputs that the view draws.
func (v *cellView) shown() []mime.Output {
	if v.older != nil {
		return v.older.Outputs
	}
	return v.cell.Outputs()
}

// shownAnswers is the answers that the view draws.
func (v *cellView) shownAnswers() []session.Answered {
	if v.older != nil {
		return v.older.Answers
	}
	return v.answers
}

// showOlder draws what an earlier run put out, or with nil the newest again. It reports
// whether that is a change.
func (v *cellView) showOlder(o *older) bool {
	if v.older == nil && o == nil {
		return false
	}
	v.older, v.decoded = o, false
	v.touch()
	return true
}

// earlierOutput steps back through what the selected cell put out in its earlier runs.
func (m *Model) earlierOutput() {
	c := m.cell()
	if c == nil || c.cell.Type != notebook.Code {
		m.setHint("only code has outputs of earlier runs")
		return
	}
	kept, runs := m.session.Earlier(c.key)
	at := len(kept)
	for c.older != nil && at > 0 && kept[at-1].Run >= c.older.Run {
		at--
	}
	switch {
	case at > 0:
		c.showOlder(&older{kept[at-1], runs, at == 1})
		m.refresh(c.key)
		m.list.Reveal(m.selected)
		m.list.RevealLine(m.selected, c.firstOutputRow(m.size.page))
	case c.older == nil && runs < 2:
		m.setHint("this cell has no earlier outputs: it did not run twice in this session")
	case c.older != nil && c.older.Run == 0:
		m.setHint("there are no older outputs: these are from before the first run")
	case c.older != nil && c.older.Run == 1:
		m.setHint("there are no older outputs: this is the first run")
	default:
		m.setHint(fmt.Sprintf("no older outputs are kept (%d runs of a cell, %d MB of all cells)", session.MaxEarlier, session.MaxEarlierBytes>>20))
	}
}

// newestOutputs shows the newest outputs of all cells again. It reports whether any showed others.
func (m *Model) newestOutputs() bool {
	some := false
	for _, c := range m.cells {
		if c.showOlder(nil) {
			some = true
			m.refresh(c.key)
		}
	}
	return some
}

// firstOutputRow is how many lines stand above the outputs.
func (v *cellView) firstOutputRow(width int) (n int) {
	v.lay(width)
	for _, p := range v.parts {
		if p.code {
			n += p.height
		}
	}
	return n
}

// addOlder says that the outputs below are not the newest.
func (v *cellView) addOlder(width int) {
	if v.older == nil {
		return
	}
	what := "from before its first run"
	if o := v.older; o.Run > 0 {
		began, layout := o.Started.Local(), "15:04:05"
		if began.YearDay() != v.look.now().YearDay() {
			layout = "2 Jan 15:04:05"
		}
		what = fmt.Sprintf("run %d of %d, %s", o.Run, o.runs, began.Format(layout))
	}
	if len(v.older.Outputs) == 0 {
		what += " put out nothing"
	}
	further := "; H goes further"
	if v.older.last {
		further = ""
	}
	line := "── " + what + further + ", Esc back ──"
	if ansi.StringWidth(line) > width {
		line = what
	}
	v.addLine(v.look.theme.Warning.Render(ansi.Truncate(line, width, "…")))
}
