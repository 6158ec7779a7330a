package treelist

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/tui/tree"
)

// Reader reads the folders of one tree. Its methods may be called from any goroutine.
type Reader struct {
	fs fswatch.FS

	mu    sync.Mutex // guards all below
	root  string
	rules map[string]ruleFile // of folders that were looked at
	tops  map[string]string   // where the rules for a folder begin
}

// Ask says what to read.
type Ask struct {
	Dir   string
	Order tree.Order
	Old   []tree.Entry // what was shown, to mark what changed; nil marks nothing
	Keep  []string     // paths that are not marked as changed
	Names []string     // those in Dir to look at, all others are as in Old; nil: all
	Quick bool         // if there are many, only their names; the listing is Partial then
}

// many is from how many entries on their names are read first: to look at each takes
// longer than anybody should wait for the first rows.
const many = 2000

// New returns a reader of the tree that begins at root.
func New(files fswatch.FS, root string) *Reader {
	return &Reader{fs: files, root: root, rules: map[string]ruleFile{}, tops: map[string]string{}}
}

// SetRoot says that the tree begins elsewhere now.
func (r *Reader) SetRoot(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.root = root
	clear(r.tops)
}

// Read lists a folder. rules tells that its .gitignore is another one now: all that is
// below should be read again.
func (r *Reader) Read(ctx context.Context, a Ask) (l tree.Listing, rules bool) {
	if a.Quick && !r.fs.Capabilities().Remote {
		if b, err := r.names(ctx, a.Dir); err == nil && len(b.kinds) > many {
			return tree.Listing{Entries: b.sorted(), Partial: true}, false
		}
	}
	if a.Names != nil && a.Old != nil && !slices.Contains(a.Names, rulesName) {
		if entries, ok := r.update(ctx, a); ok {
			return tree.Listing{Entries: entries}, false
		}
	}
	found, err := r.fs.List(ctx, a.Dir, fswatch.ListOptions{})
	if err != nil {
		return tree.Listing{Why: Why(err)}, false
	}
	l.Entries = entries(a.Dir, found)
	rules = r.noteRules(ctx, a.Dir, l.Entries)
	r.markIgnored(ctx, a.Dir, l.Entries)
	a.mark(l.Entries, a.Old)
	tree.Sort(l.Entries, a.Order)
	return l, rules
}

// update looks at some entries of a folder; false where it has to be listed after all.
func (r *Reader) update(ctx context.Context, a Ask) ([]tree.Entry, bool) {
	var found []fswatch.Entry
	names := make(map[string]bool, len(a.Names))
	for _, name := range a.Names {
		names[name] = true
		switch e, err := r.fs.Stat(ctx, strings.TrimSuffix(a.Dir, "/")+"/"+name); {
		case err == nil:
			found = append(found, e)
		case !errors.Is(err, fswatch.NotFound):
			return nil, false
		}
	}
	before := []tree.Entry{} // not nil: the folder was shown
	for i := range a.Old {
		if names[a.Old[i].Name] {
			before = append(before, a.Old[i])
		}
	}
	now := entries(a.Dir, found)
	r.markIgnored(ctx, a.Dir, now)
	a.mark(now, before)
	return tree.Update(a.Old, names, now, a.Order), true
}

// mark marks the entries that were otherwise before.
func (a Ask) mark(entries, before []tree.Entry) {
	tree.MarkChanged(entries, before)
	for _, path := range a.Keep {
		unmark(a.Dir, entries, path)
	}
}

// unmark takes the mark of changes off one path.
func unmark(dir string, entries []tree.Entry, path string) {
	name, in := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	if !in || strings.Contains(name, "/") {
		return
	}
	for i := range entries {
		if entries[i].Name == name {
			entries[i].Flags &^= tree.Changed
		}
	}
}

// entries are what the tree keeps of those of a folder. Their names share one string of their
// own: what an FS gave may hang on much longer paths.
func entries(dir string, found []fswatch.Entry) []tree.Entry {
	size := 0
	for i := range found {
		size += len(found[i].Name)
	}
	var names strings.Builder
	names.Grow(size)
	for i := range found {
		names.WriteString(found[i].Name)
	}
	rest, kept := names.String(), make([]tree.Entry, len(found))
	for i := range found {
		n := len(found[i].Name)
		kept[i] = entry(dir, &found[i])
		kept[i].Name, rest = rest[:n], rest[n:]
	}
	return kept
}

// entry is what the tree keeps of an entry.
func entry(dir string, e *fswatch.Entry) tree.Entry {
	t := tree.Entry{Name: e.Name, Size: e.Size}
	if !e.ModTime.IsZero() {
		t.Time = e.ModTime.UnixNano()
	}
	switch e.Type {
	case fswatch.TypeDir:
		t.Kind = tree.Folder
	case fswatch.TypeOther:
		t.Kind = kind(e.Mode)
	case fswatch.TypeFile, fswatch.TypeNone:
	}
	if e.Link {
		t.Flags |= tree.Link
		t.Target = e.Target
		if in, is := strings.CutPrefix(e.Target, strings.TrimSuffix(dir, "/")+"/"); is {
			t.Target = in
		}
	}
	switch e.Problem {
	case fswatch.Permission:
		t.Flags |= tree.Unreadable
	case fswatch.NotFound, fswatch.Invalid:
		t.Flags |= tree.Broken
	default:
		if e.Link && e.Type == fswatch.TypeNone {
			t.Flags |= tree.Broken
		}
	}
	return t
}

func kind(mode fs.FileMode) tree.Kind {
	switch {
	case mode&fs.ModeSocket != 0:
		return tree.Socket
	case mode&fs.ModeDevice != 0:
		return tree.Device
	}
	return tree.Pipe
}

// Why says in a few words why a folder cannot be listed.
func Why(err error) string {
	var own *fswatch.Error
	if !errors.As(err, &own) {
		return err.Error()
	}
	switch own.Kind {
	case fswatch.Permission, fswatch.NotFound, fswatch.Disconnect, fswatch.Unauthenticated, fswatch.NoSpace, fswatch.RateLimited:
		return string(own.Kind)
	default:
		return own.What
	}
}
