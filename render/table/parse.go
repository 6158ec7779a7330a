package table

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/nbterm/nbterm/render/ansi"
)

const (
	// maxSource is the length in bytes above which HTML is not read.
	maxSource = 8 << 20
	// maxCells bounds a grid: spans are cheap to write and dear to draw.
	maxCells = 200_000
	maxSpan  = 1000
)

// Part is a piece of a page: lines of text, or a table.
type Part struct {
	Text  string
	Table *Table // nil for text
}

// Parse returns the parts of a page from top to bottom. It is nil for what is too large
// or too deep, and for what says nothing.
func Parse(source string) []Part {
	if len(source) > maxSource {
		return nil
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil
	}
	var w walker
	w.walk(root)
	w.flush()
	return w.parts
}

// HasTable tells whether there is a table among the parts.
func HasTable(parts []Part) bool {
	for _, p := range parts {
		if p.Table != nil {
			return true
		}
	}
	return false
}

// walker collects the parts in document order.
type walker struct {
	parts []Part
	text  strings.Builder
}

func (w *walker) flush() {
	var lines []string
	for line := range strings.SplitSeq(w.text.String(), "\n") {
		if line = clean(line); line != "" {
			lines = append(lines, line)
		}
	}
	if w.text.Reset(); len(lines) > 0 {
		w.parts = append(w.parts, Part{Text: strings.Join(lines, "\n")})
	}
}

func (w *walker) walk(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.text.WriteString(spaces.Replace(n.Data))
		return
	case hidden(n):
		return
	case n.DataAtom == atom.Table && !holdsTable(n):
		if t := read(n); t != nil {
			w.flush()
			w.parts = append(w.parts, Part{Table: t})
			return
		}
	}
	line := breaks(n)
	if line {
		w.text.WriteByte('\n')
	}
	if n.DataAtom == atom.Li {
		w.text.WriteString("• ")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c)
	}
	if line {
		w.text.WriteByte('\n')
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		w.text.WriteByte(' ')
	}
}

// spaces makes line breaks of the source the spaces that they are in HTML.
var spaces = strings.NewReplacer("\n", " ", "\r", " ")

func clean(text string) string { return strings.Join(strings.Fields(ansi.OneLine(text)), " ") }

// hidden tells elements whose text is not for readers.
func hidden(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	switch n.DataAtom {
	case atom.Style, atom.Script, atom.Template, atom.Noscript, atom.Head, atom.Svg, atom.Iframe, atom.Object, atom.Select:
		return true
	default:
		return false
	}
}

// breaks tells elements that stand on lines of their own.
func breaks(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Pre, atom.Hr, atom.Dt, atom.Dd,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Details, atom.Summary, atom.Table:
		return true
	default:
		return false
	}
}

// holdsTable tells tables that only lay out others.
func holdsTable(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Table {
			return true
		}
	}
	return false
}

// read makes the grid of a table; nil if it has no cells or too many.
func read(table *html.Node) *Table {
	var g grid
	for n := range table.Descendants() {
		if n.DataAtom == atom.Caption {
			g.caption = content(n)
		}
		if n.DataAtom == atom.Tr && !g.row(n) {
			return nil
		}
	}
	return g.table()
}

// grid places cells as HTML does: each in the first free column of its row.
type grid struct {
	caption string
	rows    [][]*cell
	head    []bool // rows of the header
	hasHead bool   // the table says which they are
	below   []int  // for how many more rows a cell from above covers a column
	cells   int
	cols    int
}

// row adds a row; it is false when the table grew too large.
func (g *grid) row(tr *html.Node) bool {
	var row []*cell
	allHead := true
	for n := tr.FirstChild; n != nil; n = n.NextSibling {
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		row = g.covered(row)
		c := &cell{text: content(n), from: len(row), head: n.DataAtom == atom.Th, side: sideOf(n)}
		c.width = ansi.Width(c.text)
		allHead = allHead && c.head
		rows := span(n, "rowspan")
		for range span(n, "colspan") {
			row = append(row, c)
			for len(g.below) < len(row) {
				g.below = append(g.below, 0)
			}
			g.below[len(row)-1] = rows
		}
		if c.to = len(row); g.cells+len(row) > maxCells {
			return false
		}
	}
	row = g.covered(row)
	for i := range g.below {
		g.below[i] = max(g.below[i]-1, 0)
	}
	inHead := tr.Parent.DataAtom == atom.Thead
	g.hasHead = g.hasHead || inHead
	g.head = append(g.head, inHead || !g.hasHead && allHead && len(row) > 0 && !slices.Contains(g.head, false))
	g.rows = append(g.rows, row)
	g.cols = max(g.cols, len(row))
	g.cells += len(row)
	return true
}

// covered adds blanks where a cell from above reaches into the row.
func (g *grid) covered(row []*cell) []*cell {
	for len(row) < len(g.below) && g.below[len(row)] > 0 {
		head := len(g.rows) > 0 && len(g.rows[len(g.rows)-1]) > len(row) && g.rows[len(g.rows)-1][len(row)].head
		row = append(row, &cell{from: len(row), to: len(row) + 1, head: head})
	}
	return row
}

func span(n *html.Node, name string) int {
	v, err := strconv.Atoi(strings.TrimSpace(attribute(n, name)))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}

// attribute is an attribute of an element, "" for none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// sideOf is where the cell says that its text stands.
func sideOf(n *html.Node) side {
	switch strings.ToLower(attribute(n, "align")) {
	case "left":
		return left
	case "center":
		return center
	case "right":
		return right
	}
	return unsaid
}

// content is the text of a cell as one line.
func content(n *html.Node) string {
	var b strings.Builder
	var add func(n *html.Node)
	add = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case hidden(n):
			return
		case n.DataAtom == atom.Img:
			b.WriteString(attribute(n, "alt"))
		case breaks(n):
			b.WriteByte(' ')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			add(c)
		}
		if breaks(n) {
			b.WriteByte(' ')
		}
	}
	add(n)
	return clean(b.String())
}
