package mime

import "github.com/nbterm/nbterm/notebook/mime/rawjson"

// Output is one output of a cell. It is immutable but for the Text of a stream, which
// only grows; who changes an output puts a new one in its place.
type Output struct {
	// Raw is the JSON it was read from. It is nil for an output that came from a kernel.
	// Where it is set it is the truth: a writer passes it on unchanged, a reader calls Decode.
	Raw rawjson.Value
	// Body is what it says; nil while only Raw is known.
	Body Body
}

// Body is one of *Stream, *Data, *Error, *Unknown, and *Held, which Decode gives as what it
// holds.
type Body interface{ body() }

// Stream is text written to stdout or stderr.
type Stream struct {
	Name string // "stdout" or "stderr"; other names are kept
	Text *Text
}

// Data is a display_data or, with Result, an execute_result.
type Data struct {
	Result   bool
	Count    int // the execution count of a result, 0 for null
	Bundle   Bundle
	Metadata rawjson.Value // nil for {}
	// DisplayID names the display for updates (messaging protocol, "transient"). It is never stored in a file.
	DisplayID string
}

// Error is an exception as the kernel showed it.
type Error struct {
	Name, Value string
	Traceback   []string // lines or blocks of lines, with SGR colours; may be empty
}

// Unknown is an output of a type that nbformat 4 does not have.
type Unknown struct{ Type string }

func (*Stream) body()  {}
func (*Data) body()    {}
func (*Error) body()   {}
func (*Unknown) body() {}

// Decode returns what an output says, never a *Held. It decodes Raw or reads back what was
// spilled on every call and keeps nothing: callers that draw often keep the result. It never
// fails: what is missing is empty, and what cannot be read back is an *Error that says so.
func (o Output) Decode() Body {
	if h, ok := o.Body.(*Held); ok {
		b, err := h.Load()
		if err != nil {
			return &Error{Name: "nbterm", Value: err.Error()}
		}
		return b
	}
	if o.Body != nil || o.Raw == nil {
		return o.Body
	}
	m := map[string]rawjson.Value{}
	o.Raw.Members(func(k string, v rawjson.Value) { m[k] = v })
	switch typ := m["output_type"].Str(); typ {
	case "stream":
		name := m["name"].Str()
		if name == "" {
			name = "stdout"
		}
		return &Stream{Name: name, Text: textOfJSON(m["text"])}
	case "display_data", "execute_result":
		n, _ := m["execution_count"].Int()
		return &Data{Result: typ == "execute_result", Count: n, Bundle: ReadBundle(m["data"]), Metadata: m["metadata"]}
	case "error":
		return decodeError(m)
	default:
		return &Unknown{Type: typ}
	}
}

func decodeError(m map[string]rawjson.Value) *Error {
	e := &Error{Name: m["ename"].Str(), Value: m["evalue"].Str()}
	if tb := m["traceback"]; tb.Kind() == rawjson.String { // some writers join it
		e.Traceback = []string{tb.Str()}
	} else {
		for _, line := range tb.Elements() {
			e.Traceback = append(e.Traceback, line.Str())
		}
	}
	return e
}

// ReadOutputs splits a cell's outputs array into outputs that know only their Raw.
// null and anything else that is no list is no outputs.
func ReadOutputs(v rawjson.Value) []Output {
	var out []Output
	for _, e := range v.Elements() {
		out = append(out, Output{Raw: e})
	}
	return out
}
