package fswatch

import (
	"maps"
	"slices"
)

// mostTouched is how many entries of a folder are kept by name: to list a folder anew takes less
// than to look at so many of its entries one by one.
const mostTouched = 4096

// touched is which entries of a folder changed.
type touched struct {
	any   bool // all may have
	names map[string]bool
}

// add notes these entries; nil means that any may have changed.
func (t *touched) add(names ...string) {
	if t.any || names == nil || len(t.names)+len(names) > mostTouched {
		t.any, t.names = true, nil
		return
	}
	if t.names == nil {
		t.names = map[string]bool{}
	}
	for _, name := range names {
		t.names[name] = true
	}
}

// list are the names, sorted; nil if any entry may have changed.
func (t *touched) list() []string {
	if t.any {
		return nil
	}
	return slices.Sorted(maps.Keys(t.names))
}

// touch notes entries of a folder in a set of folders.
func touch(dirs map[Path]*touched, dir Path, names ...string) {
	t := dirs[dir]
	if t == nil {
		t = &touched{}
		dirs[dir] = t
	}
	t.add(names...)
}
