package jupyterserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
)

// maxError bounds what is read of an answer that is an error, in bytes.
const maxError = 64 << 10

// client speaks to one server's REST interface, and knows how to be let in.
type client struct {
	at     Address
	opt    Options
	limit  time.Duration // of a request that has no limit of its own
	times  times
	tls    *tls.Config
	proxy  func(*url.URL) (*url.URL, error)
	jar    http.CookieJar
	http   *http.Client
	logins sync.Mutex // held while signing in
}

// newClient makes a client. It connects to nothing yet.
func newClient(opt Options) (*client, error) {
	at, err := ParseAddress(opt.URL)
	if err != nil {
		return nil, err
	}
	if opt.Token == "" {
		opt.Token = at.Token
	}
	c := &client{at: at, opt: opt, limit: opt.RequestTimeout, proxy: proxyOf(opt.environ()), times: usualTimes()}
	if c.limit <= 0 {
		c.limit = defaultLimit
	}
	if c.tls, err = trust.Config(opt.CAFile, opt.Insecure); err != nil {
		return nil, err
	}
	c.jar, _ = cookiejar.New(nil) // has no error without options
	c.http = c.client(&http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) { return c.proxy(r.URL) }, TLSClientConfig: c.tls.Clone(),
		TLSHandshakeTimeout: 15 * time.Second, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
	})
	return c, nil
}

// client is an HTTP client that follows no redirection: a server that sends to its login
// page has said no.
func (c *client) client(t *http.Transport) *http.Client {
	return &http.Client{
		Transport: t, Jar: c.jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// url is the address of a path of the server, which begins with a slash and is not escaped.
func (c *client) url(p string, query url.Values) string {
	u := *c.at.Base
	u.Path += p
	u.RawQuery = query.Encode()
	return u.String()
}

// headers are sent with each request, the websocket's too.
func (c *client) headers() http.Header {
	h := c.opt.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("User-Agent", "nbterm")
	switch {
	case c.opt.Token != "":
		h.Set("Authorization", "token "+c.opt.Token)
		return h
	case c.at.User != "":
		r := http.Request{Header: h}
		r.SetBasicAuth(c.at.User, c.at.Password)
	}
	h.Set("Referer", c.at.Base.String()+"/") // what a cookie lets in must not come from another site
	if x := c.xsrf(); x != "" {
		h.Set("X-XSRFToken", x)
	}
	return h
}

// xsrf is the cookie that guards against forged requests, "" for none.
func (c *client) xsrf() string {
	u := *c.at.Base
	u.Path += "/api"
	for _, k := range c.jar.Cookies(&u) {
		if k.Name == "_xsrf" {
			return k.Value
		}
	}
	return ""
}

// call sends a request and reads its answer into out, unless that is nil. It signs in where
// the server wants that, once. ctx alone bounds it.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	return c.query(ctx, method, path, nil, in, out)
}

// brief is call within the request timeout, of a request that has no body.
func (c *client) brief(ctx context.Context, method, path string, out any) error {
	ctx, cancel := c.bound(ctx)
	defer cancel()
	return c.call(ctx, method, path, nil, out)
}

// bound is ctx within the request timeout.
func (c *client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.limit, &kernelclient.TimeoutError{Clock: kernelclient.Connecting, Limit: c.limit, Setting: "--request-timeout"})
}

func (c *client) query(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return c.failed(err)
		}
	}
	resp, err := c.send(ctx, method, c.url(path, query), body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxError)) // so that the connection serves again
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		if ctx.Err() != nil {
			return c.unreachable(ctx, err)
		}
		return &kernelclient.Error{
			Kind: kernelclient.Protocol, What: "what answers at " + c.at.String() + " is no Jupyter server",
			Next: "check the address and its base path",
		}
	}
	return nil
}

// send sends a request whose answer is a success.
func (c *client) send(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	for first := true; ; first = false {
		resp, err := c.once(ctx, method, address, body)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 300 {
			return resp, nil
		}
		refused := c.refusal(resp)
		if !first || !c.letIn(ctx, resp, refused) {
			return nil, refused.err
		}
	}
}

func (c *client) once(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.failed(err)
	}
	req.Header = c.headers()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return resp, nil
}

// letIn does what may change a server's mind that refused a request: true to try again.
func (c *client) letIn(ctx context.Context, resp *http.Response, r refused) bool {
	switch {
	case c.opt.Token != "":
		return false
	case r.unknown && c.opt.Password != "":
		return c.signIn(ctx) == nil
	case resp.StatusCode == http.StatusForbidden && strings.Contains(r.message, "_xsrf"):
		return c.fetchXSRF(ctx)
	}
	return false
}

func (c *client) close() { c.http.CloseIdleConnections() }
