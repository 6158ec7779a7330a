package batch

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Record is everything one execution gave, for `nbterm exec --json`. It is complete as far
// as the run got, whatever its end.
type Record struct {
	results        []result
	stdout, stderr strings.Builder
	failure        *event.Error
	count          int
	end            event.Ended
	elapsed        time.Duration
}

type result struct {
	main     bool
	data     mime.Bundle
	metadata rawjson.Value
	id       string // display_id
}

func (r *Record) add(e event.Event) {
	if _, update := e.Body.(event.Update); e.Exec == "" && !update {
		return // the kernel's own log, another client's output
	}
	switch b := e.Body.(type) {
	case event.Stream:
		if b.Name == "stderr" {
			r.stderr.WriteString(b.Text)
		} else {
			r.stdout.WriteString(b.Text)
		}
	case event.Started:
		r.count = b.Count
	case event.Result:
		r.results = append(r.results, result{true, b.Data, b.Metadata, ""})
	case event.Display:
		r.results = append(r.results, result{false, b.Data, b.Metadata, b.ID})
	case event.Update:
		for i, x := range r.results {
			if x.id == b.ID {
				r.results[i] = result{x.main, b.Data, b.Metadata, x.id}
			}
		}
	case event.Error:
		r.failure = &b
	}
}

// finish takes the run's end, nil where it was stopped before, and why the kernel is dead, if it is.
func (r *Record) finish(end *event.Ended, dead error, elapsed time.Duration) {
	r.elapsed = elapsed
	switch {
	case dead != nil && (end == nil || end.Reason == event.Cancelled): // it never ran, for this reason
		end = &event.Ended{Reason: event.Died, Detail: dead.Error()}
		var timeout *kernelclient.TimeoutError
		if errors.As(dead, &timeout) {
			end.Reason = event.TimedOut
		}
	case end == nil:
		end = &event.Ended{Reason: event.Died, Detail: "stopped by the user"}
	}
	r.end = *end
	if end.Count != 0 {
		r.count = end.Count
	}
}

// AppendJSON writes the record as one line of JSON, without the line's end.
func (r *Record) AppendJSON(dst []byte) []byte {
	str := func(s string) { dst = rawjson.AppendString(dst, s, false) }
	dst = append(dst, `{"version":1,"text":`...)
	if text, ok := r.text(); ok {
		str(text)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"results":[`...)
	for i, x := range r.results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"main":`...)
		dst = strconv.AppendBool(dst, x.main)
		dst = append(dst, `,"data":`...)
		dst = event.AppendBundle(dst, x.data)
		dst = append(dst, `,"metadata":`...)
		if x.metadata == nil {
			x.metadata = rawjson.Value("{}")
		}
		dst = append(append(dst, x.metadata...), '}')
	}
	dst = append(dst, `],"stdout":`...)
	str(r.stdout.String())
	dst = append(dst, `,"stderr":`...)
	str(r.stderr.String())
	dst = append(dst, `,"error":`...)
	dst = r.appendError(dst)
	dst = append(dst, `,"execution_count":`...)
	if r.count == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, int64(r.count), 10)
	}
	dst = append(dst, `,"end":{"reason":`...)
	str(string(r.end.Reason))
	dst = append(dst, `,"detail":`...)
	str(r.end.Detail)
	dst = append(dst, `},"elapsed_ms":`...)
	dst = strconv.AppendInt(dst, r.elapsed.Milliseconds(), 10)
	return append(dst, '}')
}

// text is the plain text of the main result.
func (r *Record) text() (string, bool) {
	for _, x := range r.results {
		if x.main {
			return x.data.Plain()
		}
	}
	return "", false
}

func (r *Record) appendError(dst []byte) []byte {
	if r.failure == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"name":`...)
	dst = rawjson.AppendString(dst, r.failure.Name, false)
	dst = append(dst, `,"value":`...)
	dst = rawjson.AppendString(dst, r.failure.Value, false)
	dst = append(dst, `,"traceback":[`...)
	for i, line := range r.failure.Traceback {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, line, false)
	}
	return append(dst, "]}"...)
}
