package bridge

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
)

// connectTime bounds connecting to another machine, TLS's greeting too.
const connectTime = 15 * time.Second

// elsewhere tells whether the host process is one of another machine, as far as is known:
// its folders and its environment are not this process's.
func (c *Client) elsewhere() bool { return c.opt.Dial != nil || c.opt.Base != "" }

// patience is how long a stream looks for a host process that is nowhere.
func (c *Client) patience() time.Duration {
	if c.elsewhere() {
		return cmp.Or(c.opt.Patience, farGiveUp)
	}
	return giveUp
}

// pause is the longest one between two tries.
func (c *Client) pause() time.Duration {
	if c.elsewhere() {
		return farPause
	}
	return lastPause
}

// base is what the paths of requests are put behind.
func (c *Client) base() string { return cmp.Or(c.opt.Base, base) }

// called is what messages call the host process.
func (c *Client) called() string {
	if c.elsewhere() {
		return cmp.Or(c.opt.Name, c.opt.Base, "the host process there")
	}
	return "the host process"
}

// transport makes connections over HTTP/1.1, so that giving up a request closes its
// connection and the other end notices.
func (c *Client) transport() http.RoundTripper {
	t := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8, Protocols: new(http.Protocols)}
	t.Protocols.SetHTTP1(true)
	if c.opt.Base == "" {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) }
		return t
	}
	t.DialContext = (&net.Dialer{Timeout: connectTime, KeepAlive: connectTime}).DialContext
	t.Proxy, t.TLSClientConfig, t.TLSHandshakeTimeout = http.ProxyFromEnvironment, c.opt.TLS, connectTime
	return bearing{t, c.opt.Token}
}

// stay follows no redirect: the token would go elsewhere.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bearing has each request carry a token.
type bearing struct {
	*http.Transport
	token string
}

// RoundTrip implements http.RoundTripper.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.Transport.RoundTrip(r)
}

// versioned puts a VersionError over err where the host process is of another version.
// Whoever is not let in is told that alone, and so no version.
func (c *Client) versioned(resp *http.Response, err error) error {
	said := resp.Header.Get(protoHeader)
	proto, _ := strconv.Atoi(said) // none is 0: no version of ours
	switch {
	case proto == Proto, errors.Is(err, kernelclient.Unauthenticated):
		return err
	case said == "" && c.opt.Base != "" && resp.StatusCode >= http.StatusBadGateway:
		return &kernelclient.Error{Kind: kernelclient.Disconnect, What: c.called() + " cannot be reached: what is before it says " + resp.Status}
	case said == "" && c.opt.Base != "" && resp.StatusCode == http.StatusForbidden:
		return &kernelclient.Error{
			Kind: kernelclient.Permission, What: c.called() + " refuses to be called by this name",
			Next: "its IP address works, or `nbterm serve --name NAME` there",
		}
	case said == "" && c.opt.Base != "":
		return &kernelclient.Error{
			Kind: kernelclient.Protocol, What: "what answers at " + c.called() + " is no `nbterm serve`",
			Next: "a Jupyter server's address begins with http:// or https://",
		}
	}
	return &VersionError{Host: proto, Mine: Proto, Version: c.opt.Version, name: c.called(), elsewhere: c.elsewhere(), rest: err}
}

// disconnected is the error of an exchange that failed on the way.
func (c *Client) disconnected(ctx context.Context, err error) error {
	var through *url.Error
	if errors.As(err, &through) {
		err = through.Err
	}
	var own *kernelclient.Error
	cause := context.Cause(ctx)
	e := &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection to " + c.called() + " broke", Err: err}
	switch {
	case errors.As(err, &own), NoHost(err):
		return err
	case errors.Is(cause, context.Canceled):
		return cause
	case errors.Is(cause, context.DeadlineExceeded):
		e.What, e.Err = c.called()+" does not answer", cause
		if !c.elsewhere() {
			e.Next = "--no-host works without it"
		}
	case c.opt.Base != "" && answering(err):
		e.Err = errors.New(trust.Plain(err))
	case c.opt.Base != "":
		e.What, e.Err, e.Next = c.called()+" cannot be reached", errors.New(trust.Plain(err)), "check the address, and that `nbterm serve` runs there"
		if why, hint := trust.Trouble(err); why != "" {
			e.Err, e.Next = errors.New(why), hint
		}
	}
	return e
}

// answering tells whether an exchange had begun: then there is somebody at the other end.
func answering(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	why, _ := trust.Trouble(err)
	if why != "" || errors.As(err, &dns) {
		return false
	}
	return !errors.As(err, &op) || op.Op != "dial"
}
