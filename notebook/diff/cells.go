package diff

import (
	"bytes"
	"reflect"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
)

// Pair is a cell of both versions, or of one of them.
type Pair struct {
	Old, New       *notebook.Cell // nil where that version does not have it
	OldAt, NewAt   int            // their places, counted from 1; 0 for none
	Source, Output bool           // what differs; of cells that both have
	Type, Moved    bool
}

// Differs tells whether there is anything to show of it.
func (p Pair) Differs() bool {
	return p.Old == nil || p.New == nil || p.Source || p.Output || p.Type || p.Moved
}

// Cells pairs the cells of two versions, in the order of the new one; cells that it lacks
// stand where they were.
func Cells(old, now []*notebook.Cell) []Pair {
	to := notebook.Match(old, now)
	found := make([]bool, len(old))
	for _, o := range to {
		if o >= 0 {
			found[o] = true
		}
	}
	var out []Pair
	next := 0 // the first old cell that was not passed yet
	gone := func(until int) {
		for ; next < until; next++ {
			if !found[next] {
				out = append(out, Pair{Old: old[next], OldAt: next + 1})
			}
		}
	}
	last := -1
	for i, c := range now {
		if to[i] < 0 {
			out = append(out, Pair{New: c, NewAt: i + 1})
			continue
		}
		gone(to[i])
		p := pair(old[to[i]], c)
		p.OldAt, p.NewAt, p.Moved = to[i]+1, i+1, to[i] < last
		last = max(last, to[i])
		out = append(out, p)
	}
	gone(len(old))
	return out
}

func pair(old, now *notebook.Cell) Pair {
	return Pair{
		Old: old, New: now, Source: old.Source != now.Source, Type: old.Type != now.Type,
		Output: old.Count != now.Count || !sameOutputs(old.Outputs(), now.Outputs()),
	}
}

func sameOutputs(a, b []mime.Output) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Raw != nil && bytes.Equal(a[i].Raw, b[i].Raw) {
			continue
		}
		if !sameBody(a[i].Decode(), b[i].Decode()) {
			return false
		}
	}
	return true
}

// sameBody compares what outputs say, whether they were read or came from a run.
func sameBody(a, b mime.Body) bool {
	x, ok := a.(*mime.Stream)
	if !ok {
		return reflect.DeepEqual(a, b)
	}
	y, ok := b.(*mime.Stream)
	return ok && x.Name == y.Name && x.Text.Len() == y.Text.Len() && x.Text.String() == y.Text.String()
}
