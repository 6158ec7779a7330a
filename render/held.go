package render

import (
	"weak"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/themes"
)

// held draws an output that may be on disk. While it is there the drawing lives only until
// the next garbage collection: it holds all that was spilled to make room.
type held struct {
	output        *mime.Held
	make          func(mime.Body) Block
	whole         bool
	strong        Block
	weak          weak.Pointer[drawn]
	width, height int // what was measured last
}

type drawn struct{ Block }

// newHeld returns nil for what is drawn as a picture: that is decoded elsewhere and must stay.
func newHeld(h *mime.Held, th *themes.Theme, pictures *Pictures) Block {
	if d, ok := h.Bare().(*mime.Data); ok && first(d.Bundle, isDrawable) != nil {
		return nil
	}
	return &held{output: h, make: func(b mime.Body) Block { return output(b, th, pictures) }}
}

func (h *held) get() Block {
	b := h.strong
	if b == nil {
		if d := h.weak.Value(); d != nil {
			return d.Block
		}
		b = h.make(mime.Output{Body: h.output}.Decode())
		Expand(b, h.whole)
	}
	if h.output.Memory() > 0 {
		h.strong = b
		return b
	}
	h.strong, h.weak = nil, weak.Make(&drawn{b})
	return b
}

func (h *held) Height(width int) int {
	if h.width != width {
		h.width, h.height = width, h.get().Height(width)
	} else if h.strong != nil && h.output.Memory() == 0 {
		h.get() // lets go of it
	}
	return h.height
}

func (h *held) Lines(width, from, n int) []string { return h.get().Lines(width, from, n) }

func (h *held) Estimate(width int) int {
	if h.width == width {
		return h.height
	}
	return bytesGuess(mime.Size(h.output), max(width, 1))
}

func (h *held) expand(whole bool) {
	if h.whole != whole {
		h.whole, h.width = whole, 0
		Expand(h.get(), whole)
	}
}

func (h *held) pan(by int) bool {
	h.width = 0 // other columns may take other heights
	return Pan(h.get(), by)
}
