package treelist

import (
	"context"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/tui/tree"
)

// briefly is what can be told of a folder's entries without a look at each, in as little memory
// as there can be: for the first rows of 100,000 the system's work on fresh memory counts.
type briefly struct {
	dir   string
	names []byte       // one behind the other,
	kinds []brief      // and where each ends
	links []tree.Entry // those that lead somewhere, which are few
}

type brief struct {
	end  int32
	link int32 // its place in links and one, 0 for none
	kind tree.Kind
}

// names reads what can be told of a folder without a look at each entry.
func (r *Reader) names(ctx context.Context, dir string) (*briefly, error) {
	b := &briefly{dir: dir}
	if n, ok := r.fs.(fswatch.Naming); ok {
		return b, n.Names(ctx, dir, b.add)
	}
	found, err := r.fs.List(ctx, dir, fswatch.ListOptions{Quick: true})
	for i := range found {
		b.add(&found[i])
	}
	return b, err
}

func (b *briefly) add(found *fswatch.Entry) {
	e := entry(b.dir, found)
	b.names = append(b.names, e.Name...)
	k := brief{end: int32(len(b.names)), kind: e.Kind}
	if e.Flags != 0 {
		b.links = append(b.links, e)
		k.link = int32(len(b.links))
	}
	b.kinds = append(b.kinds, k)
}

// sorted are the entries by their names, which is all that they can be sorted by.
func (b *briefly) sorted() []tree.Entry {
	text, from := string(b.names), int32(0)
	names := make([]string, len(b.kinds))
	for i, k := range b.kinds {
		names[i], from = text[from:k.end], k.end
	}
	list := make([]tree.Entry, len(names))
	for i, at := range tree.Places(names, func(i int32) bool { return b.kinds[i].kind == tree.Folder }) {
		e := &list[i]
		if k := b.kinds[at]; k.link > 0 {
			*e = b.links[k.link-1]
		} else {
			e.Kind = k.kind
		}
		e.Name = names[at]
	}
	return list
}
