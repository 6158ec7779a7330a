package batch

import (
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// AppendE2B writes the record as an execution of E2B's SDKs is written: results by the names
// of their formats, logs, error with its traceback as one text. How the run ended, where not
// by itself, is its error.
func (r *Record) AppendE2B(dst []byte) []byte {
	dst = append(dst, `{"results": [`...)
	for i, x := range r.results {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = wire.ResultOf(x.data, x.main).AppendJSON(dst)
	}
	dst = append(dst, `], "logs": {"stdout": [`...)
	dst = append(appendLog(dst, &r.stdout), `], "stderr": [`...)
	dst = append(appendLog(dst, &r.stderr), `]}, "error": `...)
	dst = r.appendE2BError(dst)
	if dst = append(dst, `, "execution_count": `...); r.count == 0 {
		return append(dst, "null}"...)
	}
	return append(strconv.AppendInt(dst, int64(r.count), 10), '}')
}

func appendLog(dst []byte, text *strings.Builder) []byte {
	if text.Len() == 0 {
		return dst
	}
	return rawjson.AppendString(dst, text.String(), true)
}

func (r *Record) appendE2BError(dst []byte) []byte {
	var name, value, traceback string
	switch {
	case r.failure != nil:
		name, value, traceback = r.failure.Name, r.failure.Value, strings.Join(r.failure.Traceback, "")
	case r.end.Reason == event.Done:
		return append(dst, "null"...)
	default:
		name, value = string(r.end.Reason), r.end.Detail
	}
	dst = rawjson.AppendString(append(dst, `{"name": `...), name, true)
	dst = rawjson.AppendString(append(dst, `, "value": `...), value, true)
	return append(rawjson.AppendString(append(dst, `, "traceback": `...), traceback, true), '}')
}
