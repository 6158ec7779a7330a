package e2bface

import (
	"net/http"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

const (
	// pulse is after how much silence a stream says that it is alive.
	pulse = 5 * time.Second
	// patience is how long a client may not read.
	patience = 2 * time.Minute
)

// lines writes the stream of one execution. A client that is gone is an error once; what
// follows is dropped.
type lines struct {
	w       http.ResponseWriter
	control *http.ResponseController
	notice  string // to be told on stderr once the code runs
	failed  bool   // the stream has its error
	gone    bool
}

func newLines(w http.ResponseWriter) *lines {
	w.Header()["Content-Type"] = nil // else one is guessed
	w.WriteHeader(http.StatusOK)
	l := &lines{w: w, control: http.NewResponseController(w)}
	l.gone = l.control.Flush() != nil
	return l
}

func (l *lines) write(line wire.Line) {
	if l.gone {
		return
	}
	_ = l.control.SetWriteDeadline(time.Now().Add(patience)) // not every writer of a test has one
	_, err := l.w.Write(line.AppendLine(nil))
	if err == nil {
		err = l.control.Flush()
	}
	l.gone = err != nil
}

// fail writes an error that is made here.
func (l *lines) fail(name, value string) { l.write(wire.Error{Name: name, Value: value}) }

// cut breaks the connection, as the end of a machine does.
func (l *lines) cut() {
	l.gone = true
	if conn, _, err := l.control.Hijack(); err == nil {
		_ = conn.Close() // that is all it is for
	}
}

// lost is the end of an execution whose kernel was taken away.
func (l *lines) lost() {
	l.fail(wire.WebSocketError, wire.LostValue)
	l.fail(wire.UnexpectedEnd, wire.UnexpectedText)
	l.write(wire.End{})
}

// died is the end of one whose kernel ended by itself.
func (l *lines) died() {
	l.fail(wire.ContextRestarting, wire.RestartedValue)
	l.write(wire.End{})
}

// event writes what an event says, and tells whether it said anything.
func (l *lines) event(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.Started:
		l.write(wire.Count{N: b.Count})
		l.tellNotice(e.Time)
	case event.Stream:
		if b.Name != "stdout" && b.Name != "stderr" {
			return false
		}
		l.write(wire.Output{Name: b.Name, Text: b.Text, Time: e.Time})
	case event.Display:
		l.write(resultOf(b.Data, false))
	case event.Result:
		l.write(resultOf(b.Data, true))
	case event.Error:
		if l.failed {
			return false
		}
		l.failed = true
		text := ""
		for _, part := range b.Traceback {
			text += part
		}
		l.write(wire.Error{Name: b.Name, Value: b.Value, Traceback: text})
	default:
		return false
	}
	return true
}

// resultOf is a bundle as a line has it: its text without the quotes of a repr.
func resultOf(b mime.Bundle, main bool) wire.Result {
	r := wire.ResultOf(b, main)
	if r.Text.Kind() == rawjson.String {
		r.Text = rawjson.Quote(wire.Unquoted(r.Text.Str()))
	}
	return r
}

func (l *lines) tellNotice(at time.Time) {
	if l.notice != "" {
		l.write(wire.Output{Name: "stderr", Text: l.notice, Time: at})
		l.notice = ""
	}
}

// end writes how an execution ended.
func (l *lines) end(e event.Ended) {
	switch e.Reason {
	case event.Died, event.Cancelled:
		l.died()
		return
	case event.Restarted, event.Lost:
		l.lost()
		return
	case event.Failed:
		if !l.failed {
			l.fail(wire.ExecutionAborted, wire.AbortedValue)
		}
	default:
	}
	l.write(wire.End{})
}
