package mime

import (
	"fmt"
	"slices"
	"sync"

	"github.com/nbterm/nbterm/notebook/mime/spill"
)

// Held is a *Data or an *Error that is large enough to be moved to a spill file. What it
// says never changes, only where it is. It may be used from any goroutine. Create it with Hold.
type Held struct {
	spill *spill.File
	size  int64

	mu   sync.Mutex // guards all below
	kept Body       // without its large values once they are on disk
	away bool
	at   int64
	cuts []int // lengths of the values on disk
}

func (*Held) body() {}

// Hold returns b ready to be spilled into s. b is a *Data or an *Error and may not be
// changed afterwards.
func Hold(b Body, s *spill.File) *Held { return &Held{spill: s, kept: b, size: Size(b)} }

// Size is how many bytes of b may be moved to a spill file: the values of a bundle and
// its metadata (they may be parts of one message, which all of them keep in memory), or what
// an error says. It is 0 for a stream, whose Text sees to that itself.
func Size(b Body) (n int64) {
	switch b := b.(type) {
	case *Held:
		return b.size
	case *Data:
		n = int64(len(b.Metadata))
		for _, e := range b.Bundle {
			n += int64(len(e.Value))
		}
	case *Error:
		n = int64(len(b.Value))
		for _, line := range b.Traceback {
			n += int64(len(line))
		}
	}
	return n
}

// Load returns the whole body, read back if it is on disk; the caller should not keep it
// long. Its error is the spill file's.
func (h *Held) Load() (Body, error) {
	h.mu.Lock()
	kept, away, at, cuts := h.kept, h.away, h.at, h.cuts
	h.mu.Unlock()
	if !away {
		return kept, nil
	}
	buf := make([]byte, h.size)
	if _, err := h.spill.ReadAt(buf, at); err != nil {
		return nil, fmt.Errorf("output cannot be read back: %w", err)
	}
	values := make([][]byte, len(cuts))
	for i, n := range cuts {
		if n > 0 {
			values[i], buf = buf[:n:n], buf[n:]
		}
	}
	return withValues(kept, values), nil
}

// Bare returns the body as far as it is in memory: of one that was spilled, the values and
// metadata of the bundle are nil, or the texts of the error empty.
func (h *Held) Bare() Body {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept
}

// Memory is how many of its bytes are in memory.
func (h *Held) Memory() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.away {
		return 0
	}
	return h.size
}

// Spill moves the body to disk, if it is not there. A disk that refuses is an error, and
// the body stays in memory.
func (h *Held) Spill() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.away || h.spill == nil {
		return nil
	}
	buf := make([]byte, 0, h.size)
	var cuts []int
	for _, v := range valuesOf(h.kept) {
		buf = append(buf, v...)
		cuts = append(cuts, len(v))
	}
	at, err := h.spill.Put(buf)
	if err != nil {
		return err
	}
	h.kept, h.away, h.at, h.cuts = withValues(h.kept, make([][]byte, len(cuts))), true, at, cuts
	return nil
}

// valuesOf lists what Size counts.
func valuesOf(b Body) (values [][]byte) {
	switch b := b.(type) {
	case *Data:
		values = append(values, b.Metadata)
		for _, e := range b.Bundle {
			values = append(values, e.Value)
		}
	case *Error:
		values = append(values, []byte(b.Value))
		for _, line := range b.Traceback {
			values = append(values, []byte(line))
		}
	}
	return values
}

// withValues returns a copy of b with other values, as many as it has.
func withValues(b Body, values [][]byte) Body {
	switch b := b.(type) {
	case *Data:
		n := *b
		n.Metadata, n.Bundle = values[0], slices.Clone(b.Bundle)
		for i := range n.Bundle {
			n.Bundle[i].Value = values[i+1]
		}
		return &n
	case *Error:
		n := *b
		n.Value, n.Traceback = string(values[0]), slices.Clone(b.Traceback)
		for i := range n.Traceback {
			n.Traceback[i] = string(values[i+1])
		}
		return &n
	}
	return b
}
