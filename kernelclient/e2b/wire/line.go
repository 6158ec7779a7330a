package wire

import (
	"strconv"
	"time"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Line is one line of an execution's stream: one of the types of this package that have
// AppendLine.
type Line interface {
	// AppendLine appends the line to dst, its line end too, byte for byte as the code
	// interpreter writes it: ASCII alone, as clients cut the stream at any byte and decode
	// each part for itself.
	AppendLine(dst []byte) []byte
}

// Count is the kernel's execution count. It comes before all else, and shows that the
// kernel has begun with the code.
type Count struct{ N int }

// Output is text on stdout or stderr.
type Output struct {
	Name string // "stdout" or "stderr"
	Text string
	Time time.Time // when the kernel sent it; zero where the line does not say
}

// Error is an exception, or what befell the kernel. Traceback is one text: the interpreter
// joins the kernel's lines with nothing between them.
type Error struct{ Name, Value, Traceback string }

// Keepalive comes after each five seconds without another line.
type Keepalive struct{}

// End is the last line of every execution that the interpreter saw the end of.
type End struct{}

// Unknown is a line of a type that is not known here. Raw is all of it.
type Unknown struct {
	Type string
	Raw  rawjson.Value
}

// ParseLine reads one line, with or without its line end. What is no JSON object is a
// *rawjson.SyntaxError or ErrNotObject. The values in what it returns share text.
func ParseLine(text []byte) (Line, error) {
	v, err := rawjson.Parse(text)
	if err != nil {
		return nil, err
	}
	if v.Kind() != rawjson.Object {
		return nil, ErrNotObject
	}
	f := map[string]rawjson.Value{}
	v.Members(func(key string, val rawjson.Value) { f[key] = val })
	switch typ := f["type"].Str(); typ {
	case "number_of_executions":
		n, _ := f["execution_count"].Int()
		return Count{n}, nil
	case "stdout", "stderr":
		return Output{typ, f["text"].Str(), parseTime(f["timestamp"].Str())}, nil
	case "result":
		return parseResult(v), nil
	case "error":
		return Error{f["name"].Str(), f["value"].Str(), f["traceback"].Str()}, nil
	case "keepalive":
		return Keepalive{}, nil
	case "end_of_execution":
		return End{}, nil
	default:
		return Unknown{typ, v}, nil
	}
}

// The clock is Python's isoformat: microseconds, left out where they are zero, and +00:00.
const (
	clock      = "2006-01-02T15:04:05"
	clockMicro = "2006-01-02T15:04:05.000000"
)

func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

func appendTime(dst []byte, t time.Time) []byte {
	layout := clockMicro
	if t.Nanosecond()/1000 == 0 {
		layout = clock
	}
	return append(t.UTC().AppendFormat(append(dst, '"'), layout), `+00:00"`...)
}

func open(dst []byte, typ string) []byte {
	return appendText(append(dst, `{"type": `...), typ)
}

func field(dst []byte, key, val string) []byte {
	return appendText(append(append(append(dst, `, "`...), key...), `": `...), val)
}

// AppendLine implements Line.
func (c Count) AppendLine(dst []byte) []byte {
	dst = append(open(dst, "number_of_executions"), `, "execution_count": `...)
	return append(strconv.AppendInt(dst, int64(c.N), 10), "}\n"...)
}

// AppendLine implements Line. A zero Time is left out.
func (o Output) AppendLine(dst []byte) []byte {
	dst = field(open(dst, o.Name), "text", o.Text)
	if !o.Time.IsZero() {
		dst = appendTime(append(dst, `, "timestamp": `...), o.Time)
	}
	return append(dst, "}\n"...)
}

// AppendLine implements Line.
func (e Error) AppendLine(dst []byte) []byte {
	dst = field(open(dst, "error"), "name", e.Name)
	return append(field(field(dst, "value", e.Value), "traceback", e.Traceback), "}\n"...)
}

// AppendLine implements Line.
func (Keepalive) AppendLine(dst []byte) []byte { return append(open(dst, "keepalive"), "}\n"...) }

// AppendLine implements Line.
func (End) AppendLine(dst []byte) []byte { return append(open(dst, "end_of_execution"), "}\n"...) }

// AppendLine implements Line.
func (u Unknown) AppendLine(dst []byte) []byte { return append(AppendValue(dst, u.Raw), '\n') }
