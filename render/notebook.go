package render

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// Cell is what Notebook needs to know of a cell.
type Cell struct {
	Type     string // "code", "markdown" or "raw"; others are drawn as raw
	Source   string
	Language string        // of the source, "" for unknown
	Count    int           // 0 for none
	Outputs  []mime.Output // of a code cell
	Attached rawjson.Value // files by name, of a Markdown cell
}

// ShowOptions says how Notebook draws.
type ShowOptions struct {
	Width int  // in cells; 0 is 80
	Color bool // false: no escape sequences at all
	Theme themes.Theme
	Fold  int // outputs longer than this many lines show head and tail; 0 shows all

	NoPictures bool // pictures are only named, as they are without colours anyway
}

// pieceLines is how many lines are drawn at a time, so that long outputs are never whole in memory.
const pieceLines = 1000

// Notebook writes cells as the screen shows them. The error is w's.
func Notebook(w io.Writer, cells []Cell, opt ShowOptions) error {
	if opt.Width <= 0 {
		opt.Width = 80
	}
	s := shower{w: bufio.NewWriterSize(w, 64<<10), opt: opt, gutter: 5}
	for _, c := range cells {
		s.gutter = max(s.gutter, len(label(c))+1)
	}
	if s.gutter*2 > opt.Width { // no room for two columns
		s.gutter = 0
	}
	for i, c := range cells {
		if i > 0 {
			s.line("", "")
		}
		s.cell(c)
	}
	if s.err == nil {
		s.err = s.w.Flush()
	}
	return s.err
}

// label is what stands beside a cell's first line.
func label(c Cell) string {
	switch {
	case c.Type != "code":
		return ""
	case c.Count > 0:
		return fmt.Sprintf("[%d]:", c.Count)
	}
	return "[ ]:"
}

// shower writes lines until the first error.
type shower struct {
	w      *bufio.Writer
	opt    ShowOptions
	gutter int // width of the column of labels
	err    error
}

func (s *shower) cell(c Cell) {
	th := s.opt.Theme
	switch c.Type {
	case "code":
		// The rule tells code from output, without colour too.
		s.block(gutter{Source(c.Source, c.Language, th), th.Border.Render("│")}, label(c))
		for _, b := range OutputsWith(c.Outputs, th, s.pictures()) {
			if s.opt.Fold > 0 {
				b = Folded(b, s.opt.Fold/2, s.opt.Fold-s.opt.Fold/2-1, th)
			}
			s.block(b, "")
		}
	case "markdown":
		s.block(MarkdownWith(c.Source, c.Attached, th, s.pictures()), "")
	default:
		s.block(Source(c.Source, "", th), "")
	}
}

// pictures says how pictures are drawn; nil is as they come.
func (s *shower) pictures() *Pictures {
	if s.opt.NoPictures {
		return &Pictures{Off: true}
	}
	return nil
}

func (s *shower) block(b Block, label string) {
	width := s.opt.Width - s.gutter
	for from := 0; s.err == nil; from += pieceLines {
		lines := b.Lines(width, from, pieceLines)
		for _, l := range lines {
			s.line(label, l)
			label = ""
		}
		if len(lines) < pieceLines {
			return
		}
	}
}

// sgr matches what a Block's lines hold besides text.
var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func (s *shower) line(label, text string) {
	if s.err != nil {
		return
	}
	if s.gutter == 0 && label != "" {
		s.line("", ansi.OneLine(label))
		label = ""
	}
	left := ""
	if label != "" || text != "" {
		left = s.opt.Theme.Prompt.Render(label) + strings.Repeat(" ", max(0, s.gutter-len(label)))
	}
	if text == "" {
		left = strings.TrimRight(left, " ")
	}
	line := left + text
	if !s.opt.Color && strings.IndexByte(line, 0x1b) >= 0 {
		line = sgr.ReplaceAllString(line, "")
	}
	if _, err := s.w.WriteString(line + "\n"); err != nil {
		s.err = err
	}
}
