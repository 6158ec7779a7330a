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

	store   ansi.Store
	at      int   // the text that is being read
	off     int64 // how far
	dropped int64 // that text's Dropped when it was read
	seen    uint64
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
	for ; s.at < len(s.texts); s.at++ {
		t := s.texts[s.at]
		if version := t.Version(); version != s.seen {
			s.read(t)
			s.seen = version
		}
		if s.at+1 == len(s.texts) {
			return
		}
		s.off, s.dropped, s.seen = 0, 0, 0
	}
}

// read takes the rest of t. Where t gave up its middle, all is read afresh.
func (s *stream) read(t *mime.Text) {
	if d := t.Dropped(); d != s.dropped {
		s.store, s.off, s.dropped = ansi.Store{}, 0, d
		for _, before := range s.texts[:s.at] {
			s.copyFrom(before, 0)
		}
	}
	s.off += s.copyFrom(t, s.off)
}

func (s *stream) copyFrom(t *mime.Text, off int64) (n int64) {
	err := t.View().Chunks(off, func(p []byte) error {
		n += int64(len(p))
		_, err := s.store.Write(p)
		return err
	})
	if err != nil { // the spill file failed: say so where the text is missing
		_, _ = s.store.Write([]byte("\n… output could not be read back: " + ansi.OneLine(err.Error()) + " …\n"))
	}
	return n
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
	if unread -= s.off; unread < 64<<10 {
		return s.Height(width)
	}
	return s.store.Rows(max(width, 1)) + bytesGuess(unread, max(width, 1))
}
