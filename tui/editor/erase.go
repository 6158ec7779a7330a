package editor

// remove takes out what is between from and to.
func (e *Editor) remove(kind Kind, from, to Pos) Edit {
	e.closers = nil
	return e.edit(kind, "Delete", e.replace(from, to, ""))
}

// removeSelected takes out the selection; ok is false if there is none.
func (e *Editor) removeSelected() (ed Edit, ok bool) {
	from, to, ok := e.Selection()
	if !ok {
		return Edit{}, false
	}
	return e.remove(Single, from, to), true
}

// Backspace deletes the selection or the character before the cursor; an empty pair of
// brackets or quotes as a whole, and in the blanks that a line starts with up to the
// next step of indentation.
func (e *Editor) Backspace() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	p := e.cursor
	if p.Byte == 0 {
		if p.Line == 0 {
			return Edit{}
		}
		return e.remove(Erasing, Pos{p.Line - 1, len(e.lines[p.Line-1])}, p)
	}
	line := e.lines[p.Line]
	from := prevByte(line, p.Byte)
	if end := e.closing(line[from]); from == p.Byte-1 && end != 0 && p.Byte < len(line) &&
		line[p.Byte] == end && nextByte(line, p.Byte) == p.Byte+1 {
		kept := e.closers
		for n := len(kept); n > 0 && e.closerAt(kept[n-1]) == p.Byte; n = len(kept) {
			kept = kept[:n-1]
		}
		ed := e.remove(Erasing, Pos{p.Line, from}, Pos{p.Line, p.Byte + 1})
		e.closers = kept
		e.dropClosers()
		return ed
	}
	if head := line[:p.Byte]; spacesOnly(head) && len(e.unit()) > 1 {
		from = (p.Byte - 1) / len(e.unit()) * len(e.unit())
	}
	kept := e.closers
	ed := e.remove(Erasing, Pos{p.Line, from}, p)
	e.closers = kept
	e.dropClosers()
	return ed
}

func spacesOnly(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}

// Delete deletes the selection or the character behind the cursor.
func (e *Editor) Delete() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	p := e.cursor
	switch {
	case p.Byte < len(e.lines[p.Line]):
		return e.remove(Erasing, p, Pos{p.Line, nextByte(e.lines[p.Line], p.Byte)})
	case p.Line+1 < len(e.lines):
		return e.remove(Erasing, p, Pos{p.Line + 1, 0})
	}
	return Edit{}
}

// DeleteWordBack deletes the selection or the word before the cursor; at a line's start
// the line end before it.
func (e *Editor) DeleteWordBack() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	p := e.cursor
	if p.Byte == 0 {
		return e.Backspace()
	}
	return e.remove(Single, Pos{p.Line, wordStart(e.lines[p.Line], p.Byte)}, p)
}

// DeleteWordForward deletes the selection or the word behind the cursor; at a line's end
// the line end.
func (e *Editor) DeleteWordForward() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	p := e.cursor
	if p.Byte == len(e.lines[p.Line]) {
		return e.Delete()
	}
	return e.remove(Single, p, Pos{p.Line, wordEnd(e.lines[p.Line], p.Byte)})
}

// DeleteToStart deletes the selection or from the line's start to the cursor.
func (e *Editor) DeleteToStart() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	return e.remove(Single, Pos{e.cursor.Line, 0}, e.cursor)
}

// DeleteToEnd deletes the selection or from the cursor to the line's end; there, the line end.
func (e *Editor) DeleteToEnd() Edit {
	if ed, ok := e.removeSelected(); ok {
		return ed
	}
	p := e.cursor
	if p.Byte == len(e.lines[p.Line]) {
		return e.Delete()
	}
	return e.remove(Single, p, Pos{p.Line, len(e.lines[p.Line])})
}
