package ansi

import "slices"

const (
	blockLines = 1024
	blockBytes = 1 << 20
	// exactBytes is up to how many bytes blocks with wide characters are wrapped just to be counted.
	exactBytes = 2 << 20
	wideBit    = 1 << 31
)

// block is a run of sealed lines.
type block struct {
	text   []byte
	ends   []uint32 // where each line ends in text
	widths []uint32 // of each line; wideBit marks wide characters
	wide   bool     // some line has them
}

func (b *block) line(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.text[start:b.ends[i]]
}

// lineRows returns how many rows line i takes, exactly or cheaply.
func (b *block) lineRows(i, width int, exact bool) int {
	w := b.widths[i]
	if exact && w&wideBit != 0 && int(w&^wideBit) > width {
		return countRows(b.line(i), width)
	}
	return rowsOf(int(w&^wideBit), width)
}

func (b *block) rows(width int, exact bool) int {
	n := 0
	for i := range b.widths {
		n += b.lineRows(i, width, exact)
	}
	return n
}

// sealed holds lines that do not change any more.
type sealed struct {
	n      int // lines
	blocks []block

	// For one width at a time: the rows of each block. They belong to the lines counted by
	// counted; the last block may have grown since.
	width   int
	heights []height
	counted int
	total   int
}

type height struct {
	rows  int
	exact bool
}

func (s *sealed) add(l *line) {
	if s.full() {
		s.startBlock()
	}
	b := &s.blocks[len(s.blocks)-1]
	b.text = append(b.text, l.text...)
	b.ends = append(b.ends, uint32(len(b.text))) // blockBytes+maxLine at most
	w := uint32(l.width)                         // maxLine at most
	if l.wide {
		w |= wideBit
		b.wide = true
	}
	b.widths = append(b.widths, w)
	s.n++
}

func (s *sealed) full() bool {
	if len(s.blocks) == 0 {
		return true
	}
	b := &s.blocks[len(s.blocks)-1]
	return len(b.ends) >= blockLines || len(b.text) >= blockBytes
}

// startBlock trims the last block and starts one of about its size.
func (s *sealed) startBlock() {
	size, lines := 4<<10, 64
	if n := len(s.blocks); n > 0 {
		b := &s.blocks[n-1]
		if cap(b.text) > len(b.text)*5/4 {
			b.text = slices.Clone(b.text)
		}
		size, lines = len(b.text)+len(b.text)/8, blockLines
	}
	s.blocks = append(s.blocks, block{
		text:   make([]byte, 0, size),
		ends:   make([]uint32, 0, lines),
		widths: make([]uint32, 0, lines),
	})
}

// rows returns the height of all sealed lines.
func (s *sealed) rows(width int) int {
	if s.width != width {
		s.width, s.heights, s.counted, s.total = width, s.heights[:0], 0, 0
	}
	if s.counted == s.n {
		return s.total
	}
	if last := len(s.heights) - 1; last >= 0 {
		s.total -= s.heights[last].rows
		s.heights = s.heights[:last]
	}
	size := 0
	for i := range s.blocks {
		b := &s.blocks[i]
		size += len(b.text)
		if i < len(s.heights) {
			continue
		}
		exact := !b.wide || size <= exactBytes
		h := height{b.rows(width, exact), exact}
		s.heights = append(s.heights, h)
		s.total += h.rows
	}
	s.counted = s.n
	return s.total
}

// lines appends the rows from the from-th on until out has n. rows was called for this width.
func (s *sealed) lines(out []string, width, from, n int, look Look) []string {
	for i := range s.blocks {
		h := &s.heights[i]
		if from >= h.rows {
			from -= h.rows
			continue
		}
		if !h.exact {
			s.total -= h.rows
			*h = height{s.blocks[i].rows(width, true), true}
			s.total += h.rows
		}
		if out = s.blocks[i].lines(out, width, from, n, look); len(out) >= n {
			return out
		}
		from = 0
	}
	return out
}

func (b *block) lines(out []string, width, skip, n int, look Look) []string {
	for i := range b.widths {
		if len(out) >= n {
			return out
		}
		if skip > 0 {
			if rows := b.lineRows(i, width, true); rows <= skip {
				skip -= rows
				continue
			}
		}
		out = appendRows(out, b.line(i), width, skip, n-len(out), look)
		skip = 0
	}
	return out
}
