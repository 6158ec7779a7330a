package diff

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// Op is what became of a line.
type Op uint8

// The ops. Gap stands for lines that are left out because both versions have them.
const (
	Both Op = iota
	Removed
	Added
	Gap
)

// Line is a line of two texts set against each other.
type Line struct {
	Op   Op
	Text string // without its line end
}

// around is how many equal lines are shown around different ones.
const around = 3

// Lines sets two texts against each other, line by line. Equal texts make no lines.
func Lines(old, now string) []Line {
	old, now = ended(old), ended(now)
	d, err := udiff.ToUnifiedDiff("", "", old, udiff.Lines(old, now), around)
	if err != nil { // edits that it made itself always fit
		return append(whole(Removed, old), whole(Added, now)...)
	}
	var out []Line
	next := 1
	for _, h := range d.Hunks {
		if h.FromLine > next {
			out = append(out, Line{Op: Gap})
		}
		next = h.FromLine
		for _, l := range h.Lines {
			op := map[udiff.OpKind]Op{udiff.Delete: Removed, udiff.Insert: Added, udiff.Equal: Both}[l.Kind]
			out = append(out, Line{op, strings.TrimSuffix(l.Content, "\n")})
			if op != Added {
				next++
			}
		}
	}
	if len(out) > 0 && next <= strings.Count(old, "\n") {
		out = append(out, Line{Op: Gap})
	}
	return out
}

func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// whole makes lines of a text that only one version has.
func whole(op Op, text string) []Line {
	var out []Line
	for l := range strings.Lines(text) {
		out = append(out, Line{op, strings.TrimSuffix(l, "\n")})
	}
	return out
}

// Lines is how the source of a pair differs: all of it where only one version has the cell.
func (p Pair) Lines() []Line {
	switch {
	case p.Old == nil:
		return whole(Added, p.New.Source)
	case p.New == nil:
		return whole(Removed, p.Old.Source)
	}
	return Lines(p.Old.Source, p.New.Source)
}
