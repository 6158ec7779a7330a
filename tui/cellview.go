package tui

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/editor"
	"github.com/nbterm/nbterm/tui/find"
)

// fold is how much of its outputs a cell shows.
type fold uint8

const (
	foldLong fold = iota // head and tail of a long output
	foldAll              // one line for all of them
	foldNone
)

const (
	foldOver = foldHead + 1 + foldTail // lines; longer outputs are folded
	foldHead = 20
	foldTail = 19
)

// cellView draws one cell. It implements celllist.Item: source, outputs, the line for
// input() and a blank line, with the gutter at their left.
type cellView struct {
	made []string // names of files that the last run wrote, as far as they were looked for

	key      notebook.CellKey
	look     *look
	cell     *notebook.Cell
	status   session.CellStatus
	selected bool
	marked   bool // selected beside the current cell
	place    int  // in the queue, if it waits
	fold     fold
	form     int    // of the outputs' MIME forms; 0 is the one that reads best
	older    *older // shown in place of the newest outputs, else nil

	preparing bool // long outputs are being drawn, see wholeCell

	inputFolded bool
	editor      *editor.Editor  // while the cell is edited
	penAt       editor.Pos      // where its cursor was left
	prompt      *session.Prompt // open in this cell, else nil
	input       *promptLine     // with prompt
	answers     []session.Answered

	source  render.Block      // nil until drawn
	bodies  map[any]mime.Body // by identity; this and the next two are valid if decoded
	outputs map[group]render.Block
	order   []render.Block
	counts  []int // how many outputs each block of order draws
	decoded bool

	// heights for one width; 0 is unknown
	width, height int
	parts         []part
}

// group is the identity of outputs that are drawn as one: the pieces of one stream, or a
// single output.
type group struct {
	first, last any // see identity
	n           int
}

// part is a run of a cell's lines.
type part struct {
	block  render.Block // nil: lines
	lines  []string
	height int
	code   bool // has the rule of source code at its left

	from, to int // the outputs that it draws, to excluded; find.Source for the source
}

func newCellView(c *notebook.Cell, l *look) *cellView { return &cellView{key: c.Key, look: l} }

// set gives the view its cell as it is now. What did not change keeps its drawing.
func (v *cellView) set(c *notebook.Cell, st session.CellStatus) {
	if v.cell != nil && (v.cell.Source != c.Source || v.cell.Type != c.Type || !bytes.Equal(v.cell.Attachments(), c.Attachments())) {
		v.source = nil
		if v.editor != nil && v.cell.Source != c.Source {
			v.editor.SetText(c.Source) // not by the editor's own doing: see record
		}
	}
	if st.Order != v.status.Order || st.Phase == session.Running && v.status.Phase != session.Running {
		v.older = nil // a new run's outputs are to be seen
	}
	if v.cell == nil || v.cell.Version != c.Version || v.status != st {
		v.decoded = false
		v.touch()
	}
	v.cell, v.status = c, st
}

// touch forgets heights: something in the cell changed, or an output grew.
func (v *cellView) touch() { v.height, v.parts = 0, nil }

// identity tells outputs apart: an output never changes, but for a stream that grows.
func identity(o mime.Output) any {
	if o.Body != nil {
		return o.Body
	}
	if len(o.Raw) > 0 {
		return &o.Raw[0]
	}
	return nil
}

// decode makes the blocks of the cell's outputs. What was drawn before stays. Pieces of
// one stream in a row, as files have them, are one block.
func (v *cellView) decode() {
	if v.decoded {
		return
	}
	v.decoded = true
	bodies := make(map[any]mime.Body, len(v.bodies))
	var pieces []mime.Output
	var stream string
	var ids []any
	old := v.outputs
	v.outputs = make(map[group]render.Block, len(old))
	v.order, v.counts = v.order[:0], v.counts[:0]
	flush := func() {
		if len(pieces) > 0 {
			v.addGroup(group{ids[0], ids[len(ids)-1], len(ids)}, pieces, old)
			pieces, ids = nil, nil
		}
	}
	for i, o := range v.shown() {
		id := identity(o)
		body := v.bodies[id]
		if _, held := o.Body.(*mime.Held); held {
			body = o.Body // read back when it is drawn, and not kept
		} else if body == nil {
			body = o.Decode()
		}
		bodies[id] = body
		s, isStream := body.(*mime.Stream)
		if !isStream || s.Name != stream || v.answeredAt(i) {
			flush()
		}
		if stream = ""; isStream {
			stream = s.Name
		}
		pieces, ids = append(pieces, mime.Output{Body: body}), append(ids, id)
	}
	flush()
	v.bodies = bodies
}

func (v *cellView) addGroup(g group, pieces []mime.Output, old map[group]render.Block) {
	b := old[g]
	if b == nil {
		b = v.look.outputs(inForm(pieces, v.form))
	}
	v.outputs[g] = b
	v.order = append(v.order, b)
	v.counts = append(v.counts, g.n)
}

// Estimate implements celllist.Item. It decodes nothing.
func (v *cellView) Estimate(width int) int {
	if v.height > 0 && v.width == width {
		return v.height
	}
	return strings.Count(v.cell.Source, "\n") + 3
}

// Height implements celllist.Item.
func (v *cellView) Height(width int) int {
	v.lay(width)
	return v.height
}

// lay makes the cell's parts for a width.
func (v *cellView) lay(width int) {
	if v.height > 0 && v.width == width {
		return
	}
	v.width, v.parts = width, v.parts[:0]
	body := max(width-v.look.gutter(width), 1)
	v.addSource(body)
	if v.cell.Type == notebook.Code {
		v.decode()
		v.addOutputs(body)
		v.addDetail(body)
		v.addMade(body)
		v.addPrompt(body)
	}
	v.parts = append(v.parts, part{lines: []string{""}, height: 1})
	v.height = 0
	for _, p := range v.parts {
		v.height += p.height
	}
}

func (v *cellView) addSource(width int) {
	code := v.cell.Type == notebook.Code
	if v.editor != nil {
		v.parts = append(v.parts, part{block: v.editor, height: v.editor.Height(width), code: true, from: find.Source})
		return
	}
	if v.cell.Source == "" {
		text := ""
		if !code {
			text = v.look.theme.Muted.Render(ansi.Truncate("empty "+render.Sanitize(string(v.cell.Type))+" cell", width, "…"))
		}
		v.parts = append(v.parts, part{lines: []string{text}, height: 1, code: code})
		return
	}
	if v.source == nil {
		v.source = v.look.source(v.cell)
	}
	h := max(v.source.Height(width), 1)
	if v.inputFolded && h > 2 {
		v.parts = append(v.parts, part{block: v.source, height: 1, code: code},
			part{lines: []string{v.look.foldedSource(h-1, width)}, height: 1, code: code})
		return
	}
	v.parts = append(v.parts, part{block: v.source, height: h, code: code, from: find.Source})
}

func (v *cellView) addOutputs(width int) {
	v.addOlder(width)
	total := 0
	for _, b := range v.order {
		render.Expand(b, v.fold == foldNone)
		if v.fold == foldAll {
			total += render.Count(b, width)
		}
	}
	if total > 0 {
		v.addLine(v.look.folded(total, width))
		return
	}
	from := 0
	for i, b := range v.order {
		v.addAnswers(from, from+v.counts[i]-1, width)
		from += v.counts[i]
		if v.fold == foldLong {
			b = render.Folded(b, foldHead, foldTail, v.look.theme)
		}
		if h := b.Height(width); h > 0 {
			v.parts = append(v.parts, part{block: b, height: h, from: from - v.counts[i], to: from})
		}
	}
	v.addAnswers(from, len(v.shown()), width)
}

// addDetail says how the run ended where the outputs do not tell.
func (v *cellView) addDetail(width int) {
	if v.status.Detail == "" || v.older != nil {
		return
	}
	style := v.look.theme.Muted
	switch v.status.Phase {
	case session.Died, session.Failed:
		style = v.look.theme.Failed
	case session.NotRun:
	default:
		return
	}
	for _, line := range wrapPlain(cleanLines(v.status.Detail), width, foldOver) {
		v.addLine(style.Render(line))
	}
}

func (v *cellView) addLine(line string) {
	v.parts = append(v.parts, part{lines: []string{line}, height: 1})
}

// addPrompt adds the open question and the line that answers it, which is the last.
func (v *cellView) addPrompt(width int) {
	if v.prompt == nil {
		return
	}
	lines := strings.Split(v.prompt.Text, "\n")
	for _, l := range lines[:len(lines)-1] {
		v.addLine(ansi.Truncate(render.Sanitize(l), width, "…"))
	}
	line, _ := v.promptLine(width)
	v.addLine(line)
}

// promptLine draws the line for input() and tells in which column its cursor stands.
func (v *cellView) promptLine(width int) (line string, cursor int) {
	lines := strings.Split(v.prompt.Text, "\n")
	text := ansi.Truncate(render.Sanitize(lines[len(lines)-1]), max(width/2, 1), "…")
	before, after := v.input.line.Parts()
	if v.prompt.Password {
		before, after = "", "" // not even its length is shown
	}
	room := max(width-ansi.StringWidth(text)-1, 0)
	if over := ansi.StringWidth(before) - room; over > 0 {
		before = ansi.TruncateLeft(before, over, "")
	}
	after = ansi.Truncate(after, max(room-ansi.StringWidth(before), 0), "")
	line = v.look.theme.Accent.Render(text) + before + after
	if !v.input.focused {
		line += v.look.theme.Muted.Render(ansi.Truncate("  (Enter answers)", max(width-ansi.StringWidth(line), 0), ""))
	}
	return line, ansi.StringWidth(text) + ansi.StringWidth(before)
}

// Lines implements celllist.Item.
func (v *cellView) Lines(width, from, n int) []string {
	v.lay(width)
	out := make([]string, 0, n)
	body := max(width-v.look.gutter(width), 1)
	row := 0
	for _, p := range v.parts {
		lo, hi := max(from-row, 0), min(from+n-row, p.height)
		if lo < hi {
			for i, line := range p.get(body, lo, hi-lo) {
				line = v.look.light(v, row+lo+i, line)
				out = append(out, v.look.prefix(v, width, row+lo+i, p.code)+line)
			}
		}
		row += p.height
	}
	return out
}

// get returns lines of the part; a block that gives fewer than it promised is filled up.
func (p part) get(width, from, n int) []string {
	if p.block == nil {
		return p.lines[from : from+n]
	}
	lines := p.block.Lines(width, from, n)
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}
