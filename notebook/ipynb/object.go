package ipynb

import (
	"bytes"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// span is a place in a text: from start up to but not including end.
type span struct{ start, end int }

// array is where a list stands in its text.
type array struct {
	open, close int // its brackets
	elements    []span
}

// member is where a member of an object stands in its text.
type member struct {
	name     string
	lead     int // the space before the key begins here
	key      span
	value    span
	followed int // the comma or closing bracket after it
}

// object is where an object stands in its text. close is 0 where none was read.
type object struct {
	text        []byte
	open, close int
	members     []member
}

func keyName(key rawjson.Value) string {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key[1 : len(key)-1])
	}
	return key.Str()
}

// readObject reads the object at r.Pos; value must consume the value it is called at.
func readObject(r *rawjson.Reader, value func(name string) error) (object, error) {
	r.Peek()
	o := object{text: r.Data, open: r.Pos}
	lead := r.Pos + 1
	err := r.Object(func(key rawjson.Value) error {
		m := member{name: keyName(key), lead: lead, value: span{start: r.Pos}}
		m.key.end = bytes.LastIndexByte(r.Data[:r.Pos], ':')
		for isSpace(r.Data[m.key.end-1]) {
			m.key.end--
		}
		m.key.start = m.key.end - len(key)
		if err := value(m.name); err != nil {
			return err
		}
		m.value.end = r.Pos
		r.Peek() // to the comma or bracket
		m.followed = r.Pos
		lead = r.Pos + 1
		o.members = append(o.members, m)
		return nil
	})
	if err == nil {
		o.close = r.Pos - 1
	}
	return o, err
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// parseObject reads the object that v is; a v that is none has no members and close 0.
func parseObject(v rawjson.Value) object {
	r := &rawjson.Reader{Data: v}
	if r.Peek() != rawjson.Object {
		return object{}
	}
	o, err := readObject(r, func(string) error { _, err := r.Skip(); return err })
	if err != nil {
		return object{}
	}
	return o
}

// edit changes one member of an object.
type edit struct {
	name  string
	write func(w *writer, l layout) // the new value; nil removes the member
}

// slot is one member to be written: an old one, or a new one where old is -1.
type slot struct {
	old  int
	name string
	edit func(w *writer, l layout) // nil keeps the old value
}

// write writes the object from bracket to bracket with edits. l is the layout of the
// object's own line. Of twins the last is changed, as it is the one that counts; a
// removed member takes its twins along.
func (o object) write(w *writer, l layout, edits []edit) {
	slots := o.slots(edits)
	if len(slots) == 0 {
		w.str("{}")
		return
	}
	first, other := o.leads(l)
	w.str("{")
	for i, s := range slots {
		lead := other
		if i == 0 {
			lead = first
		}
		if s.old >= 0 && (s.old == 0) == (i == 0) {
			m := o.members[s.old]
			lead = string(o.text[m.lead:m.key.start])
		}
		w.str(lead)
		o.writeMember(w, l.after(lead), s)
		if i < len(slots)-1 {
			if s.old >= 0 && s.old < len(o.members)-1 {
				m := o.members[s.old]
				w.raw(o.text[m.value.end:m.followed])
			}
			w.str(",")
		}
	}
	if n := len(o.members); n > 0 {
		w.raw(o.text[o.members[n-1].value.end:o.close])
	} else {
		w.str(l.newline(0))
	}
	w.str("}")
}

func (o object) writeMember(w *writer, l layout, s slot) {
	if s.old < 0 {
		w.quoted(s.name)
		w.str(l.colon)
		s.edit(w, l)
		return
	}
	m := o.members[s.old]
	if s.edit == nil {
		w.raw(o.text[m.key.start:m.value.end])
		return
	}
	w.raw(o.text[m.key.start:m.value.start])
	s.edit(w, l)
}

// leads returns the space before the first key and before any other.
func (o object) leads(l layout) (first, other string) {
	if len(o.members) == 0 {
		return l.newline(1), l.between()
	}
	m := o.members[0]
	first = string(o.text[m.lead:m.key.start])
	if len(o.members) > 1 {
		m = o.members[1]
		return first, string(o.text[m.lead:m.key.start])
	}
	if strings.Contains(first, "\n") {
		return first, first
	}
	return first, strings.TrimPrefix(l.comma, ",")
}

func (o object) slots(edits []edit) []slot {
	var slots []slot
	for i, m := range o.members {
		slots = append(slots, slot{old: i, name: m.name})
	}
	sorted := slices.IsSortedFunc(o.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for _, e := range edits {
		if e.write == nil {
			slots = slices.DeleteFunc(slots, func(s slot) bool { return s.name == e.name })
			continue
		}
		at := -1
		for i, s := range slots {
			if s.name == e.name {
				at = i
			}
		}
		if at >= 0 {
			slots[at].edit = e.write
			continue
		}
		at = len(slots)
		if sorted {
			if i := slices.IndexFunc(slots, func(s slot) bool { return s.name > e.name }); i >= 0 {
				at = i
			}
		}
		slots = slices.Insert(slots, at, slot{old: -1, name: e.name, edit: e.write})
	}
	return slots
}
