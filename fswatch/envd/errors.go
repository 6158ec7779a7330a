package envd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
)

// kindOfCode is what a Connect code means to callers.
func kindOfCode(code connect.Code, text string) fswatch.Kind {
	switch code {
	case connect.CodeNotFound:
		return fswatch.NotFound
	case connect.CodeAlreadyExists:
		return fswatch.Exists
	case connect.CodeInvalidArgument, connect.CodeOutOfRange, connect.CodeFailedPrecondition:
		return fswatch.Invalid
	case connect.CodeUnauthenticated:
		return fswatch.Unauthenticated
	case connect.CodePermissionDenied:
		return fswatch.Permission
	case connect.CodeResourceExhausted:
		return fswatch.RateLimited
	case connect.CodeUnimplemented:
		return fswatch.Unsupported
	case connect.CodeUnavailable, connect.CodeAborted:
		return fswatch.Disconnect
	default:
		return kindOfText(text)
	}
}

// kindOfText reads what the other system said: envd gives all that one code.
func kindOfText(text string) fswatch.Kind {
	text = strings.TrimSpace(text)
	for _, t := range []struct {
		end  string
		kind fswatch.Kind
	}{
		{"permission denied", fswatch.Permission},
		{"operation not permitted", fswatch.Permission},
		{"read-only file system", fswatch.Permission},
		{"file exists", fswatch.Exists},
		{"not a directory", fswatch.Invalid},
		{"is a directory", fswatch.Invalid},
		{"invalid argument", fswatch.Invalid},
		{"file name too long", fswatch.Invalid},
		{"too many levels of symbolic links", fswatch.Invalid},
		{"invalid cross-device link", fswatch.Unsupported},
		{"no space left on device", fswatch.NoSpace},
		{"disk quota exceeded", fswatch.NoSpace},
		{"incomplete envelope: unexpected EOF", fswatch.Disconnect},
	} {
		if strings.HasSuffix(text, t.end) {
			return t.kind
		}
	}
	return fswatch.Failed
}

// kindOfStatus is what a status of /files means.
func kindOfStatus(status int, text string) fswatch.Kind {
	switch status {
	case http.StatusBadRequest, http.StatusRequestedRangeNotSatisfiable:
		return fswatch.Invalid
	case http.StatusUnauthorized:
		return fswatch.Unauthenticated
	case http.StatusForbidden:
		return fswatch.Permission
	case http.StatusNotFound:
		return fswatch.NotFound
	case http.StatusTooManyRequests:
		return fswatch.RateLimited
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fswatch.Disconnect
	case http.StatusInsufficientStorage:
		return fswatch.NoSpace
	}
	return kindOfText(text)
}

// refused makes a typed error of what a Connect call returned. what says what was tried.
func refused(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if e := known(ctx, err); e != nil {
		return e
	}
	var ce *connect.Error
	if !errors.As(err, &ce) {
		return lost(what, err)
	}
	if !connect.IsWireError(err) {
		switch ce.Code() { // made here from the HTTP status, or by the connection
		case connect.CodeUnauthenticated, connect.CodePermissionDenied, connect.CodeUnimplemented:
		case connect.CodeInvalidArgument:
			return &fswatch.Error{Kind: fswatch.Protocol, What: what, Err: ce.Unwrap()}
		default:
			return lost(what, ce.Unwrap())
		}
	}
	e := &fswatch.Error{Kind: kindOfCode(ce.Code(), ce.Message()), What: what, Err: errors.New(ce.Message())}
	e.After = retryAfter(ce.Meta().Get("Retry-After"))
	return hinted(e)
}

// known is an error that says itself what it is: a clock's, the caller's, one of ours.
func known(ctx context.Context, err error) error {
	var late *fswatch.TimeoutError
	var own *fswatch.Error
	switch {
	case errors.As(err, &late):
		return late
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own):
		return own
	}
	return nil
}

// lost is the error of a connection. The address is left out of it: a signed one is a key.
func lost(what string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return hinted(&fswatch.Error{Kind: fswatch.Disconnect, What: what, Err: err})
}

// hinted says what can be done about an error.
func hinted(e *fswatch.Error) *fswatch.Error {
	if e.Kind == fswatch.Unauthenticated {
		e.Next = "check the access token and the user"
	}
	if e.Kind == fswatch.Disconnect {
		e.Next = "see that the sandbox runs and can be reached"
	}
	return e
}

// retryAfter is the seconds of such a header.
func retryAfter(header string) time.Duration {
	n, err := strconv.Atoi(header)
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// answerError makes a typed error of an answer of /files that is none of success.
func answerError(what string, r *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10)) // what there is of it
	var said struct {
		Message string `json:"message"`
	}
	text := strings.TrimSpace(string(data))
	if json.Unmarshal(data, &said) == nil && said.Message != "" {
		text = said.Message
	}
	if text == "" {
		text = r.Status
	}
	e := &fswatch.Error{Kind: kindOfStatus(r.StatusCode, text), What: what, Err: errors.New(text)}
	e.After = retryAfter(r.Header.Get("Retry-After"))
	return hinted(e)
}

func invalid(path fswatch.Path, why string) error {
	return &fswatch.Error{Kind: fswatch.Invalid, What: fmt.Sprintf("%q %s", path, why)}
}
