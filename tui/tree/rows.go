package tree

import (
	"strings"
	"unicode/utf8"
)

// rebuild makes the rows anew after anything changed that they depend on.
func (t *Tree) rebuild() {
	if t.filter == nil && cap(t.rows) < len(t.root.entries) { // else it grows in many steps
		t.rows = make([]row, 0, len(t.root.entries))
	}
	t.rows = t.rows[:0]
	if t.rows == nil {
		t.rows = []row{}
	}
	t.walk(t.root)
	t.clamp()
}

func (t *Tree) walk(f *folder) {
	for i := range f.entries {
		e := &f.entries[i]
		if e.hidden() && !t.hidden || t.ignored && e.Is(Ignored) {
			continue
		}
		own := len(t.rows)
		t.rows = append(t.rows, row{f, int32(i)})
		if e.Kind == Folder && f.open != nil {
			if sub := f.open[e.Name]; sub != nil {
				t.walk(sub)
			}
		}
		if t.filter != nil && len(t.rows) == own+1 && !fits(e.Name, t.filter) {
			t.rows = t.rows[:own]
		}
	}
}

// Filter leaves only the entries whose names have all words of the text in them, without
// regard to case, and the folders that hold some; "" shows all again. Only what is expanded
// is looked at. The cursor stays on an entry that fits, else it goes to the first that does;
// without a filter it goes back to where it was before, as after a search that was given up,
// unless it was moved meanwhile or Chose was called.
func (t *Tree) Filter(text string) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		words = nil
	}
	at := t.place()
	switch {
	case t.before != nil:
		at = *t.before
	case t.filter == nil && words != nil:
		t.before = &at
	}
	t.text, t.filter = text, words
	t.rebuild()
	t.restore(at)
	if words == nil {
		t.before = nil
		return
	}
	if r, ok := t.at(t.cursor); ok && r.in == at.in && r.entry().Name == at.name && fits(at.name, words) {
		return
	}
	for i, r := range t.rows { // the first that fits, not a folder that only holds it
		if fits(r.entry().Name, t.filter) {
			t.cursor = i
			t.show()
			return
		}
	}
}

// Chose says that the entry at the cursor is what was looked for: the cursor stays on it
// when the filter goes.
func (t *Tree) Chose() {
	if len(t.rows) > 0 {
		t.before = nil
	}
}

// Filtering is the text that the rows are filtered by, "" for none.
func (t *Tree) Filtering() string { return t.text }

// change makes rows anew and keeps the cursor's place.
func (t *Tree) change(f func()) {
	place := t.place()
	f()
	t.rebuild()
	t.restore(place)
}

func fits(name string, words []string) bool {
	for _, w := range words {
		if !containsFold(name, w) {
			return false
		}
	}
	return true
}

// containsFold tells whether name has a text in it that is written small, without regard
// to case. Plain ASCII, which most names are, is compared without any copy.
func containsFold(name, small string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(name), small)
		}
	}
	n := len(small)
	for i := 0; i+n <= len(name); i++ {
		j := 0
		for j < n && lower(name[i+j]) == small[j] {
			j++
		}
		if j == n {
			return true
		}
	}
	return false
}

// Len is how many rows there are.
func (t *Tree) Len() int { return len(t.rows) }

func (t *Tree) at(i int) (row, bool) {
	if i < 0 || i >= len(t.rows) {
		return row{}, false
	}
	return t.rows[i], true
}

// Current is the entry at the cursor and its path; ok is false in an empty tree.
func (t *Tree) Current() (path string, e Entry, ok bool) {
	r, ok := t.at(t.cursor)
	if !ok {
		return "", Entry{}, false
	}
	return join(r.in.path, r.entry().Name), *r.entry(), true
}

// Path is the path at the cursor, "" in an empty tree.
func (t *Tree) Path() string {
	path, _, _ := t.Current()
	return path
}

// Dir is the folder that something new at the cursor belongs to: the folder at the cursor,
// expanded or not, else the one that the entry lies in.
func (t *Tree) Dir() string {
	r, ok := t.at(t.cursor)
	if !ok {
		return t.root.path
	}
	if e := r.entry(); e.Kind == Folder {
		return join(r.in.path, e.Name)
	}
	return r.in.path
}

// Lookup is the entry at a path, if it is in an expanded folder.
func (t *Tree) Lookup(path string) (Entry, bool) {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return Entry{}, false
	}
	f := t.dirs[path[:max(cut, 1)]]
	if f == nil {
		return Entry{}, false
	}
	for i := range f.entries {
		if f.entries[i].Name == path[cut+1:] {
			return f.entries[i], true
		}
	}
	return Entry{}, false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
