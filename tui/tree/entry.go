package tree

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
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
	slices.SortFunc(entries, func(a, b Entry) int {
		if af, bf := a.Kind == Folder, b.Kind == Folder; af != bf {
			if af {
				return -1
			}
			return 1
		}
		switch o {
		case ByTime:
			if c := cmp.Compare(b.Time, a.Time); c != 0 {
				return c
			}
		case BySize:
			if c := cmp.Compare(b.Size, a.Size); c != 0 && a.Kind != Folder {
				return c
			}
		case ByName:
		}
		return compareNames(a.Name, b.Name)
	})
}

// compareNames compares without regard to case, and with it where that makes no difference.
func compareNames(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		if x|y >= utf8.RuneSelf {
			if c := cmp.Compare(strings.ToLower(a[i:]), strings.ToLower(b[i:])); c != 0 {
				return c
			}
			break
		}
		if x, y = lower(x), lower(y); x != y {
			return cmp.Compare(x, y)
		}
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
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
