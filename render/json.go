package render

import (
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

const (
	// jsonLine is how long a value is written on one line.
	jsonLine = 60
	// jsonLimit is the size in bytes of a value above which it stays as it is.
	jsonLimit = 1 << 20
)

// prettyJSON lays a value out over lines. Numbers and strings keep their spelling.
func prettyJSON(v rawjson.Value) string {
	if len(v) > jsonLimit {
		return string(v)
	}
	var b strings.Builder
	writeJSON(&b, v, 0)
	return b.String()
}

// maxJSONDepth bounds the layout, not the value: deeper ones are written on one line.
const maxJSONDepth = 64

func writeJSON(b *strings.Builder, v rawjson.Value, depth int) {
	v = rawjson.Value(strings.TrimSpace(string(v)))
	kind := v.Kind()
	if kind != rawjson.Object && kind != rawjson.Array || depth >= maxJSONDepth ||
		len(v) <= jsonLine && !strings.Contains(string(v), "\n") {
		b.Write(v)
		return
	}
	open, end := "{", "}"
	if kind == rawjson.Array {
		open, end = "[", "]"
	}
	b.WriteString(open)
	n := 0
	item := func(key string, e rawjson.Value) {
		if n++; n > 1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth+1))
		b.WriteString(key)
		writeJSON(b, e, depth+1)
	}
	if kind == rawjson.Array {
		for _, e := range v.Elements() {
			item("", e)
		}
	} else {
		v.Members(func(key string, e rawjson.Value) { item(string(rawjson.Quote(key))+": ", e) })
	}
	if n > 0 {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth))
	}
	b.WriteString(end)
}
