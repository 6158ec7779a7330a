package session

import (
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
)

const (
	// MaxEarlier is how many earlier outputs of a cell are kept.
	MaxEarlier = 20
	// MaxEarlierBytes bounds the earlier outputs of all cells together. The oldest go first.
	MaxEarlierBytes = 64 << 20
)

// Earlier is what a cell had put out before another run began. It never changes.
type Earlier struct {
	Run     int       // counts the cell's runs in this session from 1; 0 is what the file had
	Started time.Time // zero for Run 0
	Outputs []mime.Output
	Answers []Answered // among them
	bytes   int64
}

// earlier keeps the earlier outputs of all cells. What the file had costs nothing: the
// document holds its bytes anyway.
type earlier struct {
	cells map[notebook.CellKey]*past
	order []notebook.CellKey // one for each that is kept, oldest first
	bytes int64
	limit int64
}

// past is the history of one cell.
type past struct {
	runs    int
	started time.Time // of the newest run
	kept    []Earlier // oldest first
}

// Earlier returns what is kept of a cell's earlier outputs, oldest first, and how many
// runs there were, the one whose outputs the document has included.
func (s *Session) Earlier(key notebook.CellKey) (kept []Earlier, runs int) {
	p := s.earlier.cells[key]
	if p == nil {
		return nil, 0
	}
	return p.kept, p.runs
}

// begins takes note of a run of one of the session's cells that begins, before its outputs
// replace those that are there.
func (s *Session) begins(key notebook.CellKey, e event.Event) {
	if _, ok := e.Body.(event.Accepted); !ok {
		return
	}
	p := s.earlier.cells[key]
	if p == nil {
		p = &past{}
		s.earlier.cells[key] = p
	}
	outs := s.set.Outputs(event.CellKey(key))
	if p.runs > 0 || len(outs) > 0 {
		s.earlier.keep(key, p, Earlier{
			Run: p.runs, Started: p.started, Outputs: outs, Answers: s.answers.given[key], bytes: bodyBytes(outs),
		})
	}
	p.runs++
	p.started = e.Time
}

// keep adds outputs to a cell's past and lets go of what is too much. Outputs that are too
// large by themselves are not kept, and take nothing else away.
func (r *earlier) keep(key notebook.CellKey, p *past, e Earlier) {
	if e.bytes > r.limit {
		return
	}
	p.kept = append(p.kept[:len(p.kept):len(p.kept)], e) // lists that were handed out stay
	r.order = append(r.order, key)
	r.bytes += e.bytes
	if len(p.kept) > MaxEarlier {
		for i, k := range r.order {
			if k == key {
				r.drop(i)
				break
			}
		}
	}
	for r.bytes > r.limit {
		r.drop(0)
	}
}

// drop lets go of the oldest of the cell that stands at i of the order.
func (r *earlier) drop(i int) {
	p := r.cells[r.order[i]]
	r.order = append(r.order[:i:i], r.order[i+1:]...)
	r.bytes -= p.kept[0].bytes
	p.kept = p.kept[1:]
}

// bodyBytes is what outputs hold beside the bytes of the file.
func bodyBytes(outs []mime.Output) (n int64) {
	for _, o := range outs {
		switch b := o.Body.(type) {
		case nil:
		case *mime.Stream:
			n += b.Text.Len()
		default:
			n += mime.Size(b)
		}
	}
	return n
}
