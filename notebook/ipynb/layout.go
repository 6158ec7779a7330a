package ipynb

import (
	"slices"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// layout is how new JSON is laid out at one place of a file.
type layout struct {
	inline bool   // on one line, with comma and colon
	nl     string // a line end
	unit   string // one step of indentation
	indent string // the indentation of the line that the value begins on
	comma  string // between elements on one line, with its space
	colon  string // between key and value, with its space
}

// detect reads the manner of a whole file from its outermost object.
func detect(o object) layout {
	l := layout{inline: true, nl: "\n", unit: " ", comma: ", ", colon: ": "}
	if len(o.members) == 0 {
		return l
	}
	m := o.members[0]
	l.colon = string(o.text[m.key.end:m.value.start])
	lead := string(o.text[m.lead:m.key.start])
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		l.inline = false
		l.unit = lead[i+1:]
		if i > 0 && lead[i-1] == '\r' {
			l.nl = "\r\n"
		}
	} else if len(o.members) > 1 {
		next := o.members[1]
		l.comma = "," + string(o.text[next.lead:next.key.start])
	}
	if strings.ContainsAny(l.comma+l.colon, "\r\n") {
		l.comma, l.colon = ", ", ": "
	}
	return l
}

// after returns the layout of a value whose line begins with what lead ends with.
func (l layout) after(lead string) layout {
	i := strings.LastIndexByte(lead, '\n')
	l.inline = i < 0
	l.indent = lead[i+1:]
	return l
}

// deeper is the layout one level further in.
func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// newline is what stands before an element n levels further in than l.
func (l layout) newline(n int) string {
	if l.inline {
		return ""
	}
	return l.nl + l.indent + strings.Repeat(l.unit, n)
}

// between is newline(1) for elements that follow another; the comma's own space on one line.
func (l layout) between() string {
	if l.inline {
		return strings.TrimPrefix(l.comma, ",")
	}
	return l.newline(1)
}

// list writes a list element by element; call begin before each element, and end last.
type list struct {
	w   *writer
	l   layout
	n   int
	sep string // from the second element on
}

func (s *list) begin() {
	if s.n == 0 {
		s.w.str("[" + s.l.newline(1))
		s.sep = "," + s.l.between()
	} else {
		s.w.str(s.sep)
	}
	s.n++
}

func (s *list) end() {
	if s.n == 0 {
		s.w.str("[]")
		return
	}
	s.w.str(s.l.newline(0) + "]")
}

// fields writes an object of new members, in the order of the calls.
type fields struct {
	w *writer
	l layout
	n int
}

func (s *fields) key(name string) layout {
	if s.n == 0 {
		s.w.str("{" + s.l.newline(1))
	} else {
		s.w.str("," + s.l.between())
	}
	s.n++
	s.w.quoted(name)
	s.w.str(s.l.colon)
	return s.l.deeper()
}

func (s *fields) end() {
	if s.n == 0 {
		s.w.str("{}")
		return
	}
	s.w.str(s.l.newline(0) + "}")
}

// value lays out v anew. With sorted set, keys are sorted and strings are spelled as
// this file spells them, as Jupyter does with what kernels send; else every token stays.
func (w *writer) value(v rawjson.Value, l layout, sorted bool) {
	switch v.Kind() {
	case rawjson.Object:
		w.members(v, l, sorted)
	case rawjson.Array:
		s := list{w: w, l: l}
		for _, e := range v.Elements() {
			s.begin()
			w.value(e, l.deeper(), sorted)
		}
		s.end()
	case rawjson.String:
		if sorted {
			w.quoted(v.Str())
			return
		}
		w.raw(v)
	case rawjson.Invalid:
		w.str("null")
	default:
		w.raw(v)
	}
}

func (w *writer) members(v rawjson.Value, l layout, sorted bool) {
	type pair struct {
		name string
		val  rawjson.Value
	}
	var pairs []pair
	v.Members(func(k string, val rawjson.Value) { pairs = append(pairs, pair{k, val}) })
	if sorted {
		slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	}
	s := fields{w: w, l: l}
	for _, p := range pairs {
		w.value(p.val, s.key(p.name), sorted)
	}
	s.end()
}

// kept writes v with its own bytes where it is laid out for this place already, else
// anew with every token kept: a cell may come from a file of another manner.
func (w *writer) kept(v rawjson.Value, l layout) {
	s := string(v)
	i := strings.LastIndexByte(s, '\n')
	if i < 0 && (l.inline || !strings.ContainsAny(s, "{[") || len(s) <= 2) {
		w.raw(v)
		return
	}
	if i >= 0 && !l.inline && strings.HasPrefix(s[i+1:], l.indent) && len(s) == i+1+len(l.indent)+1 &&
		strings.Contains(s[:i+1], "\r\n") == (l.nl == "\r\n") {
		w.raw(v)
		return
	}
	w.value(v, l, false)
}
