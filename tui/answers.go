package tui

import (
	"slices"

	"github.com/nbterm/nbterm/notebook/session"
)

// setAnswers gives the view what was answered to its code.
func (v *cellView) setAnswers(list []session.Answered) {
	if !slices.Equal(v.answers, list) {
		v.answers, v.decoded = slices.Clone(list), false
		v.touch()
	}
}

// answeredAt tells whether an answer stands before output i.
func (v *cellView) answeredAt(i int) bool {
	return slices.ContainsFunc(v.shownAnswers(), func(a session.Answered) bool { return a.After == i })
}

// addAnswers draws the answers that stand between outputs from … to.
func (v *cellView) addAnswers(from, to, width int) {
	for _, a := range v.shownAnswers() {
		if a.After < from || a.After > to {
			continue
		}
		line := a.Line
		if a.Password {
			line = "········" // not even its length is shown
		}
		for _, l := range wrapPlain(cleanLines(a.Text+line), width, foldOver) {
			v.addLine(v.look.theme.Accent.Render(l))
		}
	}
}
