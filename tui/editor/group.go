package editor

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// pause is the time without an edit after which the next one is a new undo step.
const pause = time.Second

// Grouper says which edits are one undo step: those of one word, or of one run of
// rubbing out, without a pause or a jump of the cursor between them. The zero Grouper is
// ready. Use one for each document.
type Grouper struct {
	last  time.Time
	kind  Kind
	blank bool // the last typed text ended in a blank, and was no line end
	n     int
}

// Group returns the name of the group that an edit, made at now, belongs to: an edit
// with the same name as the one before joins its step. "" is a step of its own.
func (g *Grouper) Group(ed Edit, now time.Time) string {
	if len(ed.Changes) == 0 {
		return ""
	}
	if g.breaks(ed, now) {
		g.n++
	}
	text := ed.Changes[len(ed.Changes)-1].Text
	last, _ := utf8.DecodeLastRuneInString(text)
	g.last, g.kind = now, ed.Kind
	g.blank = unicode.IsSpace(last) && !strings.HasPrefix(text, "\n")
	if ed.Kind == Single || len(ed.Changes) > 1 {
		return ""
	}
	return "edit-" + strconv.Itoa(g.n)
}

func (g *Grouper) breaks(ed Edit, now time.Time) bool {
	if g.kind == Typing && now.Sub(g.last) <= burstGap && (ed.Kind == Pasting || ed.Kind == Typing && !ed.Jump) {
		return false // these may be the first keys of a paste, which is one step
	}
	if ed.Kind == Single || ed.Kind != g.kind || now.Sub(g.last) > pause {
		return true
	}
	if ed.Kind == Pasting {
		return false
	}
	if ed.Jump {
		return true
	}
	text := ed.Changes[0].Text
	first, _ := utf8.DecodeRuneInString(text)
	return ed.Kind == Typing && (strings.HasPrefix(text, "\n") || g.blank && !unicode.IsSpace(first))
}
