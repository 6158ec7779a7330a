package e2b

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// Client speaks to one code interpreter. It may be used from any goroutine. Its errors are
// *kernelclient.Error and *kernelclient.TimeoutError; none of them has a token in it.
type Client struct {
	base, envd      string
	id              string // of the sandbox
	access, traffic string
	request         time.Duration // of connecting and sending; 0 = none
	http            *http.Client
	secrets         []string
}

// NewClient returns a client of the interpreter at Options.URL, or of the one that the
// environment names. It connects to nothing yet.
func NewClient(opt Options) *Client {
	opt = opt.filled()
	return newClient(opt, Sandbox{ID: opt.Sandbox, AccessToken: opt.AccessToken, TrafficToken: opt.TrafficToken}, opt.newHTTP())
}

func newClient(opt Options, box Sandbox, conn *http.Client) *Client {
	c := &Client{id: box.ID, access: box.AccessToken, traffic: box.TrafficToken, request: max(opt.RequestTimeout, 0), http: conn}
	if c.id == "" {
		c.id = DebugID
	}
	c.base, c.envd = opt.place(c.id, opt.Domain)
	if box.Domain != "" {
		c.base, c.envd = opt.place(c.id, box.Domain)
	}
	c.secrets = []string{opt.APIKey, c.access, c.traffic}
	return c
}

// Close lets go of connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// ID is the sandbox's id.
func (c *Client) ID() string { return c.id }

// newRequest is a call of the interpreter with the headers that route and allow it.
func (c *Client) newRequest(ctx context.Context, method, address string, port int, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		text, err := wire.Encode(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, r)
	if err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Invalid, What: "the interpreter's address is not a URL"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(wire.HeaderSandbox, c.id)
	req.Header.Set(wire.HeaderPort, strconv.Itoa(port))
	if c.traffic != "" && port != wire.PortEnvd {
		req.Header.Set(wire.HeaderTraffic, c.traffic)
	}
	return req, nil
}

// limited is ctx with the clock of one request.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, clockError(limit))
}

func clockError(limit time.Duration) error {
	return &kernelclient.TimeoutError{Clock: kernelclient.Connecting, Limit: limit, Setting: "--request-timeout"}
}

func (c *Client) unreachable() string {
	return "the code interpreter at " + c.base + " cannot be reached"
}

// call makes one of the short calls. what says what it is for, should it fail.
func (c *Client) call(ctx context.Context, what, method, path string, body, out any) error {
	ctx, cancel := limited(ctx, c.request)
	defer cancel()
	req, err := c.newRequest(ctx, method, c.base+path, wire.PortInterpreter, body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return sendError(ctx, c.unreachable(), err, c.secrets)
	}
	defer resp.Body.Close()
	return decode(ctx, what, resp, out, c.secrets)
}

// decode reads an answer into out, nil for one whose body counts for nothing.
func decode(ctx context.Context, what string, resp *http.Response, out any, secrets []string) error {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return refusal(resp, secrets).asError(what)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return sendError(ctx, what, err, secrets)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		e := &edgeError{Status: resp.StatusCode, Page: true}
		return e.asError(what)
	}
	return nil
}

// Health asks whether the interpreter is there. It answers also while its kernels are not.
func (c *Client) Health(ctx context.Context) error {
	var ok string
	return c.call(ctx, "the code interpreter cannot be reached", http.MethodGet, "/health", nil, &ok)
}

// Contexts lists the interpreter's contexts in the order they were made.
func (c *Client) Contexts(ctx context.Context) ([]wire.Context, error) {
	var list []wire.Context
	err := c.call(ctx, "the contexts cannot be listed", http.MethodGet, "/contexts", nil, &list)
	return list, err
}

// Create makes a context. A folder that does not exist is no error there.
func (c *Client) Create(ctx context.Context, r wire.ContextRequest) (wire.Context, error) {
	var made wire.Context
	err := c.call(ctx, fmt.Sprintf("no %s context could be made", wire.Language(r.Language)), http.MethodPost, "/contexts", r, &made)
	if err == nil && made.ID == "" {
		err = &kernelclient.Error{Kind: kernelclient.Protocol, What: "the code interpreter made a context without an id"}
	}
	return made, err
}

// Restart gives a context a new kernel under the same id. It begins in the sandbox's home folder.
func (c *Client) Restart(ctx context.Context, id string) error {
	return c.call(ctx, "the context cannot be restarted", http.MethodPost, "/contexts/"+url.PathEscape(id)+"/restart", nil, nil)
}

// Remove ends a context.
func (c *Client) Remove(ctx context.Context, id string) error {
	return c.call(ctx, "the context cannot be removed", http.MethodDelete, "/contexts/"+url.PathEscape(id), nil, nil)
}

// Execute hands code over and returns the stream of what it does. Ending ctx, or closing
// the stream, interrupts the code. The request's clock stops when the answer begins.
func (c *Client) Execute(ctx context.Context, x wire.Execution) (*Stream, error) {
	const what = "the code could not be handed over"
	if x.ContextID != "" && x.Language != "" {
		return nil, &kernelclient.Error{Kind: kernelclient.Invalid, What: "code runs in a context or by its language, not both"}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := c.newRequest(ctx, http.MethodPost, c.base+"/execute", wire.PortInterpreter, x)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if c.access != "" {
		req.Header.Set(wire.HeaderAccess, c.access)
	}
	if c.request > 0 {
		timer := time.AfterFunc(c.request, func() { cancel(clockError(c.request)) })
		defer timer.Stop()
	}
	resp, err := c.http.Do(req)
	if err != nil {
		err = sendError(ctx, c.unreachable(), err, c.secrets)
		cancel(nil)
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		err := refusal(resp, c.secrets).asError(what)
		cancel(nil)
		_ = resp.Body.Close()
		return nil, err
	}
	return &Stream{ctx: ctx, cancel: cancel, body: resp.Body, lines: wire.NewReader(resp.Body), secrets: c.secrets}, nil
}

// Stream is what an execution does, line by line. Close may be called from any goroutine.
type Stream struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	body    io.ReadCloser
	lines   *wire.Reader
	secrets []string
}

// Next waits for the next line. io.EOF comes behind the last one: where that was no
// wire.End, the execution's end was not seen. What is no line of an interpreter is of the
// kind Protocol, a connection that broke of the kind Disconnect.
func (s *Stream) Next() (wire.Line, error) {
	line, err := s.lines.Next()
	var bad *wire.BadLineError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return line, err
	case errors.As(err, &bad):
		text := redact(string(bad.Text[:min(len(bad.Text), wordLimit)]), s.secrets)
		return nil, &kernelclient.Error{Kind: kernelclient.Protocol, What: "the stream has a line that is not the code interpreter's", Err: errors.New(shorten(text))}
	}
	return nil, sendError(s.ctx, "the connection to the sandbox broke", err, s.secrets)
}

// Close ends the stream; code that still runs is interrupted.
func (s *Stream) Close() error {
	s.cancel(nil)
	return s.body.Close()
}

// drain reads what is left behind the last line, for a moment: a connection that was read
// to its end is used again.
func (s *Stream) drain() {
	timer := time.AfterFunc(100*time.Millisecond, func() { s.cancel(nil) })
	defer timer.Stop()
	_, _ = s.lines.Next()
}
