package notebook

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Split returns the operations, to be done as one step, that cut a cell at bytes of its
// source, which ascend. The first part that is not empty stays the cell and keeps its
// outputs; the others become new cells around it. An attached file goes where it is
// mentioned, and stays with the cell where nothing mentions it. Empty lines at a cut go.
func (d *Document) Split(key CellKey, at ...int) ([]Op, error) {
	c := d.byKey[key]
	if c == nil {
		return nil, fmt.Errorf("split cell %s: %w", key, ErrNoCell)
	}
	parts := make([]string, 0, len(at)+1)
	from := 0
	for _, cut := range at {
		if cut < from || cut > len(c.Source) {
			return nil, fmt.Errorf("split cell %s at byte %d: it has %d", key, cut, len(c.Source))
		}
		parts = append(parts, c.Source[from:cut])
		from = cut
	}
	parts = append(parts, c.Source[from:])
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], "\n")
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(parts[i], "\n")
		}
	}
	keep := max(slices.IndexFunc(parts, func(s string) bool { return strings.TrimSpace(s) != "" }), 0)
	attached := deal(c.attached, parts, keep)
	cells := make([]NewCell, len(parts))
	for i, text := range parts {
		cells[i] = NewCell{Type: c.Type, Source: text, Metadata: c.metadata, Attachments: attached[i]}
	}
	ops := []Op{SetSource{Key: key, Source: parts[keep]}}
	if !bytes.Equal(attached[keep], c.attached) {
		ops = append(ops, Attach{Key: key, Attachments: attached[keep]})
	}
	if after := cells[keep+1:]; len(after) > 0 {
		ops = append(ops, Insert{At: d.Index(key) + 1, Cells: after})
	}
	if keep > 0 {
		ops = append(ops, Insert{At: d.Index(key), Cells: cells[:keep]})
	}
	return ops, nil
}

// deal shares out attachments among the parts of a source; part keep has those that no
// part mentions.
func deal(attached rawjson.Value, parts []string, keep int) []rawjson.Value {
	dealt := make([]rawjson.Value, len(parts))
	members := make([][]attachment, len(parts))
	all := attachments(attached)
	for _, a := range all {
		placed := false
		for i, text := range parts {
			if a.mentioned(text) {
				members[i] = append(members[i], a)
				placed = true
			}
		}
		if !placed {
			members[keep] = append(members[keep], a)
		}
	}
	for i := range parts {
		dealt[i] = object(members[i])
	}
	if len(members[keep]) == len(all) {
		dealt[keep] = attached
	}
	return dealt
}

// attachment is one attached file: its name and the MIME bundle.
type attachment struct {
	name string
	data rawjson.Value
}

func attachments(v rawjson.Value) (out []attachment) {
	v.Members(func(name string, data rawjson.Value) { out = append(out, attachment{name, data}) })
	return out
}

// mentioned tells whether a text has the attachment's URL, as it is or escaped.
func (a attachment) mentioned(text string) bool {
	return strings.Contains(text, "attachment:"+a.name) || strings.Contains(text, "attachment:"+url.PathEscape(a.name))
}

// renamed returns text with the attachment's URL changed to another name.
func (a attachment) renamed(text, name string) string {
	text = strings.ReplaceAll(text, "attachment:"+a.name, "attachment:"+name)
	return strings.ReplaceAll(text, "attachment:"+url.PathEscape(a.name), "attachment:"+url.PathEscape(name))
}

func object(members []attachment) rawjson.Value {
	if len(members) == 0 {
		return nil
	}
	b := []byte("{")
	for i, a := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, rawjson.Quote(a.name)...), ':'), a.data...)
	}
	return append(b, '}')
}

// ErrOneCell says that merging needs two cells.
var ErrOneCell = errors.New("there is no second cell to merge with")

// Merge returns the operations, to be done as one step, that make one cell of several. It
// has the place, type and metadata of the first, in the document's order, and the outputs
// of all if that is code. Of two different attached files of one name the second is
// renamed, with its mentions.
func (d *Document) Merge(keys ...CellKey) ([]Op, error) {
	cells, err := d.inOrder(keys)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	if len(cells) < 2 {
		return nil, ErrOneCell
	}
	first := cells[0]
	files := attachments(first.attached)
	text := first.Source
	gone, added := Delete{}, AddOutputs{Key: first.Key}
	for _, c := range cells[1:] {
		more := c.Source
		files, more = union(files, attachments(c.attached), more)
		text = join(first.Type, text, more)
		added.Outputs = append(added.Outputs, c.Outputs()...)
		gone.Keys = append(gone.Keys, c.Key)
	}
	ops := []Op{SetSource{Key: first.Key, Source: text}}
	if first.Type == Code {
		ops = append(ops, added)
	} else if len(files) > len(attachments(first.attached)) {
		ops = append(ops, Attach{Key: first.Key, Attachments: object(files)})
	}
	return append(ops, gone), nil
}

// join puts one text below another. Paragraphs of Markdown stay apart.
func join(t CellType, a, b string) string {
	switch {
	case a == "" || b == "":
		return a + b
	case t == Markdown:
		return strings.TrimRight(a, "\n") + "\n\n" + b
	}
	return a + "\n" + b
}

// union adds attachments to those that are there, and returns the text that mentions them.
func union(files, more []attachment, text string) ([]attachment, string) {
	for _, a := range more {
		same := slices.IndexFunc(files, func(o attachment) bool { return o.name == a.name })
		if same >= 0 && bytes.Equal(files[same].data, a.data) {
			continue
		}
		if same >= 0 {
			old, n := a, 2
			for same >= 0 {
				a.name = fmt.Sprintf("%d-%s", n, old.name)
				same = slices.IndexFunc(files, func(o attachment) bool { return o.name == a.name })
				n++
			}
			text = old.renamed(text, a.name)
		}
		files = append(files, a)
	}
	return files, text
}

// inOrder returns the cells called keys in the document's order, each once.
func (d *Document) inOrder(keys []CellKey) ([]*Cell, error) {
	var out []*Cell
	want := make(map[CellKey]bool, len(keys))
	for _, k := range keys {
		if d.byKey[k] == nil {
			return nil, fmt.Errorf("cell %s: %w", k, ErrNoCell)
		}
		want[k] = true
	}
	for _, c := range d.cells {
		if want[c.Key] {
			out = append(out, c)
		}
	}
	return out, nil
}
