package editor

import (
	"slices"
	"strings"
)

// replace puts text in place of what is between from and to and moves the cursor behind
// it. Every change of the text but a SetText of all goes through here.
func (e *Editor) replace(from, to Pos, text string) Change {
	at := e.Offset(from)
	c := Change{From: at, To: e.Offset(to), Text: text}
	head, tail := e.lines[from.Line][:from.Byte], e.lines[to.Line][to.Byte:]
	var added []string
	end := Pos{from.Line, from.Byte + len(text)}
	if strings.Contains(text, "\n") {
		added = strings.Split(text, "\n")
		last := len(added) - 1
		end = Pos{from.Line + last, len(added[last])}
		added[0] = head + added[0]
		added[last] += tail
	} else {
		added = []string{head + text + tail}
	}
	e.view.replaced(e, from.Line, to.Line+1, added)
	if len(added) == 1 && from.Line == to.Line {
		e.lines[from.Line] = added[0]
	} else {
		e.lines = slices.Replace(e.lines, from.Line, to.Line+1, added...)
	}
	e.bytes += len(text) - (c.To - c.From)
	e.text, e.whole = "", false
	e.starts.cut(from.Line)
	e.version++
	e.colours.replaced(from.Line, to.Line+1-from.Line, len(added))
	e.goal = -1
	e.cursor = e.snap(end)
	e.anchor = e.cursor
	return c
}

// edit makes an Edit of changes; it takes the mark that the cursor had jumped.
func (e *Editor) edit(kind Kind, label string, changes ...Change) Edit {
	ed := Edit{Kind: kind, Label: label, Jump: e.jumped}
	for _, c := range changes {
		if c.From != c.To || c.Text != "" {
			ed.Changes = append(ed.Changes, c)
		}
	}
	if len(ed.Changes) == 0 {
		return Edit{}
	}
	e.jumped = false
	return ed
}

// SetText makes text the whole text, as after an outside change. The cursor and the
// selection stay beside the text that they were beside.
func (e *Editor) SetText(text string) { e.setText(text, false) }

// Restore makes text the whole text, as after an undo: the cursor goes to where it changed.
func (e *Editor) Restore(text string) { e.setText(text, true) }

func (e *Editor) setText(text string, follow bool) {
	text = newlines(text)
	old := e.Text()
	if text == old {
		return
	}
	head, tail := common(old, text)
	cursor, anchor := e.Offset(e.cursor), e.Offset(e.anchor)
	shift := func(at int) int {
		switch {
		case at <= head:
			return at
		case at >= len(old)-tail:
			return at + len(text) - len(old)
		}
		return min(at, len(text)-tail)
	}
	e.closers = nil
	from := e.rawPos(head)
	to := e.rawPos(len(old) - tail)
	e.replace(from, to, text[head:len(text)-tail])
	e.text, e.whole = text, true
	if !follow {
		e.cursor, e.anchor = e.PosOf(shift(cursor)), e.PosOf(shift(anchor))
	}
	e.jumped = true
}

// rawPos is PosOf for places inside a cluster too.
func (e *Editor) rawPos(offset int) Pos {
	line, at := e.starts.find(offset, len(e.lines), e.lineSize)
	return Pos{line, at}
}

// common returns how many bytes a and b share at their starts and, of the rest, at their ends.
func common(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// Put puts text at the cursor, in place of the selection, as it is: without closing
// brackets and without indentation. It is what completion, and a burst of keys, use.
func (e *Editor) Put(kind Kind, label, text string) Edit {
	text = clean(text)
	from, to, _ := e.Selection()
	e.closers = nil
	return e.edit(kind, label, e.replace(from, to, text))
}

// clean makes text fit to be put in: line ends are \n, and it is UTF-8, as a file must be.
func clean(text string) string { return strings.ToValidUTF8(newlines(text), "\ufffd") }

// Replace puts text in place of what is between from and to, as one step.
func (e *Editor) Replace(from, to Pos, text, label string) Edit {
	from, to = e.snap(from), e.snap(to)
	if to.Before(from) {
		from, to = to, from
	}
	e.closers = nil
	return e.edit(Single, label, e.replace(from, to, clean(text)))
}

// Paste puts text in place of the selection, byte for byte but for line ends, which
// become \n. It is one step.
func (e *Editor) Paste(text string) Edit {
	if text == "" {
		return Edit{}
	}
	return e.Put(Single, "Paste", text)
}

// Copy returns what is selected, or else the cursor's line with its line end.
func (e *Editor) Copy() string {
	if _, _, ok := e.Selection(); ok {
		return e.SelectedText()
	}
	return e.lines[e.cursor.Line] + "\n"
}

// Cut takes out, and returns, what Copy returns.
func (e *Editor) Cut() (string, Edit) {
	text := e.Copy()
	from, to, ok := e.Selection()
	if !ok {
		from, to = e.wholeLines(e.cursor.Line, e.cursor.Line)
	}
	e.closers = nil
	return text, e.edit(Single, "Cut", e.replace(from, to, ""))
}

// wholeLines returns the stretch that deleting some lines takes out.
func (e *Editor) wholeLines(first, last int) (from, to Pos) {
	switch {
	case last+1 < len(e.lines):
		return Pos{first, 0}, Pos{last + 1, 0}
	case first > 0:
		return Pos{first - 1, len(e.lines[first-1])}, e.end()
	}
	return Pos{}, e.end()
}
