package jupyterface

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient"
)

// maxBody bounds what a request may carry, in bytes: a notebook with its outputs.
const maxBody = 1 << 30

// answer writes a JSON answer.
func answer(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		refuse(w, http.StatusInternalServerError, "the answer cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client is gone
}

// refuse writes an error as Jupyter Server does.
func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"message": message, "reason": nil})
}

// refuseFor refuses a request by what kept it from being served.
func refuseFor(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var file *fswatch.Error
	switch {
	case errors.As(err, &file):
		status = statusOfFile(file.Kind)
	case errors.Is(err, kernelclient.NotFound):
		status = http.StatusNotFound
	case errors.Is(err, errTooMany):
		status = http.StatusTooManyRequests
	}
	refuse(w, status, err.Error())
}

func statusOfFile(kind fswatch.Kind) int {
	switch kind {
	case fswatch.NotFound:
		return http.StatusNotFound
	case fswatch.Exists:
		return http.StatusConflict
	case fswatch.Invalid, fswatch.Unsupported:
		return http.StatusBadRequest
	case fswatch.Permission:
		return http.StatusForbidden
	case fswatch.NoSpace:
		return http.StatusInsufficientStorage
	default:
		return http.StatusInternalServerError
	}
}

// read reads a request's body into v, which may stay as it is where there is none. It
// refuses the request and returns false where that cannot be done.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the request's body cannot be read")
		return false
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return true
	}
	if err := json.Unmarshal(data, v); err != nil {
		refuse(w, http.StatusBadRequest, "Invalid JSON in body of request")
		return false
	}
	return true
}

// stamp writes a time as Jupyter Server does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// cutPath splits off the first element of a path.
func cutPath(path string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first, rest
}
