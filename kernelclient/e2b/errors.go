package e2b

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

	"github.com/nbterm/nbterm/kernelclient"
)

// errorLimit is how much of an error's body is read, and wordLimit how much of it is told.
const (
	errorLimit = 64 << 10
	wordLimit  = 400
)

// edgeError is an answer that is no success. Its Error tells what the server said.
type edgeError struct {
	Status int
	Text   string // of the body, in one line; "" for a web page
	Page   bool   // it was a web page, as of a gateway or a sign-in
	retry  time.Duration
}

func (e *edgeError) Error() string {
	switch {
	case e.Page:
		return fmt.Sprintf("status %d with a web page: this is not a code interpreter's answer", e.Status)
	case e.Text == "":
		return fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("status %d: %s", e.Status, e.Text)
}

// refusal reads an answer that is no success. secrets are taken out of what it says.
func refusal(resp *http.Response, secrets []string) *edgeError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, errorLimit))
	e := &edgeError{Status: resp.StatusCode, retry: retryAfter(resp.Header.Get("Retry-After"))}
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(text, "<") {
		e.Page = true
		return e
	}
	e.Text = shorten(redact(plainText(text), secrets))
	return e
}

// plainText is the message in a JSON error, else the text itself.
func plainText(text string) string {
	if at := strings.IndexByte(text, '{'); at >= 0 {
		var body struct {
			Message string `json:"message"`
			Detail  []struct {
				Loc []any  `json:"loc"`
				Msg string `json:"msg"`
			} `json:"detail"`
		}
		if json.Unmarshal([]byte(text[at:]), &body) == nil {
			switch {
			case body.Message != "":
				return text[:at] + body.Message
			case len(body.Detail) > 0:
				return fmt.Sprintf("%v: %s", body.Detail[0].Loc, body.Detail[0].Msg)
			}
		}
	}
	return text
}

func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > wordLimit {
		return string(r[:wordLimit]) + "…"
	}
	return text
}

// redact takes secrets out of a text.
func redact(text string, secrets []string) string {
	for _, s := range secrets {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return text
}

func retryAfter(header string) time.Duration {
	if n, err := strconv.Atoi(header); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(header); err == nil {
		return max(time.Until(t), 0)
	}
	return 0
}

// asError is what is told of a refusal: what says what was tried.
func (e *edgeError) asError(what string) error {
	out := &kernelclient.Error{What: what, Err: e, Kind: kernelclient.Protocol, RetryAfter: e.retry}
	lower := strings.ToLower(e.Text)
	switch {
	case e.Page:
	case e.Status == http.StatusUnauthorized:
		out.Kind, out.Next = kernelclient.Unauthenticated, "check the API key (E2B_API_KEY)"
	case e.Status == http.StatusForbidden && strings.Contains(lower, "token"):
		out.Kind, out.Next = kernelclient.Unauthenticated, "give the sandbox's traffic access token (--token-file)"
	case e.Status == http.StatusForbidden:
		out.Kind = kernelclient.Forbidden
	case e.Status == http.StatusNotFound, strings.Contains(lower, "kernel is not available"):
		out.Kind = kernelclient.NotFound
	case e.Status == http.StatusBadRequest, e.Status == http.StatusUnprocessableEntity:
		out.Kind = kernelclient.Invalid
	case e.Status == http.StatusTooManyRequests:
		out.Kind = kernelclient.RateLimited
	case e.Status == http.StatusConflict, e.Status == http.StatusBadGateway, e.Status == http.StatusServiceUnavailable, e.Status == http.StatusGatewayTimeout:
		out.Kind, out.Next = kernelclient.Disconnect, "try again"
	}
	return out
}

// sendError is what is told of a request that got no answer.
func sendError(ctx context.Context, what string, err error, secrets []string) error {
	if ctx.Err() != nil {
		var clock *kernelclient.TimeoutError
		var told *kernelclient.Error
		if cause := context.Cause(ctx); errors.As(cause, &clock) || errors.As(cause, &told) {
			return cause
		}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // its URL may hold what nobody should read
		err = wrapped.Err
	}
	return &kernelclient.Error{
		Kind: kernelclient.Disconnect, What: what, Err: &plainError{redact(err.Error(), secrets), err},
		Next: "check the address, and that the service runs",
	}
}

// plainError is an error in other words.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }

func (e *plainError) Unwrap() error { return e.err }
