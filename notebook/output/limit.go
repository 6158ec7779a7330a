package output

import (
	"fmt"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// DefaultLimit is how many bytes a cell may put out before the middle is given up.
const DefaultLimit = 1 << 30

// perOutput is what an output counts beside what it says; about what a file needs for it.
const perOutput = 64

// counted is what an output counts towards the limit of its cell.
func counted(o mime.Output) int64 {
	if st, ok := o.Body.(*mime.Stream); ok {
		return perOutput + st.Text.Len()
	}
	if o.Body == nil {
		return perOutput + int64(len(o.Raw))
	}
	return perOutput + mime.Size(o.Body)
}

// largePiece is more than a Text keeps of what it was told to give up.
const largePiece = 64 << 10

// shorten gives up the middle of a cell that has too much: half of the limit from the
// beginning stays, and the newest. It frees a sixteenth of the limit, so that a flood of
// small outputs is not moved for each of them.
func (s *Set) shorten(key event.CellKey, c *cell) {
	if s.limit < 0 || c.bytes <= s.limit {
		return
	}
	w := shortening{cell: c, over: c.bytes - s.limit + s.limit/16, from: -1}
	var before int64
	for i := 0; i < len(c.outs) && w.over > 0; i++ {
		size, head := counted(c.outs[i]), max(s.limit/2-before, 0)
		if c.dropped > 0 && i > c.mark {
			head = 0 // what is kept ends before it
		}
		if before += size; size > head && (c.dropped == 0 || i != c.mark) {
			w.take(i, size, head)
		}
	}
	if w.from >= 0 {
		w.remove()
		s.moved(key, c, w.from, w.to)
	}
}

// moved corrects the places of displays after the outputs from…to-1 became one.
func (s *Set) moved(key event.CellKey, c *cell, from, to int) {
	for id, list := range s.displays {
		s.displays[id] = slices.DeleteFunc(list, func(p place) bool {
			return p.cell == key && p.life == c.life && p.index >= from && p.index < to
		})
		for i, p := range s.displays[id] {
			if p.cell == key && p.life == c.life && p.index >= to {
				s.displays[id][i].index -= to - from - 1
			}
		}
	}
}

// shortening is one going through a cell's outputs.
type shortening struct {
	*cell
	over     int64 // bytes that are still to go
	gone     int64 // bytes of whole outputs
	from, to int   // the outputs to be removed, to excluded; from is -1 for none
}

// take gives up of output i what is behind its first head bytes: chunks of a stream that
// keeps some or is large, else the whole output. The last output is never removed: it grows.
func (w *shortening) take(i int, size, head int64) {
	last := i == len(w.outs)-1
	st, isStream := w.outs[i].Body.(*mime.Stream)
	switch {
	case isStream && (last || head > 0 || size > w.over+largePiece):
		st.Text.Shorten(head, st.Text.Len()-w.over)
		freed := size - counted(w.outs[i])
		w.bytes -= freed
		if w.over -= freed; head == 0 {
			w.over = 0 // what comes next is not beside what went before
		}
	case !last:
		if w.from < 0 {
			w.from = i
		}
		w.to = i + 1
		w.over -= size
		w.bytes -= size
		if isStream {
			w.gone += st.Text.View().Written()
		} else {
			w.gone += size - perOutput
		}
	}
}

// remove puts the mark in the place of the outputs that go, and of the mark before them.
func (w *shortening) remove() {
	if w.dropped > 0 {
		w.from = w.mark
		w.bytes -= counted(w.outs[w.mark])
	}
	w.dropped += w.gone
	w.mark = w.from
	mark := mime.Output{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf(
		fmt.Sprintf("\n… %d bytes of output left out here (output_limit) …\n", w.dropped))}}
	w.outs, w.lent = slices.Concat(w.outs[:w.from], []mime.Output{mark}, w.outs[w.to:]), 0
	w.bytes += counted(mark)
}
