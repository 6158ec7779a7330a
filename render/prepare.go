package render

import (
	"github.com/nbterm/nbterm/notebook/mime"
)

// Preparing is the work of drawing a very long text in whole, which takes a second or
// more. Do does it anywhere; the block may be used meanwhile as it is.
type Preparing struct {
	of      *stream
	view    mime.View
	version uint64
	width   int
	drawn   stream
}

// Prepare returns the work that a block needs before it may be drawn in whole at a width,
// nil where that costs little.
func Prepare(b Block, width int) *Preparing {
	if g, ok := b.(gutter); ok {
		return Prepare(g.Block, g.inner(width))
	}
	s, ok := b.(*stream)
	if !ok || s.at > 0 || s.read > 0 || len(s.texts) > 1 || s.texts[0].Len() < endsFrom {
		return nil
	}
	return s.prepare(width)
}

func (s *stream) prepare(width int) *Preparing {
	version := s.texts[0].Version() // before the view: what comes between is read again
	return &Preparing{of: s, view: s.texts[0].View(), version: version, width: max(width, 1), drawn: stream{look: s.look}}
}

// Len is how many bytes it reads.
func (p *Preparing) Len() int64 { return p.view.Len() }

// Do draws. It may be called from any goroutine, once.
func (p *Preparing) Do() {
	p.drawn.copyFrom(p.view, 0)
	p.drawn.store.Rows(p.width)
}

// Done gives the block what Do made, on the goroutine that draws. A block that was drawn
// meanwhile stays.
func (p *Preparing) Done() {
	if s := p.of; s.at == 0 && s.read == 0 {
		s.store, s.read, s.lost, s.seen = p.drawn.store, p.view.Written(), p.view.Dropped(), p.version
	}
}
