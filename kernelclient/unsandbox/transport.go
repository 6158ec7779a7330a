package unsandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// maxAnswer bounds one answer, in bytes.
const maxAnswer = 64 << 20

// The limits of one request where nobody set one.
const (
	limitSubmit = 30 * time.Second
	limitOther  = 120 * time.Second
)

// call is one request to be made, and made again with another signature.
type call struct {
	method, path, query string
	body                []byte
	kind                string        // the body's type, "" is JSON
	limit               time.Duration // 0 is limitOther
	open                bool          // it goes without a signature
	otp, challenge      string        // the answer to a sudo challenge
}

// answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do makes a call. An answer that is no success is an *APIError.
func (c *Client) do(ctx context.Context, r call) (answer, error) {
	a, err := c.once(ctx, r, false)
	if r.query != "" && isStatus(err, http.StatusUnauthorized) {
		// Whether the query is signed too is not written down anywhere.
		if again, err := c.once(ctx, r, true); err == nil {
			return again, nil
		}
	}
	if isStatus(err, http.StatusPreconditionRequired) && r.challenge == "" {
		return c.challenged(ctx, r, err)
	}
	return a, err
}

// idempotent is do for what may be sent twice: a connection that failed is tried once more.
func (c *Client) idempotent(ctx context.Context, r call) (answer, error) {
	a, err := c.do(ctx, r)
	if errors.Is(err, kernelclient.Disconnect) && !isAnswer(err) && ctx.Err() == nil {
		return c.do(ctx, r)
	}
	return a, err
}

// challenged asks for the code that was mailed and makes the call with it.
func (c *Client) challenged(ctx context.Context, r call, refused error) (answer, error) {
	var e *APIError
	if !errors.As(refused, &e) || e.Challenge == "" || c.opt.OTP == nil {
		return answer{}, refused
	}
	code, err := c.opt.OTP(ctx)
	if err != nil {
		return answer{}, err
	}
	if code == "" {
		return answer{}, &kernelclient.Error{Kind: kernelclient.Permission, What: "cancelled: no code was given"}
	}
	r.otp, r.challenge = code, e.Challenge
	return c.do(ctx, r)
}

func (c *Client) once(ctx context.Context, r call, signQuery bool) (answer, error) {
	limit := r.limit
	if limit == 0 {
		limit = limitOther
	}
	if t := c.opt.RequestTimeout; t > 0 {
		limit = t
	}
	late := &kernelclient.TimeoutError{Clock: kernelclient.Connecting, Limit: limit, Setting: "--request-timeout"}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	req, creds, err := c.request(ctx, r, signQuery)
	if err != nil {
		return answer{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer{}, c.unreachable(ctx, err)
	case len(body) > maxAnswer:
		return answer{}, &kernelclient.Error{Kind: kernelclient.Protocol, What: fmt.Sprintf("the answer of Unsandbox is longer than %d MiB", maxAnswer>>20)}
	}
	a := answer{resp.StatusCode, resp.Header, body}
	if a.status < 200 || a.status > 299 {
		return a, c.refused(r, a, creds)
	}
	return a, nil
}

// request builds and signs a request.
func (c *Client) request(ctx context.Context, r call, signQuery bool) (*http.Request, Credentials, error) {
	u := *c.base
	u.Path, u.RawQuery = c.base.Path+r.path, r.query
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, Credentials{}, fmt.Errorf("a request to Unsandbox could not be made: %w", err)
	}
	req.Header.Set("User-Agent", "nbterm/"+c.opt.Version)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
		if r.kind != "" {
			req.Header.Set("Content-Type", r.kind)
		}
	}
	if r.open {
		return req, Credentials{}, nil
	}
	creds, err := c.Credentials()
	if err != nil {
		return nil, creds, err
	}
	path := u.EscapedPath()
	if signQuery {
		path += "?" + r.query
	}
	c.sign(req.Header, creds, r.method, path, r.body)
	if r.challenge != "" {
		req.Header.Set("X-Sudo-OTP", r.otp)
		req.Header.Set("X-Sudo-Challenge", r.challenge)
	}
	return req, creds, nil
}

// sign puts the three headers of a signed request into h.
func (c *Client) sign(h http.Header, creds Credentials, method, path string, body []byte) {
	timestamp := strconv.FormatInt(c.now().Unix(), 10)
	h.Set("Authorization", "Bearer "+creds.Public)
	h.Set("X-Timestamp", timestamp)
	h.Set("X-Signature", Sign(creds.Secret, timestamp, method, path, body))
}

// unreachable is the error of a request that got no whole answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection to " + c.base.Host + " was lost", Err: plain(err)}
	var op *net.OpError
	var name *net.DNSError
	if errors.As(err, &name) || errors.As(err, &op) && op.Op == "dial" {
		e.What, e.Err = c.base.Host+" cannot be reached", notSent{plain(err)}
		e.Next = "check the network, or " + EnvURL
	}
	return e
}

// notSent marks the error of a request for which no connection was made.
type notSent struct{ error }

// Unwrap returns the cause.
func (n notSent) Unwrap() error { return n.error }

// unsent tells whether nothing of a request can have reached the server.
func unsent(err error) bool {
	var n notSent
	return errors.As(err, &n)
}

// plain is the innermost error that says something: the others repeat method and address.
func plain(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// newID is a random id of ours.
func newID() string { return rand.Text() }
