package tree

import "strings"

// place is where the cursor is: an entry, its row and its line of the screen.
type place struct {
	in     *folder
	name   string
	row    int
	screen int
	next   []string // names behind it in its folder: who comes up when it is gone
}

func (t *Tree) place() place {
	p := place{row: t.cursor, screen: t.cursor - t.top}
	r, ok := t.at(t.cursor)
	if !ok {
		return p
	}
	p.in, p.name = r.in, r.entry().Name
	for i := t.cursor + 1; i < len(t.rows) && len(p.next) < 8; i++ {
		if t.rows[i].in == p.in {
			p.next = append(p.next, t.rows[i].entry().Name)
		}
	}
	return p
}

// restore brings the cursor back to its entry; if that is gone, to one that stood behind
// it, else to the folder it was in, else to the row where it was.
func (t *Tree) restore(p place) {
	t.cursor = p.row
	names := append([]string{p.name}, p.next...)
	for f := p.in; f != nil; f = f.parent {
		if i := t.findOne(f, names, p.row); i >= 0 {
			t.cursor = i
			break
		}
		names = []string{f.name}
	}
	t.top = t.cursor - p.screen
	t.clamp()
}

// findOne is the row of the first of the names that has one, -1 if none has.
func (t *Tree) findOne(in *folder, names []string, near int) int {
	if t.dirs[in.path] != in {
		return -1
	}
	for _, name := range names {
		if i := t.find(in, name, near); i >= 0 {
			return i
		}
	}
	return -1
}

// find is the row of a name in a folder, -1 if it has none. It is looked for near a row
// first: where it was.
func (t *Tree) find(in *folder, name string, near int) int {
	if r, ok := t.at(near); ok && r.in == in && r.entry().Name == name {
		return near
	}
	for i, r := range t.rows {
		if r.in == in && r.entry().Name == name {
			return i
		}
	}
	return -1
}

// clamp keeps cursor and window on rows that there are.
func (t *Tree) clamp() {
	t.cursor = max(min(t.cursor, len(t.rows)-1), 0)
	t.top = max(min(t.top, len(t.rows)-t.height), 0)
	t.show()
}

// show scrolls as little as needed to show the cursor.
func (t *Tree) show() {
	t.top = max(min(t.top, t.cursor), t.cursor-t.height+1, 0)
}

// SetHeight says how many rows can be shown.
func (t *Tree) SetHeight(n int) {
	if n = max(n, 1); n != t.height {
		t.height = n
		t.clamp()
	}
}

// Move moves the cursor by n rows, as far as there are any.
func (t *Tree) Move(n int) { t.Choose(t.cursor + n) }

// Choose puts the cursor on a row, or on the nearest there is.
func (t *Tree) Choose(i int) {
	t.cursor, t.before = i, nil
	t.clamp()
}

// Page is how many rows a page moves by.
func (t *Tree) Page() int { return max(t.height-1, 1) }

// Scroll moves the window by n rows; the cursor stays in it.
func (t *Tree) Scroll(n int) {
	t.before = nil
	t.top = max(min(t.top+n, len(t.rows)-t.height), 0)
	t.cursor = max(min(t.cursor, t.top+t.height-1, len(t.rows)-1), t.top)
}

// RowAt is the row that is shown in a line of the window.
func (t *Tree) RowAt(line int) (i int, ok bool) {
	i = t.top + line
	return i, line >= 0 && line < t.height && i < len(t.rows)
}

// Cursor is the cursor's row.
func (t *Tree) Cursor() int { return t.cursor }

// Reveal puts the cursor on a path if it has a row, and reports whether it has.
func (t *Tree) Reveal(path string) bool {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return false
	}
	f := t.dirs[path[:max(cut, 1)]]
	if f == nil {
		return false
	}
	i := t.find(f, path[cut+1:], t.cursor)
	if i >= 0 {
		t.Choose(i)
	}
	return i >= 0
}

// OpenTo expands the folders down to the one that holds path, so that its listing is
// wanted; false where path is not below the root.
func (t *Tree) OpenTo(path string) bool {
	if !strings.HasPrefix(path, withSlash(t.root.path)) {
		return false
	}
	t.change(func() { t.openDown(path) })
	return true
}
