package render

import (
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// stream follows one or more texts that are shown as one.
type stream struct {
	texts []*mime.Text
	look  ansi.Look

	store ansi.Store
	at    int    // the text that is being read
	seen  uint64 // its Version when it was read
	read  int64  // how many of the bytes ever written to it are in store
	lost  int64  // its Dropped when all of it was read last

	// What was read of a long text for a fold, nil for nothing, and its Version then.
	peek     *ends
	peeked   bool
	peekedAt uint64
}

// marks at the left of what is not plain output.
const (
	stderrMark = "┆"
	errorMark  = "▌"
)

// NewStream returns the drawing of a stream's text. It follows the text as it grows,
// whenever it is asked for its height or lines. What came by stderr has a mark at its left.
func NewStream(text *mime.Text, stderr bool, th themes.Theme) Block {
	return newStreams([]*mime.Text{text}, stderr, &th)
}

func newStreams(texts []*mime.Text, stderr bool, th *themes.Theme) Block {
	if stderr {
		return gutter{&stream{texts: texts, look: look(th.Stderr, th)}, th.Stderr.Render(stderrMark)}
	}
	return &stream{texts: texts, look: look(th.Text, th)}
}

// follow reads what was added since.
func (s *stream) follow() {
	for {
		t := s.texts[s.at]
		if version := t.Version(); version != s.seen {
			s.add(t.View())
			s.seen = version
		}
		if s.at+1 == len(s.texts) {
			return
		}
		s.at++
		s.seen, s.read, s.lost = 0, 0, 0
	}
}

// add takes what is new in a view of the last text. Where the text has given up a good
// part of its middle all is read afresh, so that as much is given up here.
func (s *stream) add(v mime.View) {
	if v.Dropped()-s.lost > v.Len()/4 {
		s.store, s.read, s.lost = ansi.Store{}, 0, v.Dropped()
		for _, before := range s.texts[:s.at] {
			s.copyFrom(before.View(), 0)
		}
		s.copyFrom(v, 0)
	} else {
		s.copyFrom(v, max(0, v.Len()-(v.Written()-s.read)))
	}
	s.read = v.Written()
}

func (s *stream) copyFrom(v mime.View, off int64) {
	err := v.Pieces(off, func(p []byte, stable bool) error {
		if stable {
			s.store.WriteStable(p)
			return nil
		}
		_, err := s.store.Write(p)
		return err
	})
	if err != nil { // the spill file failed: say so where the text is missing
		_, _ = s.store.Write([]byte("\n… output could not be read back: " + ansi.OneLine(err.Error()) + " …\n"))
	}
}

func (s *stream) Height(width int) int {
	s.follow()
	return s.store.Rows(max(width, 1))
}

func (s *stream) Lines(width, from, n int) []string {
	s.follow()
	return s.store.Lines(max(width, 1), from, n, s.look)
}

func (s *stream) Estimate(width int) int {
	var unread int64
	for i, t := range s.texts {
		if i >= s.at {
			unread += t.Len()
		}
	}
	if unread -= s.read; unread < 64<<10 {
		return s.Height(width)
	}
	return s.store.Rows(max(width, 1)) + bytesGuess(unread, max(width, 1))
}
