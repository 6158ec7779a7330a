package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/internal/namesort"
)

// Kind is what an entry is, or what a link leads to.
type Kind uint8

// The kinds.
const (
	File   Kind = iota
	Folder      // can be expanded
	Pipe        // a FIFO: never opened, whoever reads it waits
	Socket
	Device
)

// Flag is something that is marked beside an entry.
type Flag uint8

// The flags.
const (
	Link       Flag = 1 << iota
	Broken          // a link that leads nowhere, or in a circle
	Unreadable      // by this user
	Ignored         // by the rules of .gitignore
	Changed         // since the folder was shown first
)

// Entry is one name in a folder. It is kept small: there may be 100,000 of them.
type Entry struct {
	Name   string // its bytes, whatever they are
	Target string // of a link
	Size   int64  // in bytes
	Time   int64  // of the last change, in nanoseconds since 1970
	Kind   Kind
	Flags  Flag
}

// Is tells whether a flag is set.
func (e Entry) Is(f Flag) bool { return e.Flags&f != 0 }

// Notebook tells whether the name is that of a notebook.
func (e Entry) Notebook() bool {
	return e.Kind == File && len(e.Name) > 6 && strings.EqualFold(e.Name[len(e.Name)-6:], ".ipynb")
}

func (e Entry) hidden() bool { return strings.HasPrefix(e.Name, ".") }

// Order is how the entries of a folder are sorted. Folders always come first.
type Order uint8

// The orders.
const (
	ByName Order = iota // without regard to case
	ByTime              // the newest first
	BySize              // the largest first
)

// Next is the order that comes after o, round and round.
func (o Order) Next() Order { return (o + 1) % 3 }

// String names the order.
func (o Order) String() string { return [...]string{"name", "time", "size"}[o%3] }

// Sort puts entries in an order. It may be called on any goroutine: of many entries it
// takes longer than a key may wait.
func Sort(entries []Entry, o Order) {
	sortNames(entries)
	if o == ByName {
		return
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return compareUnnamed(&a, &b, o) })
}

// compareUnnamed compares two entries by all but their names.
func compareUnnamed(a, b *Entry, o Order) int {
	switch {
	case a.Kind == Folder && b.Kind != Folder:
		return -1
	case a.Kind != Folder && b.Kind == Folder:
		return 1
	case o == ByTime:
		return cmp.Compare(b.Time, a.Time)
	case o == BySize && a.Kind != Folder: // a folder's own size says nothing
		return cmp.Compare(b.Size, a.Size)
	}
	return 0
}

// Update is old, which is in an order, without the entries of these names and with now, in that
// order again. Like Sort it may be called on any goroutine; it leaves old as it is.
func Update(old []Entry, names map[string]bool, now []Entry, o Order) []Entry {
	Sort(now, o)
	updated := make([]Entry, 0, len(old)+len(now))
	for i := range old {
		e := &old[i]
		if names[e.Name] {
			continue
		}
		for len(now) > 0 && compare(&now[0], e, o) < 0 {
			updated, now = append(updated, now[0]), now[1:]
		}
		updated = append(updated, *e)
	}
	return append(updated, now...)
}

func compare(a, b *Entry, o Order) int {
	if c := compareUnnamed(a, b, o); c != 0 {
		return c
	}
	return namesort.Compare(a.Name, b.Name, namesort.Folded)
}

// sortNames puts folders first, and both by their names.
func sortNames(entries []Entry) {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	places := Places(names, func(i int32) bool { return entries[i].Kind == Folder })
	for start := range places { // each comes to its place along a circle of places
		if places[start] < 0 {
			continue
		}
		first, at := entries[start], int32(start)
		for places[at] != int32(start) {
			from := places[at]
			entries[at], places[at] = entries[from], -1
			at = from
		}
		entries[at], places[at] = first, -1
	}
}

// Places are where the entries with these names are to be taken from, one after the other, so
// that they come in the order ByName. folder tells whether one is a Folder.
func Places(names []string, folder func(i int32) bool) []int32 {
	places := namesort.Sorted(names, namesort.Folded)
	folders, files := places[:0], make([]int32, 0, len(places))
	for _, at := range places {
		if folder(at) {
			folders = append(folders, at)
		} else {
			files = append(files, at)
		}
	}
	return append(folders, files...)
}

// MarkChanged sets Changed on the entries that old has otherwise or not at all, and keeps
// the mark of those that had it. old nil: the folder was not shown before, nothing is marked.
// Like Sort it may be called on any goroutine.
func MarkChanged(entries, old []Entry) {
	if old == nil {
		return
	}
	before := make(map[string]int, len(old))
	for i, e := range old {
		before[e.Name] = i
	}
	for i := range entries {
		e := &entries[i]
		at, known := before[e.Name]
		if !known || old[at].Is(Changed) || e.Kind != Folder && (old[at].Size != e.Size || old[at].Time != e.Time || old[at].Kind != e.Kind) {
			e.Flags |= Changed
		}
	}
}
