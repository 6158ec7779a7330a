package unsandbox

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
)

// DefaultURL is where the service is.
const DefaultURL = "https://api.unsandbox.com"

// ClientOptions are for NewClient.
type ClientOptions struct {
	// URL is the service's base address; "" is UNSANDBOX_API_URL, else DefaultURL.
	URL    string
	Lookup Lookup // of the keys, which are looked for when the first request needs them
	// RequestTimeout bounds each request, with its answer; 0 is as long as the kind of
	// request may take: 30 s for a submission, 120 s for most others.
	RequestTimeout time.Duration
	HTTP           http.RoundTripper // nil is a transport that heeds the proxy variables
	Version        string            // for User-Agent
	// OTP asks for the code that the service mailed because something is about to be
	// destroyed or unlocked; "" cancels. nil is a no.
	OTP func(ctx context.Context) (string, error)
}

// Client is the service's REST API. It may be used from any goroutine.
type Client struct {
	opt  ClientOptions
	base *url.URL
	http *http.Client
	now  func() time.Time
	wait func(context.Context, time.Duration) error // sleeps; the error is ctx's

	noAsync atomic.Bool // the service has no /execute/async

	mu    sync.Mutex // guards all below, also while keys are asked for
	known bool
	creds Credentials
	err   error
}

// NewClient returns a client. It sends nothing and looks for no keys yet.
func NewClient(opt ClientOptions) (*Client, error) {
	text := strings.TrimRight(cmp.Or(opt.URL, opt.Lookup.env(EnvURL), DefaultURL), "/")
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.RawQuery != "" {
		return nil, &kernelclient.Error{
			Kind: kernelclient.Invalid, What: "the address of Unsandbox is no http(s) URL",
			Next: fmt.Sprintf("%s is like %s", EnvURL, DefaultURL),
		}
	}
	base.User = nil // keys have places of their own, and this is shown
	c := &Client{opt: opt, base: base, now: time.Now, wait: pause.For}
	transport := opt.HTTP
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.IdleConnTimeout = 30 * time.Second
		transport = t
	}
	// A redirect has another path, so its signature would be wrong: the answer is an error.
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// URL is the service's address.
func (c *Client) URL() string { return c.base.String() }

// Credentials are the keys that requests are signed with.
func (c *Client) Credentials() (Credentials, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.creds, c.err = c.opt.Lookup.Find()
		c.known = true
	}
	return c.creds, c.err
}

// environment is a lookup in K=V lines, nil for this process's own.
func environment(env []string) func(string) string {
	if env == nil {
		return os.Getenv
	}
	return func(name string) (value string) {
		for _, kv := range env {
			if k, v, ok := strings.Cut(kv, "="); ok && k == name {
				value = v // the last one counts, as for a process
			}
		}
		return value
	}
}
