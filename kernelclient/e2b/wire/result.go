package wire

import (
	"slices"
	"strconv"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// The MIME types that the code interpreter's kernels use for what it calls data and chart.
const (
	TypeData  = "e2b/data"
	TypeChart = "e2b/chart"
)

// nbformat lets only JSON types have values that are no text, so a notebook has the
// interpreter's own things under these.
const (
	noteData  = "application/vnd.e2b.data+json"
	noteChart = "application/vnd.e2b.chart+json"
	noteExtra = "application/vnd.e2b.extra+json" // an object of what has another type, by it
)

// Result is one value that was shown: the last expression's (Main) or a display. Each
// format is the JSON that was sent, nil where there is none. All but JSON, Data and Chart
// are strings by intent, and nothing checks that.
type Result struct {
	Text, HTML, Markdown, SVG, PNG, JPEG, PDF, LaTeX rawjson.Value
	JSON, JavaScript                                 rawjson.Value
	Data                                             rawjson.Value // column → list of its cells
	Chart                                            rawjson.Value // see ParseChart; {} for a figure that shows nothing known
	Extra                                            mime.Bundle   // all other MIME types
	Main                                             bool
	More                                             []Field // fields of the line that are not known here
}

// Field is a member of a JSON object.
type Field struct {
	Key   string
	Value rawjson.Value
}

// format is where a result has one of its formats.
type format struct {
	key, mime string
	value     *rawjson.Value
}

// formats are those of r, in the order of the wire.
func (r *Result) formats() []format {
	return []format{
		{"text", "text/plain", &r.Text},
		{"html", "text/html", &r.HTML},
		{"markdown", "text/markdown", &r.Markdown},
		{"svg", "image/svg+xml", &r.SVG},
		{"png", "image/png", &r.PNG},
		{"jpeg", "image/jpeg", &r.JPEG},
		{"pdf", "application/pdf", &r.PDF},
		{"latex", "text/latex", &r.LaTeX},
		{"json", "application/json", &r.JSON},
		{"javascript", "application/javascript", &r.JavaScript},
		{"data", TypeData, &r.Data},
		{"chart", TypeChart, &r.Chart},
	}
}

// Formats names the formats that r has, as the SDKs do: those of its own first, then the
// MIME types of Extra.
func (r Result) Formats() (names []string) {
	for _, f := range r.formats() {
		if *f.value != nil {
			names = append(names, f.key)
		}
	}
	for _, e := range r.Extra {
		names = append(names, e.Type)
	}
	return names
}

func parseResult(line rawjson.Value) Result {
	var r Result
	known := r.formats()
	line.Members(func(key string, val rawjson.Value) {
		if val.Kind() == rawjson.Null {
			return // as good as absent
		}
		switch key {
		case "type":
		case "extra":
			r.Extra = mime.ReadBundle(val)
		case "is_main_result":
			r.Main = val.True()
		default:
			if i := slices.IndexFunc(known, func(f format) bool { return f.key == key }); i >= 0 {
				*known[i].value = val
			} else {
				r.More = append(r.More, Field{key, val})
			}
		}
	})
	return r
}

// AppendLine implements Line.
func (r Result) AppendLine(dst []byte) []byte {
	return append(r.appendMembers(append(open(dst, "result"), ", "...)), "}\n"...)
}

// AppendJSON appends the result as an object of its own, as the SDKs' results are: it is a
// line without its type.
func (r Result) AppendJSON(dst []byte) []byte { return append(r.appendMembers(append(dst, '{')), '}') }

func (r Result) appendMembers(dst []byte) []byte {
	for _, f := range r.formats() {
		if *f.value != nil {
			dst = append(appendMember(dst, f.key, *f.value), ", "...)
		}
	}
	for _, f := range r.More {
		dst = append(appendMember(dst, f.Key, f.Value), ", "...)
	}
	dst = append(dst, `"extra": {`...)
	for i, e := range r.Extra {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendMember(dst, e.Type, e.Value)
	}
	return strconv.AppendBool(append(dst, `}, "is_main_result": `...), r.Main)
}

func appendMember(dst []byte, key string, val rawjson.Value) []byte {
	return AppendValue(append(appendText(dst, key), ": "...), val)
}

// Bundle is the result as a notebook's output keeps it: under MIME types, with values that
// nbformat allows there. ResultOf is the way back.
func (r Result) Bundle() mime.Bundle {
	var b mime.Bundle
	var odd mime.Bundle
	add := func(typ string, v rawjson.Value) {
		if mime.IsJSON(typ) || isText(v) {
			b = append(b, mime.Entry{Type: typ, Value: v})
		} else {
			odd = append(odd, mime.Entry{Type: typ, Value: v})
		}
	}
	for _, f := range r.formats() {
		switch {
		case *f.value == nil:
		case f.value == &r.Data:
			add(noteData, r.Data)
		case f.value == &r.Chart:
			add(noteChart, r.Chart)
		default:
			add(f.mime, *f.value)
		}
	}
	for _, f := range r.More {
		add("e2b/"+f.Key, f.Value)
	}
	for _, e := range r.Extra {
		add(e.Type, e.Value)
	}
	if len(odd) > 0 {
		b = append(b, mime.Entry{Type: noteExtra, Value: object(odd)})
	}
	return b
}

// isText tells whether nbformat takes v for a type that is no JSON: a string or a list of them.
func isText(v rawjson.Value) bool {
	if v.Kind() == rawjson.Array {
		return !slices.ContainsFunc(v.Elements(), func(e rawjson.Value) bool { return e.Kind() != rawjson.String })
	}
	return v.Kind() == rawjson.String
}

func object(members mime.Bundle) rawjson.Value {
	dst := []byte{'{'}
	for i, e := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(rawjson.AppendString(dst, e.Type, false), ':'), e.Value...)
	}
	return append(dst, '}')
}

// ResultOf is the result that a kernel's bundle, or an output in a notebook, is. Lists of
// strings stay lists: nothing on the wire joins them.
func ResultOf(b mime.Bundle, main bool) Result {
	r := Result{Main: main}
	known := r.formats()
	for _, e := range b {
		switch e.Type {
		case noteData:
			r.Data = e.Value
			continue
		case noteChart:
			r.Chart = e.Value
			continue
		case noteExtra:
			odd := ResultOf(mime.ReadBundle(e.Value), main)
			r.merge(odd)
			continue
		}
		if i := slices.IndexFunc(known, func(f format) bool { return f.mime == e.Type }); i >= 0 {
			*known[i].value = e.Value
		} else {
			r.Extra = append(r.Extra, e)
		}
	}
	return r
}

// merge adds the formats of another result.
func (r *Result) merge(odd Result) {
	mine := r.formats()
	for i, f := range odd.formats() {
		if *f.value != nil {
			*mine[i].value = *f.value
		}
	}
	r.Extra = append(r.Extra, odd.Extra...)
}

// Unquoted is text without its quotes where it begins and ends with the same one, as the
// code interpreter sends a text/plain: the repr of a string is that string, escapes apart.
func Unquoted(text string) string {
	if n := len(text); n > 0 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return text[1:max(n-1, 1)]
	}
	return text
}
