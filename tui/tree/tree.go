package tree

import (
	"slices"
	"strings"
)

// folder is an expanded folder. Its entries are never changed in place, only replaced, so
// that who made them may go on reading them.
type folder struct {
	path    string
	name    string // in its parent
	parent  *folder
	depth   int
	entries []Entry
	open    map[string]*folder // those of its folders that are expanded; nil for none
	listed  bool               // entries are those of the disk
	whole   bool               // and all of them
	why     string             // it could not be listed
}

// row is a line of the tree: an entry of a folder.
type row struct {
	in *folder
	at int32
}

func (r row) entry() *Entry { return &r.in.entries[r.at] }

// Tree is the state of the pane. One goroutine owns it.
type Tree struct {
	root  *folder
	dirs  map[string]*folder // all expanded folders, by their paths
	rows  []row
	order Order

	hidden  bool // entries with a dot before their names are shown
	ignored bool // entries that .gitignore names are not shown
	filter  []string
	text    string // what filter was made of
	before  *place // where the cursor goes back to without a filter; nil: it stays

	cursor int // a row
	top    int // the first row shown
	height int // rows that can be shown

	running map[string]bool // paths of notebooks with a kernel
	cut     map[string]bool // paths that wait to be moved
}

// Listing is what a folder holds.
type Listing struct {
	Entries []Entry // in the tree's order; the tree keeps the slice
	Partial bool    // there are more, which come with another listing
	Why     string  // it could not be listed, in a few words; "" if it could
}

// New returns a tree of one folder, which Want names.
func New(root string) *Tree {
	t := &Tree{height: 1}
	t.SetRoot(root)
	return t
}

// Root is the folder at the top.
func (t *Tree) Root() string { return t.root.path }

// SetRoot shows another folder. Folders below it that were expanded stay so, and so does
// the cursor if its entry is among them.
func (t *Tree) SetRoot(path string) {
	if t.root != nil && t.root.path == path {
		return
	}
	at := t.Path()
	old := t.dirs
	t.root = &folder{path: path}
	t.dirs = map[string]*folder{path: t.root}
	if f := old[path]; f != nil { // from now on it is the top
		t.adopt(f)
	} else if prefix := withSlash(path); t.rows != nil && strings.HasPrefix(withSlash(at), prefix) {
		t.openDown(at)
	}
	t.cursor, t.top, t.before = 0, 0, nil
	t.rebuild()
	t.Reveal(at)
}

// adopt makes an expanded folder the root.
func (t *Tree) adopt(f *folder) {
	f.parent, f.name = nil, ""
	t.root = f
	t.dirs = map[string]*folder{}
	var walk func(f *folder, depth int)
	walk = func(f *folder, depth int) {
		f.depth = depth
		t.dirs[f.path] = f
		for _, sub := range f.open {
			walk(sub, depth+1)
		}
	}
	walk(f, 0)
}

// openDown expands the folders from the root down to the one that holds path.
func (t *Tree) openDown(path string) {
	f := t.root
	rest := strings.TrimPrefix(path, withSlash(t.root.path))
	for {
		name, after, more := strings.Cut(rest, "/")
		if !more {
			return
		}
		f, rest = t.expand(f, name), after
	}
}

func withSlash(path string) string {
	if strings.HasSuffix(path, "/") {
		return path
	}
	return path + "/"
}

// join is a path in a folder.
func join(dir, name string) string { return withSlash(dir) + name }

// Want are the folders whose listings are shown: the expanded ones, the root first.
func (t *Tree) Want() []string {
	want := make([]string, 0, len(t.dirs))
	var walk func(*folder)
	walk = func(f *folder) {
		want = append(want, f.path)
		if len(f.open) == 0 {
			return
		}
		names := make([]string, 0, len(f.open))
		for name := range f.open {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			walk(f.open[name])
		}
	}
	walk(t.root)
	return want
}

// Expanded tells whether a folder is.
func (t *Tree) Expanded(path string) bool { return t.dirs[path] != nil }

// Entries are what the tree shows of an expanded folder, to be compared with on any
// goroutine; nil until it was listed. Nobody may change them.
func (t *Tree) Entries(path string) []Entry {
	if f := t.dirs[path]; f != nil && f.whole {
		return f.entries
	}
	return nil
}

// Set takes a listing of a folder. One that is not expanded any more is let be. Folders
// that are gone are collapsed; the cursor stays on its entry, and on its line of the screen.
func (t *Tree) Set(path string, l Listing) { t.SetMany(map[string]Listing{path: l}) }

// SetMany is Set for several folders at the price of one.
func (t *Tree) SetMany(listings map[string]Listing) {
	t.change(func() {
		for path, l := range listings {
			t.take(path, l)
		}
	})
}

func (t *Tree) take(path string, l Listing) {
	f := t.dirs[path]
	if f == nil || l.Partial && f.whole {
		return
	}
	f.listed, f.whole, f.why = true, !l.Partial, l.Why
	if f.entries = l.Entries; l.Why != "" {
		f.entries = nil
	}
	if !l.Partial {
		t.closeGone(f)
	}
}

// closeGone collapses the folders of f that are no folders now.
func (t *Tree) closeGone(f *folder) {
	if len(f.open) == 0 {
		return
	}
	still := make(map[string]bool, len(f.open))
	for i := range f.entries {
		if e := &f.entries[i]; e.Kind == Folder && f.open[e.Name] != nil {
			still[e.Name] = true
		}
	}
	for name, sub := range f.open {
		if !still[name] {
			t.drop(sub)
		}
	}
}

// drop collapses a folder and all below it.
func (t *Tree) drop(f *folder) {
	for _, sub := range f.open {
		t.drop(sub)
	}
	delete(t.dirs, f.path)
	if f.parent != nil {
		delete(f.parent.open, f.name)
	}
}

func (t *Tree) expand(in *folder, name string) *folder {
	if f := in.open[name]; f != nil {
		return f
	}
	f := &folder{path: join(in.path, name), name: name, parent: in, depth: in.depth + 1}
	if in.open == nil {
		in.open = map[string]*folder{}
	}
	in.open[name] = f
	t.dirs[f.path] = f
	return f
}

// Expand opens the folder at the cursor. It reports whether its listing is wanted now;
// false where there is no folder or it was open already.
func (t *Tree) Expand() bool {
	r, ok := t.at(t.cursor)
	if !ok || r.entry().Kind != Folder || r.in.open[r.entry().Name] != nil {
		return false
	}
	t.before = nil
	t.expand(r.in, r.entry().Name)
	t.rebuild()
	return true
}

// Collapse closes the folder at the cursor; where none is open it goes to the folder that
// the entry lies in. It reports whether one was closed.
func (t *Tree) Collapse() bool {
	r, ok := t.at(t.cursor)
	if !ok {
		return false
	}
	t.before = nil
	if sub := r.in.open[r.entry().Name]; sub != nil {
		t.drop(sub)
		t.rebuild()
		return true
	}
	if r.in.parent != nil {
		t.Reveal(r.in.path)
	}
	return false
}

// Order is how entries are to be sorted.
func (t *Tree) Order() Order { return t.order }

// SetOrder changes the order in which listings are wanted; the folders must be listed anew.
func (t *Tree) SetOrder(o Order) { t.order = o }

// Hidden tells whether names with a dot before them are shown, and HidesIgnored whether
// what .gitignore names is not.
func (t *Tree) Hidden() bool { return t.hidden }

// HidesIgnored tells whether entries that .gitignore names are left out.
func (t *Tree) HidesIgnored() bool { return t.ignored }

// ToggleHidden shows names with a dot before them, or not.
func (t *Tree) ToggleHidden() { t.change(func() { t.hidden = !t.hidden }) }

// ToggleIgnored leaves out what .gitignore names, or not.
func (t *Tree) ToggleIgnored() { t.change(func() { t.ignored = !t.ignored }) }

// SetRunning says which notebooks have a kernel.
func (t *Tree) SetRunning(paths map[string]bool) { t.running = paths }

// SetCut says which entries wait to be moved.
func (t *Tree) SetCut(paths map[string]bool) { t.cut = paths }
