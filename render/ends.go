package render

import (
	"bytes"
	"errors"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/ansi"
)

const (
	// endsFrom is how long a text must be, and endsLines of how many lines, that a fold
	// shows its ends without reading the rest.
	endsFrom  = 1 << 20
	endsLines = 2000
	// endBytes is how much of each end is read then.
	endBytes = 64 << 10
)

// ends are the first and the last part of a long text that was never drawn.
type ends struct {
	first, last Block
	lines       int // of the whole text
}

// ender is a Block that may be able to show its ends without drawing what is between. It
// returns nil where drawing all costs little.
type ender interface{ ends() *ends }

func endsOf(b Block) *ends {
	if e, ok := b.(ender); ok {
		return e.ends()
	}
	return nil
}

// Count returns b's height. Of a very long text that was never drawn it is the number of
// lines, as if each fitted: to know more all of it would have to be wrapped.
func Count(b Block, width int) int {
	if e := endsOf(b); e != nil {
		return e.lines
	}
	return b.Height(width)
}

func (g gutter) ends() *ends {
	e := endsOf(g.Block)
	if e == nil {
		return nil
	}
	return &ends{gutter{e.first, g.mark}, gutter{e.last, g.mark}, e.lines}
}

// ends are read once: a text that grows is drawn in whole.
func (s *stream) ends() *ends {
	if s.at > 0 || s.read > 0 || len(s.texts) > 1 || s.texts[0].Len() < endsFrom {
		return nil
	}
	version := s.texts[0].Version()
	if !s.peeked {
		s.peeked, s.peekedAt = true, version
		s.peek = readEnds(s.texts[0].View(), s.look)
	}
	if s.peekedAt != version {
		return nil
	}
	return s.peek
}

// readEnds returns nil where the text has few lines or cannot be read.
func readEnds(v mime.View, look ansi.Look) *ends {
	n, err := v.Lines()
	if err != nil || n < endsLines {
		return nil
	}
	first, last := &text{look: look}, &text{look: look}
	left, enough := endBytes, errors.New("enough")
	err = v.Chunks(0, func(p []byte) error {
		p = p[:min(left, len(p))]
		if left -= len(p); left == 0 {
			err = enough
		}
		_, _ = first.store.Write(p) // never fails
		return err
	})
	if err != nil && !errors.Is(err, enough) {
		return nil
	}
	tail, err := v.ReadFrom(nil, v.Len()-endBytes)
	if err != nil {
		return nil
	}
	tail = tail[bytes.IndexByte(tail, '\n')+1:]
	if len(tail) > 0 && tail[len(tail)-1] != '\n' {
		n++
	}
	_, _ = last.store.Write(tail)
	return &ends{first, last, n}
}
