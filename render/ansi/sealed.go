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
	starts []uint32 // where each line starts in text, which is not ours; nil: where the one before ends
	ends   []uint32 // where each line ends in text
	widths []uint32 // of each line; wideBit marks wide characters
	wide   bool     // some line has them
	bytes  int      // of its lines
}

func (b *block) line(i int) []byte {
	start := uint32(0)
	if b.starts != nil {
		start = b.starts[i]
	} else if i > 0 {
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

// add copies lines, which are measured.
func (s *sealed) add(lines []line) {
	for i := range lines {
		l := &lines[i]
		if n := len(s.blocks); n == 0 || s.blocks[n-1].starts != nil || s.blocks[n-1].full() {
			s.startBlock()
		}
		b := &s.blocks[len(s.blocks)-1]
		b.text = append(b.text, l.text...)
		b.note(l, uint32(len(b.text))) // blockBytes+maxLine at most
		s.n++
	}
}

// note keeps where a line ends and how wide it is.
func (b *block) note(l *line, end uint32) {
	w := uint32(l.width) // maxLine at most
	if l.wide {
		w |= wideBit
		b.wide = true
	}
	b.bytes += len(l.text)
	b.ends = append(b.ends, end)
	b.widths = append(b.widths, w)
}

func (b *block) full() bool { return len(b.ends) >= blockLines || b.bytes >= blockBytes }

// startBlock trims the last block and starts one of about its size.
func (s *sealed) startBlock() {
	size, lines := 4<<10, 64
	if n := len(s.blocks); n > 0 && s.blocks[n-1].starts == nil {
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

// shared returns the piece that all of the lines are parts of, nil if there is none. Blank
// lines are parts of any.
func shared(lines []line) (piece []byte) {
	for i := range lines {
		l := &lines[i]
		switch {
		case len(l.text) == 0:
		case l.piece == nil || piece != nil && &l.piece[0] != &piece[0]:
			return nil
		default:
			piece = l.piece
		}
	}
	return piece
}

// share keeps lines as parts of the piece that they were read from.
func (s *sealed) share(piece []byte, lines []line) {
	last := len(s.blocks) - 1
	if last < 0 || s.blocks[last].starts == nil || &s.blocks[last].text[0] != &piece[0] || len(s.blocks[last].ends) >= blockLines {
		size := lines[len(lines)-1].at - lines[0].at + 1 // 0 at least
		n := min(max(len(piece)-lines[0].at, 0)/max(size/len(lines), 1)+1, blockLines+sealStep)
		s.blocks = append(s.blocks, block{
			text: piece, starts: make([]uint32, 0, n), ends: make([]uint32, 0, n), widths: make([]uint32, 0, n),
		})
		last++
	}
	b := &s.blocks[last]
	for i := range lines {
		l := &lines[i]
		start := uint32(0)
		if len(l.text) > 0 {
			start = uint32(l.at) // a piece of text is never near 4 GiB
		}
		b.starts = append(b.starts, start)
		b.note(l, start+uint32(len(l.text)))
		s.n++
	}
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
		size += b.bytes
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
