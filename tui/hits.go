package tui

import (
	"strings"

	xansi "github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/find"
)

// marks is how hits are shown in the cells.
type marks struct {
	pattern *find.Pattern // nil: nothing is marked
	view    *cellView     // has the hit that was gone to
	row     int           // in it
}

// light marks the hits in one drawn line of a cell.
func (l *look) light(v *cellView, row int, line string) string {
	if l.marks.pattern == nil {
		return line
	}
	style := l.theme.Selection
	if v == l.marks.view && row == l.marks.row {
		style = l.theme.Match
	}
	return markLine(line, l.marks.pattern, style)
}

// markLine draws the matches in a line in another style. A match that is broken over two
// lines is not seen.
func markLine(line string, p *find.Pattern, style themes.Style) string {
	text := xansi.Strip(line)
	matches := p.All(text)
	if len(matches) == 0 {
		return line
	}
	var b strings.Builder
	column := 0
	for _, m := range matches {
		from, to := xansi.StringWidth(text[:m[0]]), xansi.StringWidth(text[:m[1]])
		b.WriteString(xansi.Cut(line, column, from) + "\x1b[m" + style.Render(text[m[0]:m[1]]))
		column = to
	}
	b.WriteString(xansi.Cut(line, column, xansi.StringWidth(text)))
	return b.String()
}

// scanRows is how far a hit is looked for behind the row where it should be: lines above
// it may be wrapped.
const scanRows = 2000

// showHit unfolds what hides a hit and returns the row of the cell that has it.
func (v *cellView) showHit(h find.Hit, p *find.Pattern, width int) int {
	body := max(width-v.look.gutter(width), 1)
	if h.Output != find.Source {
		v.showOlder(nil) // the newest were searched
	}
	if h.Output == find.Source && v.inputFolded || h.Output != find.Source && v.fold != foldNone && v.foldsAway(body) {
		if v.inputFolded = v.inputFolded && h.Output != find.Source; h.Output != find.Source {
			v.fold = foldNone
		}
		v.touch()
	}
	v.lay(width)
	row := 0
	for _, pt := range v.parts {
		if pt.block != nil && pt.has(h) {
			row += v.rowIn(pt, h, p, body)
			break
		}
		row += pt.height
	}
	v.look.marks.view, v.look.marks.row = v, row
	return row
}

// has tells whether the part draws the text that the hit is in.
func (p part) has(h find.Hit) bool { return h.Output >= p.from && h.Output < p.to }

// foldsAway tells whether some of the cell's outputs are folded.
func (v *cellView) foldsAway(width int) bool {
	v.decode()
	if v.fold == foldAll {
		return true
	}
	for _, b := range v.order {
		if render.Count(b, width) > foldOver {
			return true
		}
	}
	return false
}

// rowIn looks for the row of a part that shows the hit.
func (v *cellView) rowIn(pt part, h find.Hit, p *find.Pattern, width int) int {
	if h.Output == find.Source {
		if e, ok := pt.block.(*editor.Editor); ok {
			return pt.near(width, e.RowOf(h.Line, width), p, "")
		}
		return pt.nthRow(width, linesWith(v.cell.Source, p, h.From), p) // drawn Markdown: its lines are others
	}
	above, total := 0, h.Lines
	for o := pt.from; o < pt.to; o++ {
		if o != h.Output { // another piece of the same stream
			n := find.Lines(v.bodies[identity(v.cell.Outputs()[o])])
			if total += n; o < h.Output {
				above += n
			}
		}
	}
	return pt.near(width, (above+h.Line)*pt.height/max(total, 1), p, h.Text)
}

// near looks for a matching row around row `start`, first for one that is a piece of the
// line that was found.
func (p part) near(width, start int, pattern *find.Pattern, line string) int {
	start = max(min(start, p.height-1), 0)
	best := -1
	for from := start; from < min(p.height, start+scanRows); from += 100 {
		if row, exact := p.scan(width, from, pattern, line); exact {
			return row
		} else if best < 0 {
			best = row
		}
	}
	for to := start; to > max(0, start-scanRows); to -= 100 {
		if row, exact := p.scan(width, max(to-100, 0), pattern, line); exact {
			return row
		} else if best < 0 {
			best = row
		}
	}
	return max(best, 0)
}

// scan looks at a hundred rows. exact tells that the row is a piece of the line; row is
// -1 where nothing matches.
func (p part) scan(width, from int, pattern *find.Pattern, line string) (row int, exact bool) {
	row = -1
	for i, drawn := range p.get(width, from, min(100, p.height-from)) {
		text := xansi.Strip(drawn)
		if len(pattern.All(text)) == 0 {
			continue
		}
		if line == "" || strings.Contains(line, strings.TrimSpace(strings.TrimLeft(text, "▌┆ "))) {
			return from + i, true
		}
		if row < 0 {
			row = from + i
		}
	}
	return row, false
}

// nthRow is the n-th matching row from the part's beginning, or the last one.
func (p part) nthRow(width, n int, pattern *find.Pattern) int {
	found := 0
	for from := 0; from < p.height; from += 100 {
		for i, line := range p.get(width, from, min(100, p.height-from)) {
			if len(pattern.All(xansi.Strip(line))) > 0 {
				if found = from + i; n == 0 {
					return found
				}
				n--
			}
		}
	}
	return found
}

// rowOfLine is the row of the cell at which a line of its source is drawn; for Markdown,
// a guess.
func (v *cellView) rowOfLine(line, width int) int {
	v.lay(width)
	body := max(width-v.look.gutter(width), 1)
	if e, ok := v.parts[0].block.(*editor.Editor); ok {
		return min(e.RowOf(line, body), max(v.height-1, 0))
	}
	for _, h := range notebook.Headings(v.cell) {
		if h.Line == line {
			p, err := find.Query{Text: h.Text, Case: true}.Compile()
			if p == nil || err != nil {
				break
			}
			hit := find.Hit{Output: find.Source, Line: line, From: len(firstLines(v.cell.Source, line))}
			return v.rowIn(v.parts[0], hit, p, body)
		}
	}
	return line * v.parts[0].height / (strings.Count(v.cell.Source, "\n") + 1)
}

// linesWith counts the matching lines above the one of byte end.
func linesWith(text string, p *find.Pattern, end int) (n int) {
	end = strings.LastIndexByte(text[:end], '\n') + 1
	for line := range strings.SplitSeq(text[:end], "\n") {
		if len(p.All(line)) > 0 {
			n++
		}
	}
	return n
}

func firstLines(text string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:max(at-1, 0)]
}
