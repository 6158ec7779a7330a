package ipynb

import (
	"errors"
	"io"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// sourceText is the text of a source. What nbformat forbids there – a number, an object,
// anything in the list that is no string – stands for itself as JSON, so that nothing of
// the file is hidden, and an edit begins with it. null is "".
func sourceText(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.String:
		return v.Str()
	case rawjson.Array:
		var b strings.Builder
		for _, e := range v.Elements() {
			b.WriteString(elementText(e))
		}
		return b.String()
	case rawjson.Null, rawjson.Invalid:
		return ""
	default:
		return string(v)
	}
}

func elementText(e rawjson.Value) string {
	switch e.Kind() {
	case rawjson.String:
		return e.Str()
	case rawjson.Null:
		return ""
	default:
		return string(e)
	}
}

var errForeign = errors.New("not what belongs there")

// Foreign tells whether the cell has something in a place where nbformat has nothing like
// it: the cell is no object, its type no string, its source no text, its outputs no list
// of objects, as far as the first one shows: outputs may be very long. An absent field and
// null are known exceptions.
func (c Cell) Foreign() bool {
	return c.bare || c.Type == "" || c.Source.Kind() != rawjson.String && foreignList(c.Source, rawjson.String, false) ||
		foreignList(c.Outputs, rawjson.Object, true)
}

// foreignList tells whether v is neither null nor a list of one kind, or one whose first
// element is of that kind.
func foreignList(v rawjson.Value, kind rawjson.Kind, first bool) bool {
	switch v.Kind() {
	case rawjson.Null, rawjson.Invalid:
		return false
	case rawjson.Array:
	default:
		return true
	}
	r := rawjson.Reader{Data: v}
	err := r.Array(func(int) error {
		if r.Peek() != kind {
			return errForeign
		}
		if first {
			return io.EOF
		}
		_, err := r.Skip()
		return err
	})
	return errors.Is(err, errForeign)
}

// whole is the plan of a cell that was no object: changed, it becomes one.
func (p CellPlan) whole(was Cell) CellPlan {
	typ, text := "raw", was.Text()
	if p.Type == nil {
		p.Type = &typ
	}
	if p.Source == nil {
		p.Source = &text
	}
	return p
}
