package ansi

const (
	// reach is how many of the newest lines the cursor can move among.
	reach = 200
	// sealStep is how many lines are sealed at once.
	sealStep = 56
	// maxColumn bounds cursor movement to the right of a line's end.
	maxColumn = 4096
	tabWidth  = 8
	// worthSharing is how long a piece of text must be that lines are kept as parts of it.
	worthSharing = 8 << 10
)

// Store holds the lines of a text that grows at its end. Adding costs the same however
// long the text is. It belongs to one goroutine. The zero Store is empty and ready.
type Store struct {
	parser parser
	style  Style // of what is written next

	sealed sealed // lines that cannot change any more
	live   []line // the newest, at most reach+sealStep
	row    int    // of the cursor, in live

	// The cursor's column: behind the last character of a row that is not being edited
	// if atEnd (then col is not kept), else col.
	atEnd bool
	col   int

	piece []byte // what is being written, where it will never change; else nil

	// cells are the truth about row while editing; dirty says that its text is behind.
	editing, dirty bool
	cells          []cell
}

// Write adds p. It never fails.
func (s *Store) Write(p []byte) (int, error) {
	if len(s.live) == 0 {
		s.addLine()
	}
	s.parser.parse(p, (*cursor)(s))
	return len(p), nil
}

// WriteStable is Write for a p that nobody will change any more: lines that say what p says
// may be kept as parts of it.
func (s *Store) WriteStable(p []byte) {
	if len(p) >= worthSharing {
		s.piece = p[:len(p):len(p)]
		defer func() { s.piece = nil }()
		p = s.piece
	}
	_, _ = s.Write(p) // never fails
}

// Len returns the number of lines. A newline at the end starts none.
func (s *Store) Len() int { return s.sealed.n + s.shown() }

// shown is how many of the live lines count.
func (s *Store) shown() int {
	s.settle()
	n := len(s.live)
	if n > 0 && len(s.live[n-1].text) == 0 {
		n--
	}
	return n
}

// settle brings the edited row's text up to date.
func (s *Store) settle() {
	if s.editing && s.dirty {
		s.live[s.row].collapse(s.cells)
		s.dirty = false
	}
}

// addLine starts a line below the last and puts the cursor there.
func (s *Store) addLine() {
	if len(s.live) >= reach+sealStep {
		s.seal()
	}
	if len(s.live) < cap(s.live) {
		s.live = s.live[:len(s.live)+1]
	} else {
		s.live = append(s.live, line{})
	}
	s.row = len(s.live) - 1
	s.live[s.row].clear()
	s.atEnd, s.col = true, 0
}

// seal moves the oldest live lines to where they cost least. Their buffers are used again.
func (s *Store) seal() {
	var spare [sealStep]line
	copy(spare[:], s.live)
	for i := range spare {
		spare[i].measure()
	}
	if piece := shared(spare[:]); piece != nil {
		s.sealed.share(piece, spare[:])
	} else {
		s.sealed.add(spare[:])
	}
	copy(s.live, s.live[sealStep:])
	copy(s.live[len(s.live)-sealStep:], spare[:])
	s.live = s.live[:len(s.live)-sealStep]
}

// Rows returns how many rows the text takes at a width of at least 1. It is exact but for
// long texts with wide characters, of which the parts that were never drawn are estimated.
func (s *Store) Rows(width int) int {
	n := s.sealed.rows(width)
	for i := range s.shown() {
		n += s.live[i].rows(width)
	}
	return n
}

// Lines returns the rows from the from-th on, at most n, each self-contained and at most
// width wide.
func (s *Store) Lines(width, from, n int, look Look) []string {
	if n <= 0 || from < 0 {
		return nil
	}
	out := make([]string, 0, min(n, 256))
	total := s.sealed.rows(width)
	if from < total {
		out = s.sealed.lines(out, width, from, n, look)
		from = total
	}
	skip := from - total
	for i, end := 0, s.shown(); i < end && len(out) < n; i++ {
		l := &s.live[i]
		if skip > 0 {
			if rows := l.rows(width); rows <= skip {
				skip -= rows
				continue
			}
		}
		out = appendRows(out, l.text, width, skip, n-len(out), look)
		skip = 0
	}
	return out
}
