package ipynb

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// ErrReadOnly is the error of writing changes to a file whose nbformat is not 4.
var ErrReadOnly = errors.New("this notebook is read-only")

// CellPlan says what one cell of the written file is made of. The zero value of every
// field but From keeps the bytes that the cell has; a new cell takes the defaults.
type CellPlan struct {
	From        int           // its index among the cells that were read, -1 for a new one
	Type        *string       // a new cell must have it
	ID          *string       // written where the format has ids
	Source      *string       // with \n line ends
	Count       *int          // 0 is null
	Metadata    rawjson.Value // an object
	Attachments rawjson.Value // an object; {} leaves them out; not for code cells
	Outputs     []mime.Output // an empty list that is not nil clears
}

func (p CellPlan) keeps() bool {
	return p.Type == nil && p.ID == nil && p.Source == nil && p.Count == nil && p.Metadata == nil &&
		p.Attachments == nil && p.Outputs == nil
}

// MetadataEdit sets one member of the notebook's metadata; a nil Value removes it.
type MetadataEdit struct {
	Key   string
	Value rawjson.Value
}

// Write writes the file with the cells of the plan, in its order, and with edits to the
// notebook's metadata. What the plan does not touch keeps its bytes; without any change
// the output is what was read. A plan that names a cell twice or one that is not there
// is an error before anything is written.
func (f *File) Write(w io.Writer, cells []CellPlan, meta ...MetadataEdit) error {
	if err := f.check(cells); err != nil {
		return err
	}
	if len(meta) == 0 && f.unchanged(cells) {
		_, err := w.Write(f.data)
		return err
	}
	if f.readOnly != "" {
		return fmt.Errorf("%w: %s", ErrReadOnly, f.readOnly)
	}
	out := newWriter(w, sync.OnceValue(func() bool { return escapes(f.data) }))
	l := detect(f.top)
	var edits []edit
	if !f.unchanged(cells) {
		edits = append(edits, edit{"cells", func(w *writer, l layout) { f.writeCells(w, l, cells) }})
	}
	if len(meta) > 0 {
		edits = append(edits, edit{"metadata", func(w *writer, l layout) { f.writeMetadata(w, l, meta) }})
	}
	out.raw(f.data[:f.top.open])
	f.top.write(out, l, edits)
	out.raw(f.data[f.top.close+1:])
	err := out.flush()
	return err
}

func (f *File) check(cells []CellPlan) error {
	seen := make([]bool, len(f.cells))
	for i, p := range cells {
		switch {
		case p.From == -1 && p.Type == nil:
			return fmt.Errorf("cell %d of the plan is new and has no type", i)
		case p.From == -1:
		case p.From < 0 || p.From >= len(seen) || seen[p.From]:
			return fmt.Errorf("cell %d of the plan stands for cell %d of the file, which is not there or taken", i, p.From)
		default:
			seen[p.From] = true
		}
	}
	return nil
}

func (f *File) unchanged(cells []CellPlan) bool {
	if len(cells) != len(f.cells) {
		return false
	}
	for i, p := range cells {
		if p.From != i || !p.keeps() {
			return false
		}
	}
	return true
}

func (f *File) writeMetadata(w *writer, l layout, meta []MetadataEdit) {
	var edits []edit
	for _, m := range meta {
		if m.Value == nil {
			edits = append(edits, edit{name: m.Key})
			continue
		}
		edits = append(edits, edit{m.Key, func(w *writer, l layout) { w.value(m.Value, l, true) }})
	}
	parseObject(f.metadata).write(w, l, edits)
}

// writeCells writes the list of cells. Where two cells follow each other as they did in
// the file, what stood between them still does.
func (f *File) writeCells(w *writer, l layout, cells []CellPlan) {
	if len(cells) == 0 {
		w.str("[]")
		return
	}
	open, sep, end := f.cellGaps(l)
	w.str("[" + open)
	cell := l.after(open)
	for i, p := range cells {
		switch {
		case i == 0:
		case p.From > 0 && p.From == cells[i-1].From+1:
			w.raw(f.data[f.list.elements[p.From-1].end:f.list.elements[p.From].start])
		default:
			w.str(sep)
		}
		if p.From < 0 {
			f.newCell(w, cell, p)
			continue
		}
		at := f.list.elements[p.From]
		switch raw, was := f.data[at.start:at.end], f.cells[p.From]; {
		case p.keeps():
			w.raw(raw)
		case was.bare:
			f.newCell(w, cell, p.whole(was))
		default:
			f.changeCell(w, cell, raw, was, p)
		}
	}
	w.str(end + "]")
}

func (f *File) cellGaps(l layout) (open, sep, end string) {
	e := f.list.elements
	if len(e) == 0 {
		return l.newline(1), "," + l.between(), l.newline(0)
	}
	open = string(f.data[f.list.open+1 : e[0].start])
	end = string(f.data[e[len(e)-1].end:f.list.close])
	switch {
	case len(e) > 1:
		sep = string(f.data[e[0].end:e[1].start])
	case strings.Contains(open, "\n"):
		sep = "," + open
	default:
		sep = l.comma
	}
	return open, sep, end
}

func (f *File) newCell(w *writer, l layout, p CellPlan) {
	s := &fields{w: w, l: l}
	code := *p.Type == "code"
	if p.Attachments != nil && !code {
		w.object(p.Attachments, s.key("attachments"), false)
	}
	s.key("cell_type")
	w.quoted(*p.Type)
	if code {
		s.key("execution_count")
		if p.Count == nil {
			w.str("null")
		} else {
			w.count(*p.Count)
		}
	}
	if p.ID != nil && f.HasIDs() {
		s.key("id")
		w.quoted(*p.ID)
	}
	w.object(p.Metadata, s.key("metadata"), false)
	if code {
		w.outputs(p.Outputs, s.key("outputs"))
	}
	at := s.key("source")
	if p.Source == nil {
		w.str("[]")
	} else {
		w.lines(*p.Source, at)
	}
	s.end()
}

// changeCell writes a cell of the file with the plan's fields in place of its own.
func (f *File) changeCell(w *writer, l layout, raw []byte, was Cell, p CellPlan) {
	var edits []edit
	set := func(name string, write func(w *writer, l layout)) { edits = append(edits, edit{name, write}) }
	typ := was.Type
	if p.Type != nil && *p.Type != was.Type {
		typ = *p.Type
		set("cell_type", func(w *writer, _ layout) { w.quoted(typ) })
		if typ == "code" { // attachments belong to the other types (nbformat 4 schema)
			set("attachments", nil)
			if p.Count == nil {
				p.Count = new(int)
			}
			if p.Outputs == nil {
				p.Outputs = []mime.Output{}
			}
		} else if was.Type == "code" {
			set("outputs", nil)
			set("execution_count", nil)
		}
	}
	if p.ID != nil && f.HasIDs() {
		set("id", func(w *writer, _ layout) { w.quoted(*p.ID) })
	}
	if p.Source != nil && !sameText(was.Source, *p.Source) {
		set("source", func(w *writer, l layout) { w.source(was.Source, *p.Source, l) })
	}
	if p.Attachments != nil && typ != "code" {
		set("attachments", attach(p.Attachments))
	}
	meta := p.Metadata
	if typ == "code" {
		if p.Count != nil {
			set("execution_count", func(w *writer, _ layout) { w.count(*p.Count) })
		}
		if p.Outputs != nil {
			set("outputs", func(w *writer, l layout) { w.outputs(p.Outputs, l) })
			if meta == nil && was.Metadata.Kind() != rawjson.Object { // a cell that ran is made valid
				meta = rawjson.Value("{}")
			}
		}
	}
	if meta != nil {
		set("metadata", func(w *writer, l layout) { w.object(meta, l, false) })
	}
	parseObject(raw).write(w, l, edits)
}

// attach writes attachments; nil, which leaves the member out, where there are none.
func attach(v rawjson.Value) func(w *writer, l layout) {
	if v.Empty() {
		return nil
	}
	return func(w *writer, l layout) { w.object(v, l, false) }
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func itoa(n int) string { return strconv.Itoa(n) }
