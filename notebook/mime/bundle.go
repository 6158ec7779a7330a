package mime

import (
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Entry is one representation in a Bundle.
type Entry struct {
	Type  string        // the MIME type, as written by the sender
	Value rawjson.Value // a string, for JSON types any value; some writers use a list of strings
}

// Bundle is one thing in several representations, in the sender's order.
type Bundle []Entry

// ReadBundle reads the object v; nil for anything else.
func ReadBundle(v rawjson.Value) Bundle {
	var b Bundle
	v.Members(func(typ string, val rawjson.Value) { b = append(b, Entry{typ, val}) })
	return b
}

// Get returns the representation of a type, nil where there is none.
func (b Bundle) Get(typ string) rawjson.Value {
	for _, e := range b {
		if e.Type == typ {
			return e.Value
		}
	}
	return nil
}

// Plain returns the text/plain representation.
func (b Bundle) Plain() (text string, ok bool) {
	v := b.Get("text/plain")
	if v == nil {
		return "", false
	}
	return JoinText(v), true
}

// JoinText decodes nbformat's multi-line string: a string, or a list of strings to be
// joined as they are. Anything else, null too, is "".
func JoinText(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.String:
		return v.Str()
	case rawjson.Array:
		var b strings.Builder
		for _, e := range v.Elements() {
			b.WriteString(e.Str())
		}
		return b.String()
	default:
		return ""
	}
}

// IsJSON tells whether nbformat stores values of this type as JSON and not as text:
// application/json and the +json types.
func IsJSON(typ string) bool {
	base, _, _ := strings.Cut(typ, ";")
	base = strings.TrimSpace(base)
	return base == "application/json" || strings.HasPrefix(base, "application/") && strings.HasSuffix(base, "+json")
}
