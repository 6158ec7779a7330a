package unsandbox

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// object is a JSON object whose fields may be absent, null or of several types: what the
// service sends is written down nowhere, and its clients do not agree.
type object map[string]json.RawMessage

// first is the first field of these names that is there and not null.
func (o object) first(names ...string) json.RawMessage {
	for _, n := range names {
		if v := bytes.TrimSpace(o[n]); len(v) > 0 && !bytes.Equal(v, []byte("null")) {
			return v
		}
	}
	return nil
}

func (o object) str(names ...string) string { return text(o.first(names...)) }

// inner is a field that is an object, else nil.
func (o object) inner(name string) (in object) {
	if json.Unmarshal(o.first(name), &in) != nil {
		return nil
	}
	return in
}

// text is a string, or the JSON of a number.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(v, &n) == nil {
		return n.String()
	}
	return ""
}

// number is a number, or a string that is one.
func number(v json.RawMessage) (float64, bool) {
	f, err := strconv.ParseFloat(text(v), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func (o object) num(names ...string) int {
	f, _ := number(o.first(names...))
	return int(f)
}

func (o object) yes(names ...string) bool {
	var b bool
	return json.Unmarshal(o.first(names...), &b) == nil && b
}

// when reads a time: ISO text or Unix seconds; zero if it is neither.
func (o object) when(names ...string) time.Time {
	v := o.first(names...)
	if f, ok := number(v); ok {
		return time.Unix(int64(f), 0).UTC()
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text(v)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// lenientInt is a number, or a string that is one, or whatever else as 0.
type lenientInt int

// UnmarshalJSON implements json.Unmarshaler.
func (n *lenientInt) UnmarshalJSON(v []byte) error {
	f, _ := number(v)
	*n = lenientInt(f)
	return nil
}

// list is an array of objects: the one under one of these names, or the whole text. What is
// no object counts as one with the id that it is.
func list(body []byte, names ...string) ([]object, error) {
	raw := json.RawMessage(body)
	var whole object
	if json.Unmarshal(body, &whole) == nil {
		if raw = whole.first(names...); raw == nil {
			return nil, nil
		}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	var out []object
	for _, item := range items {
		var o object
		if json.Unmarshal(item, &o) != nil {
			o = object{"id": item}
		}
		out = append(out, o)
	}
	return out, nil
}
