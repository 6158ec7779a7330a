package event

import (
	"strconv"
	"time"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// AppendJSON writes e as one JSON object on one line, without the line's end: "seq",
// "time", "exec" and "late" where set, "type", and the fields of its body. Readers ignore
// fields they do not know. MIME values stay the JSON they are.
func (e Event) AppendJSON(dst []byte) []byte {
	w := writer{dst}
	w.buf = append(w.buf, '{')
	w.raw("seq", strconv.AppendUint(nil, e.Seq, 10))
	w.str("time", e.Time.UTC().Format(time.RFC3339Nano))
	if e.Exec != "" {
		w.str("exec", string(e.Exec))
	}
	if e.Late {
		w.raw("late", []byte("true"))
	}
	w.body(e.Body)
	return append(w.buf, '}')
}

type writer struct{ buf []byte }

func (w *writer) key(k string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(rawjson.AppendString(w.buf, k, false), ':')
}

func (w *writer) raw(k string, v []byte) {
	w.key(k)
	if v == nil {
		v = []byte("{}")
	}
	w.buf = appendLine(w.buf, v)
}

// appendLine appends a value with the line ends that a sender may have put between its
// tokens as spaces: an event is one line.
func appendLine(dst, v []byte) []byte {
	at := len(dst)
	dst = append(dst, v...)
	for i, c := range dst[at:] {
		if c == '\n' || c == '\r' {
			dst[at+i] = ' '
		}
	}
	return dst
}

func (w *writer) str(k, v string) {
	w.key(k)
	w.buf = rawjson.AppendString(w.buf, v, false)
}

func (w *writer) num(k string, n int) { w.raw(k, strconv.AppendInt(nil, int64(n), 10)) }

func (w *writer) yes(k string, v bool) { w.raw(k, strconv.AppendBool(nil, v)) }

func (w *writer) bundle(data mime.Bundle, metadata rawjson.Value) {
	w.raw("data", AppendBundle(nil, data))
	w.raw("metadata", metadata)
}

// AppendBundle writes a bundle as a JSON object.
func AppendBundle(dst []byte, b mime.Bundle) []byte {
	w := writer{append(dst, '{')}
	for _, e := range b {
		w.raw(e.Type, e.Value)
	}
	return append(w.buf, '}')
}

func (w *writer) body(b Body) {
	switch b := b.(type) {
	case Queued:
		w.str("type", "queued")
		w.str("cell", string(b.Cell))
		w.str("code", b.Code)
		w.request(b)
	case Accepted:
		w.str("type", "accepted")
	case Started:
		w.str("type", "started")
		w.num("execution_count", b.Count)
	case Stream:
		w.str("type", "stream")
		w.str("name", b.Name)
		w.str("text", b.Text)
	case Result:
		w.str("type", "result")
		w.num("execution_count", b.Count)
		w.bundle(b.Data, b.Metadata)
	case Display:
		w.display("display", b.ID, b.Data, b.Metadata)
	case Update:
		w.display("update", b.ID, b.Data, b.Metadata)
	case Clear:
		w.str("type", "clear")
		w.yes("wait", b.Wait)
	case Error:
		w.str("type", "error")
		w.str("name", b.Name)
		w.str("value", b.Value)
		w.list("traceback", b.Traceback)
	default:
		w.life(b)
	}
}

// request writes those settings of a request that are set.
func (w *writer) request(b Queued) {
	if b.Language != "" {
		w.str("language", b.Language)
	}
	if b.Group != "" {
		w.str("group", b.Group)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"go_on", b.GoOn}, {"allow_stdin", b.AllowStdin}} {
		if flag.set {
			w.yes(flag.name, true)
		}
	}
	for _, limit := range []struct {
		name string
		d    time.Duration
	}{{"timeout", b.Timeout}, {"silence", b.Silence}} {
		if limit.d > 0 {
			w.str(limit.name, limit.d.String())
		}
	}
}

func (w *writer) display(typ, id string, data mime.Bundle, metadata rawjson.Value) {
	w.str("type", typ)
	if id != "" {
		w.str("display_id", id)
	}
	w.bundle(data, metadata)
}

func (w *writer) list(k string, lines []string) {
	v := []byte{'['}
	for i, line := range lines {
		if i > 0 {
			v = append(v, ',')
		}
		v = rawjson.AppendString(v, line, false)
	}
	w.raw(k, append(v, ']'))
}

// life writes what is not output.
func (w *writer) life(b Body) {
	switch b := b.(type) {
	case InputRequest:
		w.str("type", "input_request")
		w.str("input", string(b.ID))
		w.str("prompt", b.Prompt)
		w.yes("password", b.Password)
	case InputClosed:
		w.str("type", "input_closed")
		w.str("input", string(b.ID))
	case Payload:
		w.str("type", "payload")
		w.str("source", b.Source)
		w.raw("payload", b.Data)
	case Ended:
		w.str("type", "ended")
		w.str("reason", string(b.Reason))
		w.str("detail", b.Detail)
		w.num("execution_count", b.Count)
	case State:
		w.str("type", "state")
		w.str("state", string(b.State))
		w.num("generation", b.Generation)
		w.str("detail", b.Detail)
	case Gap:
		w.str("type", "gap")
		w.str("detail", b.Detail)
	case Joined:
		w.str("type", "joined")
		w.str("epoch", b.Epoch)
	case Unknown:
		w.str("type", "unknown")
		w.str("message", b.Type)
		w.raw("content", b.Content)
	}
}
