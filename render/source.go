package render

import (
	"strings"

	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/render/highlight"
	"github.com/nbterm/nbterm/themes"
)

// tabStop is how far apart tab stops are in source code.
const tabStop = 4

// source is a Block of source code.
type source struct {
	raw, language string
	th            themes.Theme

	lines []string // as shown, made when first drawn
	high  *highlight.Source
	drawn []sourceLine

	widths []int
	width  int // that rows was counted for
	rows   int
}

// sourceLine is a line's drawing, empty until it was asked for.
type sourceLine struct {
	text *text
	row  string // of a line that fits
}

// Source returns the drawing of source code in a language, named as language_info.name
// or a kernelspec does; "" and unknown ones are plain. Control characters show as
// pictures (␛).
func Source(text, language string, th themes.Theme) Block {
	return &source{raw: text, language: language, th: th}
}

func (s *source) prepare() {
	if s.lines != nil {
		return
	}
	s.lines = strings.Split(s.raw, "\n")
	s.widths = make([]int, len(s.lines))
	for i, l := range s.lines {
		s.lines[i] = ansi.Visible(l, tabStop)
		s.widths[i] = ansi.Width(s.lines[i])
	}
	s.high = highlight.New(s.lines, s.language)
	s.drawn = make([]sourceLine, len(s.lines))
}

// line returns line i, highlighted.
func (s *source) line(i int) *text {
	if s.drawn[i].text == nil {
		var b strings.Builder
		at := 0
		for _, sp := range s.high.Spans(i) {
			b.WriteString(sp.Kind.Style(&s.th).Render(s.lines[i][at:sp.End]))
			at = sp.End
		}
		b.WriteByte('\n') // an empty line takes a row too
		s.drawn[i].text = newText(b.String(), themes.Style{}, &s.th)
	}
	return s.drawn[i].text
}

// row returns the only row of line i, which fits.
func (s *source) row(i, width int) string {
	d := &s.drawn[i]
	if d.row == "" && s.lines[i] != "" {
		d.row = s.line(i).Lines(width, 0, 1)[0]
	}
	return d.row
}

func (s *source) lineRows(i, width int) int {
	if s.widths[i] <= width {
		return 1
	}
	return s.line(i).Height(width)
}

// Height wraps long lines only.
func (s *source) Height(width int) int {
	s.prepare()
	width = max(width, 1)
	if s.width != width {
		s.width, s.rows = width, 0
		for i := range s.lines {
			s.rows += s.lineRows(i, width)
		}
	}
	return s.rows
}

func (s *source) Estimate(width int) int {
	if s.lines != nil {
		return s.Height(width)
	}
	return strings.Count(s.raw, "\n") + 1
}

func (s *source) Lines(width, from, n int) []string {
	s.prepare()
	width = max(width, 1)
	var out []string
	for i := 0; i < len(s.lines) && len(out) < n; i++ {
		rows := s.lineRows(i, width)
		if from >= rows {
			from -= rows
			continue
		}
		if s.widths[i] <= width {
			out = append(out, s.row(i, width))
			continue
		}
		out = append(out, s.line(i).Lines(width, from, n-len(out))...)
		from = 0
	}
	return out
}
