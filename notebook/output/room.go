package output

import "github.com/nbterm/nbterm/notebook/mime"

const (
	// InMemory is how many bytes of outputs stay in memory, all cells together.
	InMemory = 64 << 20
	// holdFrom is how large a display or an error must be to be moved to disk.
	holdFrom = 2 << 10
)

// hold makes a large body one that can be moved to disk.
func (s *Set) hold(b mime.Body) mime.Body {
	if s.spill == nil || mime.Size(b) < holdFrom {
		return b
	}
	return mime.Hold(b, s.spill)
}

// displayed is what is known of a display without reading it back, nil for other outputs.
func displayed(b mime.Body) *mime.Data {
	if h, ok := b.(*mime.Held); ok {
		b = h.Bare()
	}
	d, _ := b.(*mime.Data)
	return d
}

// grew counts bytes that came in and makes room when there are too many. What was taken
// away meanwhile is not subtracted: the price is some room made too early.
func (s *Set) grew(n int64) {
	if s.fresh += n; s.fresh > InMemory {
		s.fresh = 0
		s.relieve()
	}
}

// relieve moves all that is worth it to disk.
func (s *Set) relieve() {
	if s.spill == nil || s.full {
		return
	}
	for _, c := range s.cells {
		for _, o := range c.outs {
			var err error
			switch b := o.Body.(type) {
			case *mime.Stream:
				err = b.Text.Spill()
			case *mime.Held:
				err = b.Spill()
			}
			if err != nil {
				s.full = true
				return
			}
		}
	}
}
