package event

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// ErrForeign says that a line is JSON but no event that this version knows: it may be of
// a later one, and a reader goes on behind it.
var ErrForeign = errors.New("an event of a type that is not known here")

// ParseJSON reads what AppendJSON wrote, without its line's end. Values in the event share
// the memory of line. Fields that are missing are empty; a line that is no JSON object is
// an error, and a type that is not known is ErrForeign.
func ParseJSON(line []byte) (Event, error) {
	v, err := rawjson.Parse(line)
	if err != nil {
		return Event{}, fmt.Errorf("event: %w", err)
	}
	if v.Kind() != rawjson.Object {
		return Event{}, errors.New("event: not a JSON object")
	}
	f := fields{}
	v.Members(func(k string, val rawjson.Value) { f[k] = val })
	e := Event{Exec: ExecID(f.str("exec")), Late: f["late"].True()}
	if e.Seq, err = strconv.ParseUint(string(f["seq"]), 10, 64); err != nil {
		return Event{}, fmt.Errorf("event: seq: %w", err)
	}
	if e.Time, err = time.Parse(time.RFC3339Nano, f.str("time")); err != nil {
		return Event{}, fmt.Errorf("event: time: %w", err)
	}
	if e.Body = f.output(); e.Body == nil {
		e.Body = f.life()
	}
	if e.Body == nil {
		return e, fmt.Errorf("%w: %.40q", ErrForeign, f.str("type"))
	}
	return e, nil
}

// fields are the members of an event's object.
type fields map[string]rawjson.Value

func (f fields) str(k string) string { return f[k].Str() }

func (f fields) num(k string) int {
	n, _ := f[k].Int()
	return n
}

func (f fields) limit(k string) time.Duration {
	d, _ := time.ParseDuration(f.str(k)) // what is no duration is none
	return max(d, 0)
}

func (f fields) list(k string) (out []string) {
	for _, v := range f[k].Elements() {
		out = append(out, v.Str())
	}
	return out
}

// value is a raw value; {} stands for none.
func (f fields) value(k string) rawjson.Value {
	if v := f[k]; !bytes.Equal(v, []byte("{}")) {
		return v
	}
	return nil
}

// output is the body of an output or of a run's course, nil for others.
func (f fields) output() Body {
	data, metadata := mime.ReadBundle(f["data"]), f.value("metadata")
	switch f.str("type") {
	case "queued":
		return Queued{
			Cell: CellKey(f.str("cell")), Code: f.str("code"), Language: f.str("language"), Group: f.str("group"), GoOn: f["go_on"].True(),
			AllowStdin: f["allow_stdin"].True(), Timeout: f.limit("timeout"), Silence: f.limit("silence"),
		}
	case "accepted":
		return Accepted{}
	case "started":
		return Started{Count: f.num("execution_count")}
	case "stream":
		return Stream{Name: f.str("name"), Text: f.str("text")}
	case "result":
		return Result{Count: f.num("execution_count"), Data: data, Metadata: metadata}
	case "display":
		return Display{ID: f.str("display_id"), Data: data, Metadata: metadata}
	case "update":
		return Update{ID: f.str("display_id"), Data: data, Metadata: metadata}
	case "clear":
		return Clear{Wait: f["wait"].True()}
	case "error":
		return Error{Name: f.str("name"), Value: f.str("value"), Traceback: f.list("traceback")}
	case "ended":
		return Ended{Reason: Reason(f.str("reason")), Detail: f.str("detail"), Count: f.num("execution_count")}
	}
	return nil
}

// life is the body of what is not output, nil for an unknown type.
func (f fields) life() Body {
	switch f.str("type") {
	case "input_request":
		return InputRequest{ID: InputID(f.str("input")), Prompt: f.str("prompt"), Password: f["password"].True()}
	case "input_closed":
		return InputClosed{ID: InputID(f.str("input"))}
	case "payload":
		return Payload{Source: f.str("source"), Data: f.value("payload")}
	case "state":
		return State{State: KernelState(f.str("state")), Generation: f.num("generation"), Detail: f.str("detail")}
	case "gap":
		return Gap{Detail: f.str("detail")}
	case "joined":
		return Joined{Epoch: f.str("epoch")}
	case "unknown":
		return Unknown{Type: f.str("message"), Content: f.value("content")}
	}
	return nil
}
