package e2b

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// Cloud is E2B's control plane, which makes sandboxes and ends them. It may be used from
// any goroutine. Its errors are *kernelclient.Error and *kernelclient.TimeoutError; none of
// them has a key in it.
type Cloud struct {
	opt  Options
	http *http.Client
}

// Sandbox is one sandbox as the control plane tells of it. A list has no tokens.
type Sandbox struct {
	ID           string            `json:"sandboxID"`
	Template     string            `json:"templateID"`
	Alias        string            `json:"alias"` // the template's name
	AccessToken  string            `json:"envdAccessToken"`
	EnvdVersion  string            `json:"envdVersion"`
	TrafficToken string            `json:"trafficAccessToken"`
	Domain       string            `json:"domain"`
	State        string            `json:"state"` // running or paused; "" where it was not told
	Started      time.Time         `json:"startedAt"`
	Ends         time.Time         `json:"endAt"` // zero where it was not told
	Metadata     map[string]string `json:"metadata"`
}

// Paused is the State of a sandbox that sleeps: connecting to it wakes it, with all it had.
const Paused = "paused"

// NewCloud returns a client of the control plane that the options, and the environment
// where they are silent, name. It connects to nothing yet.
func NewCloud(opt Options) *Cloud {
	opt = opt.filled()
	return &Cloud{opt, opt.newHTTP()}
}

// Close lets go of connections that are not in use.
func (c *Cloud) Close() { c.http.CloseIdleConnections() }

// newSandbox is the body of a creation.
type newSandbox struct {
	Template string            `json:"templateID"`
	Timeout  int64             `json:"timeout"` // seconds
	Secure   bool              `json:"secure"`
	Internet bool              `json:"allow_internet_access"`
	Metadata map[string]string `json:"metadata,omitempty"`
	EnvVars  map[string]string `json:"envVars,omitempty"`
}

// Create makes a sandbox of the options' template, metadata, variables and lifetime.
func (c *Cloud) Create(ctx context.Context) (Sandbox, error) {
	var s Sandbox
	begun, life := time.Now(), cmp.Or(c.opt.Lifetime, defaultLifetime)
	err := c.newest(ctx, "no sandbox could be made", http.MethodPost, "/sandboxes", newSandbox{
		Template: c.opt.Template, Timeout: seconds(life), Secure: !c.opt.Insecure, Internet: true,
		Metadata: c.opt.Metadata, EnvVars: c.opt.EnvVars,
	}, &s)
	if err == nil && s.ID == "" {
		err = &kernelclient.Error{Kind: kernelclient.Protocol, What: "the control plane made a sandbox without an id"}
	}
	if s.Ends.IsZero() {
		s.Ends = begun.Add(life)
	}
	return s, err
}

// lifetime is the body of calls that say how long a sandbox lives on.
type lifetime struct {
	Timeout int64 `json:"timeout,omitempty"` // seconds
}

// Connect tells how to reach a sandbox. One that is paused goes on with all it had, and
// lives for the options' lifetime from now, if they have one; one that runs lives no shorter for it.
func (c *Cloud) Connect(ctx context.Context, id string) (Sandbox, error) {
	var s Sandbox
	err := c.newest(ctx, "no connection to the sandbox "+id, http.MethodPost, "/sandboxes/"+url.PathEscape(id)+"/connect", lifetime{seconds(c.opt.Lifetime)}, &s)
	if errors.Is(err, kernelclient.NotFound) {
		return s, goneError(id, err)
	}
	s.ID = cmp.Or(s.ID, id)
	return s, err
}

// goneError says that the control plane knows a sandbox no more.
func goneError(id string, err error) error {
	return &kernelclient.Error{
		Kind: kernelclient.NotFound, What: "there is no sandbox " + id + ": it expired, was killed, or is another account's",
		Next: "`nbterm e2b list` shows those that there are", Err: err,
	}
}

// Get tells of one sandbox.
func (c *Cloud) Get(ctx context.Context, id string) (Sandbox, error) {
	var s Sandbox
	err := c.call(ctx, "the sandbox "+id+" cannot be looked at", http.MethodGet, "/sandboxes/"+url.PathEscape(id), nil, &s, nil)
	if errors.Is(err, kernelclient.NotFound) {
		return s, goneError(id, err)
	}
	return s, err
}

// List tells of all sandboxes of the account, paused ones too.
func (c *Cloud) List(ctx context.Context) (all []Sandbox, err error) {
	next := ""
	for {
		var page []Sandbox
		q := url.Values{"state": {"running,paused"}, "limit": {"100"}}
		if next != "" {
			q.Set("nextToken", next)
		}
		if err := c.call(ctx, "the sandboxes cannot be listed", http.MethodGet, "/v2/sandboxes?"+q.Encode(), nil, &page, &next); err != nil {
			return all, err
		}
		if all = append(all, page...); next == "" || len(page) == 0 {
			return all, nil
		}
	}
}

// SetTimeout lets a sandbox live for d from now.
func (c *Cloud) SetTimeout(ctx context.Context, id string, d time.Duration) error {
	err := c.call(ctx, "the sandbox's time cannot be set", http.MethodPost, "/sandboxes/"+url.PathEscape(id)+"/timeout", lifetime{seconds(d)}, nil, nil)
	if errors.Is(err, kernelclient.NotFound) {
		return goneError(id, err)
	}
	return err
}

// Kill ends a sandbox. One that is not there is NotFound.
func (c *Cloud) Kill(ctx context.Context, id string) error {
	err := c.call(ctx, "the sandbox "+id+" cannot be killed", http.MethodDelete, "/sandboxes/"+url.PathEscape(id), nil, nil, nil)
	if errors.Is(err, kernelclient.NotFound) {
		return goneError(id, err)
	}
	return err
}

// seconds is d in whole seconds, as the control plane counts; a part of one counts whole.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// newest makes a call whose path has a second version, and asks the first where there is none.
func (c *Cloud) newest(ctx context.Context, what, method, path string, body, out any) error {
	err := c.call(ctx, what, method, "/v2"+path, body, out, nil)
	var refused *edgeError
	if errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed) {
		return c.call(ctx, what, method, path, body, out, nil)
	}
	return err
}

// call asks the control plane. next, if not nil, gets the token of the next page.
func (c *Cloud) call(ctx context.Context, what, method, path string, body, out any, next *string) error {
	if c.opt.APIKey == "" {
		return &kernelclient.Error{Kind: kernelclient.Unauthenticated, What: "E2B asks for an API key", Next: "set E2B_API_KEY"}
	}
	ctx, cancel := limited(ctx, max(c.opt.RequestTimeout, 0))
	defer cancel()
	var r io.Reader
	if body != nil {
		text, err := wire.Encode(body)
		if err != nil {
			return err
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.opt.APIURL+path, r)
	if err != nil {
		return &kernelclient.Error{Kind: kernelclient.Invalid, What: "the control plane's address (E2B_API_URL) is not a URL"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(wire.HeaderAPIKey, c.opt.APIKey)
	secrets := []string{c.opt.APIKey}
	resp, err := c.http.Do(req)
	if err != nil {
		return sendError(ctx, "E2B's control plane at "+c.opt.APIURL+" cannot be reached", err, secrets)
	}
	defer resp.Body.Close()
	if next != nil {
		*next = resp.Header.Get("x-next-token")
	}
	return decode(ctx, what, resp, out, secrets)
}
