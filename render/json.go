package render

import (
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/themes"
)

const (
	// jsonLine is how long a value is written on one line.
	jsonLine = 60
	// jsonLimit is the size in bytes of a value above which it stays as it is.
	jsonLimit = 1 << 20
)

// jsonTree is a Block of a JSON value. One that takes many lines is collapsed: values
// deep inside, and those behind the first of a long list, are only counted.
type jsonTree struct {
	value rawjson.Value
	th    themes.Theme
	whole bool // nothing is collapsed

	drawn Block
}

func (j *jsonTree) get() Block {
	if j.drawn == nil {
		text := prettyJSON(j.value)
		if !j.whole && (len(j.value) > jsonLimit || strings.Count(text, "\n") >= jsonLines) {
			text = layJSON(j.value, jsonLayout{depth: collapseDepth, items: collapseItems})
		}
		j.drawn = Source(text, "json", j.th)
	}
	return j.drawn
}

func (j *jsonTree) Height(width int) int              { return j.get().Height(width) }
func (j *jsonTree) Lines(width, from, n int) []string { return j.get().Lines(width, from, n) }

// expander is a Block that can show more or less of what it draws.
type expander interface{ expand(whole bool) }

// Expand makes a block show all of what it draws, or only its outline where it is large.
// Most blocks are always whole.
func Expand(b Block, whole bool) {
	if e, ok := b.(expander); ok {
		e.expand(whole)
	}
}

func (j *jsonTree) expand(whole bool) {
	if j.whole != whole {
		j.whole, j.drawn = whole, nil
	}
}

func (l *lazy) expand(whole bool) {
	if l.block == nil && !whole {
		return // outlines are what is made first
	}
	Expand(l.get(), whole)
}

const (
	// jsonLines is how many lines a value may take before it is collapsed.
	jsonLines     = 60
	collapseDepth = 2
	collapseItems = 40
)

// jsonLayout says what is collapsed; the zero value is nothing.
type jsonLayout struct {
	depth, items int
	b            strings.Builder
}

// prettyJSON lays a value out over lines. Numbers and strings keep their spelling.
func prettyJSON(v rawjson.Value) string {
	if len(v) > jsonLimit {
		return string(v)
	}
	return layJSON(v, jsonLayout{})
}

func layJSON(v rawjson.Value, l jsonLayout) string {
	l.write(v, 0)
	return l.b.String()
}

// maxJSONDepth bounds the layout, not the value: deeper ones are written on one line.
const maxJSONDepth = 64

func (l *jsonLayout) write(v rawjson.Value, depth int) {
	v = rawjson.Value(strings.TrimSpace(string(v)))
	kind := v.Kind()
	if kind != rawjson.Object && kind != rawjson.Array || depth >= maxJSONDepth {
		l.leaf(v)
		return
	}
	if short := oneLine(v); short != "" {
		l.b.WriteString(short)
		return
	}
	open, end, unit := "{", "}", "keys"
	if kind == rawjson.Array {
		open, end, unit = "[", "]", "items"
	}
	n := 0
	each(v, func(string, rawjson.Value) { n++ })
	l.b.WriteString(open)
	if l.depth > 0 && depth >= l.depth {
		if n == 1 {
			unit = unit[:len(unit)-1]
		}
		fmt.Fprintf(&l.b, "… %d %s%s", n, unit, end)
		return
	}
	i := 0
	each(v, func(key string, e rawjson.Value) {
		if i++; l.items > 0 && i > l.items {
			return
		}
		l.line(depth + 1)
		l.b.WriteString(key)
		if l.write(e, depth+1); i < n {
			l.b.WriteByte(',')
		}
	})
	if l.items > 0 && n > l.items {
		l.line(depth + 1)
		fmt.Fprintf(&l.b, "… %d more %s", n-l.items, unit)
	}
	if n > 0 {
		l.line(depth)
	}
	l.b.WriteString(end)
}

// oneLine is a value that fits on one line, else "". Values that files hold over several
// lines are joined.
func oneLine(v rawjson.Value) string {
	if !strings.Contains(string(v), "\n") {
		if len(v) > jsonLine {
			return ""
		}
		return string(v)
	}
	if len(v) > 10*jsonLine {
		return ""
	}
	var b strings.Builder
	inString := false
	for i, c := range v {
		switch {
		case inString:
			inString = c != '"' || escaped(v[:i])
			b.WriteByte(c)
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case c == ',' || c == ':':
			b.WriteByte(c)
			b.WriteByte(' ')
		default:
			inString = c == '"'
			b.WriteByte(c)
		}
		if b.Len() > jsonLine {
			return ""
		}
	}
	return b.String()
}

// escaped tells whether an odd number of backslashes stands at the end.
func escaped(v rawjson.Value) bool {
	n := len(v)
	for n > 0 && v[n-1] == '\\' {
		n--
	}
	return (len(v)-n)%2 == 1
}

// leaf writes what stays on one line; of a long text in an outline, its beginning.
func (l *jsonLayout) leaf(v rawjson.Value) {
	if l.items > 0 && len(v) > 4*jsonLine {
		fmt.Fprintf(&l.b, "%s… %s", strings.ToValidUTF8(string(v[:2*jsonLine]), ""), ByteSize(int64(len(v))))
		return
	}
	l.b.Write(v)
}

func (l *jsonLayout) line(depth int) {
	l.b.WriteByte('\n')
	l.b.WriteString(strings.Repeat("  ", depth))
}

// each calls f with the members of an object, or the elements of an array.
func each(v rawjson.Value, f func(key string, e rawjson.Value)) {
	if v.Kind() == rawjson.Array {
		for _, e := range v.Elements() {
			f("", e)
		}
		return
	}
	v.Members(func(key string, e rawjson.Value) { f(string(rawjson.Quote(key))+": ", e) })
}
