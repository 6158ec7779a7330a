package lineedit

import "testing"

func TestLine(t *testing.T) {
	family := "👨‍👩‍👧"
	for _, c := range []struct {
		name string
		do   func(l *Line)
		want string // | is the cursor
	}{
		{"type", func(l *Line) { l.Insert("ab") }, "ab|"},
		{"paste lines", func(l *Line) { l.Insert("a\r\nb\tc\x1b[31m\a") }, "a b c[31m|"},
		{"back over one character of many", func(l *Line) { l.Insert("x" + family); l.Backspace() }, "x|"},
		{"left over it", func(l *Line) { l.Insert("x" + family); l.Left() }, "x|" + family},
		{"combining mark", func(l *Line) { l.Insert("e\u0301"); l.Backspace(); l.Backspace() }, "|"},
		{"delete", func(l *Line) { l.Insert("abc"); l.Home(); l.Right(); l.Delete() }, "a|c"},
		{"kill", func(l *Line) { l.Insert("abc"); l.Left(); l.KillBefore() }, "|c"},
		{"kill after", func(l *Line) { l.Insert("abc"); l.Home(); l.KillAfter() }, "|"},
		{"kill word", func(l *Line) { l.Insert("ab cd  "); l.KillWord() }, "ab |"},
		{"ends", func(l *Line) {
			l.Home()
			l.Left()
			l.Backspace()
			l.End()
			l.Right()
			l.Delete()
		}, "|"},
	} {
		var l Line
		c.do(&l)
		if got := l.before + "|" + l.after; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
