package unsandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nbterm/nbterm/kernelclient"
)

// APIError is an answer that is no success. Its kind, words and next step are those of the
// kernelclient.Error that it wraps.
type APIError struct {
	Status        int
	Code          string // the service's own word, such as "rate_limit_exceeded"
	Message       string // its sentence, or the beginning of what is no JSON
	Active, Limit int    // executions, of "concurrency_limit_reached"
	RetryAfter    time.Duration
	Skew          time.Duration // how far the server's clock is ahead of ours, of a 401 about timestamps
	Challenge     string        // of a 428: what a code was mailed for

	err *kernelclient.Error
}

func (e *APIError) Error() string { return e.err.Error() }

// Unwrap returns the kernelclient.Error.
func (e *APIError) Unwrap() error { return e.err }

// isAnswer tells whether the server has answered at all.
func isAnswer(err error) bool {
	var e *APIError
	return errors.As(err, &e)
}

// isStatus tells whether err is an answer with one of these statuses.
func isStatus(err error, statuses ...int) bool {
	var e *APIError
	if !errors.As(err, &e) {
		return false
	}
	for _, s := range statuses {
		if e.Status == s {
			return true
		}
	}
	return false
}

// The service's words for the two limits.
const (
	codeRate        = "rate_limit_exceeded"
	codeConcurrency = "concurrency_limit_reached"
)

// refused makes the error of an answer.
func (c *Client) refused(r call, a answer, creds Credentials) error {
	e := &APIError{Status: a.status, RetryAfter: retryAfter(a.header.Get("Retry-After"), c.now())}
	e.read(a.body)
	what := fmt.Sprintf("Unsandbox answered %d %s to %s %s", a.status, strings.ToLower(http.StatusText(a.status)), r.method, r.path)
	if a.status >= 300 && a.status < 400 {
		what += ": it sends us elsewhere, which a signed request cannot follow"
	} else if said := e.said(); said != "" {
		what += ": " + said
	}
	e.err = &kernelclient.Error{Kind: e.kind(), What: what, Next: e.next()}
	switch {
	case a.status == http.StatusUnauthorized:
		e.unauthenticated(a, creds, c.now())
	case a.status == http.StatusTooManyRequests && (e.Code == codeConcurrency || e.Limit > 0):
		e.err.What = fmt.Sprintf("%d of %d executions of the account are active", e.Active, e.Limit)
		e.err.Next = "wait for one to end, or `nbterm unsandbox jobs` and `nbterm unsandbox cancel ID`"
	}
	return e
}

// unauthenticated words a 401: whose keys they were, or that the clock is wrong.
func (e *APIError) unauthenticated(a answer, creds Credentials, now time.Time) {
	if !strings.Contains(strings.ToLower(string(a.body)), "timestamp") {
		e.err.What = fmt.Sprintf("Unsandbox does not take the %s", creds)
		e.err.Next = "`nbterm unsandbox keys` says more about it"
		return
	}
	e.err.What, e.err.Next = "Unsandbox refuses the time of the request", "set this machine's clock (NTP)"
	if date, err := http.ParseTime(a.header.Get("Date")); err == nil {
		e.Skew = date.Sub(now).Round(time.Second)
		e.err.What = fmt.Sprintf("this machine's clock is %d s behind the server", int(e.Skew.Seconds()))
		if e.Skew < 0 {
			e.err.What = fmt.Sprintf("this machine's clock is %d s ahead of the server", -int(e.Skew.Seconds()))
		}
	}
}

// read takes what the body of an error says.
func (e *APIError) read(body []byte) {
	var b struct {
		Error     json.RawMessage `json:"error"`
		Code      json.RawMessage `json:"code"`
		Message   any             `json:"message"`
		Active    lenientInt      `json:"active_executions"`
		Limit     lenientInt      `json:"concurrency_limit"`
		Challenge string          `json:"challenge_id"`
	}
	if json.Unmarshal(body, &b) != nil {
		e.Message = excerpt(body)
		return
	}
	e.Code = cmp.Or(text(b.Error), text(b.Code))
	e.Message, _ = b.Message.(string)
	e.Message = excerpt([]byte(e.Message))
	e.Active, e.Limit, e.Challenge = int(b.Active), int(b.Limit), b.Challenge
}

func (e *APIError) said() string {
	code := excerpt([]byte(e.Code))
	if code != "" && e.Message != "" {
		return code + ", " + e.Message
	}
	return cmp.Or(e.Message, code)
}

func (e *APIError) kind() kernelclient.Kind {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return kernelclient.Invalid
	case http.StatusUnauthorized:
		return kernelclient.Unauthenticated
	case http.StatusForbidden:
		return kernelclient.Forbidden
	case http.StatusNotFound:
		return kernelclient.NotFound
	case http.StatusConflict:
		return kernelclient.Gone
	case http.StatusUpgradeRequired, http.StatusMethodNotAllowed:
		return kernelclient.Unsupported
	case http.StatusPreconditionRequired:
		return kernelclient.Permission
	case http.StatusTooManyRequests:
		return kernelclient.RateLimited
	}
	if e.Status >= 500 {
		return kernelclient.Disconnect
	}
	return kernelclient.Protocol
}

func (e *APIError) next() string {
	switch e.Status {
	case http.StatusForbidden:
		return "the account's plan does not have this"
	case http.StatusConflict:
		return "it does not run now"
	case http.StatusUpgradeRequired:
		return "that address takes a websocket only"
	case http.StatusPreconditionRequired:
		return "a code was mailed to the account's holder; run it on a terminal to type it"
	case http.StatusTooManyRequests:
		return "try again in a while"
	}
	if e.Status >= 500 {
		return "the service has trouble; try again in a while"
	}
	return ""
}

// retryAfter reads the header: seconds or a date; 0 if it says nothing.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(header); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// excerpt is the first 200 printable characters of a text, on one line.
func excerpt(body []byte) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.Join(strings.Fields(string(body)), " ") {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			continue
		}
		if n++; n > 200 {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// notUnderstood is the error of a success that says nothing usable.
func notUnderstood(what string, err error) error {
	return &kernelclient.Error{Kind: kernelclient.Protocol, What: "failed to parse response of Unsandbox to " + what, Err: err}
}
