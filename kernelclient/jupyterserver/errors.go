package jupyterserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
)

// refused is what a server said instead of doing what it was asked for.
type refused struct {
	err     error
	message string // the server's own words
	unknown bool   // it does not know who asks
}

// scrub takes what is secret out of a text, whoever wrote it.
func (c *client) scrub(text string) string {
	secrets := []string{c.opt.Token, c.opt.Password, c.at.Password}
	for _, values := range c.opt.Header {
		secrets = append(secrets, values...)
	}
	for _, s := range secrets {
		if len(s) > 2 { // less is no secret, and everywhere
			text = strings.ReplaceAll(text, s, "…")
			text = strings.ReplaceAll(text, url.QueryEscape(s), "…")
		}
	}
	return text
}

// failed is an error of making a request.
func (c *client) failed(err error) error {
	return &kernelclient.Error{Kind: kernelclient.Invalid, What: c.scrub(err.Error())}
}

// unreachable says why a request got no answer.
func (c *client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err // what it adds is the address
	}
	what, next := "the Jupyter server at "+c.at.String()+" cannot be reached", "check the address, and that the server runs"
	if proxy, perr := c.proxy(c.at.Base); perr == nil && proxy != nil {
		what += " through the proxy " + proxy.Scheme + "://" + proxy.Host
		next = "HTTP_PROXY, HTTPS_PROXY and NO_PROXY say when a proxy is used"
	}
	if why, hint := trust.Trouble(err); why != "" {
		return &kernelclient.Error{Kind: kernelclient.Disconnect, What: what + ": " + why, Next: hint}
	}
	return &kernelclient.Error{Kind: kernelclient.Disconnect, What: what, Err: errors.New(c.scrub(trust.Plain(err))), Next: next}
}

// refusal makes an error of an answer that is no success. It reads and closes its body.
func (c *client) refusal(resp *http.Response) refused {
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
	r := refused{message: c.words(data)}
	r.unknown = resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden && !strings.Contains(r.message, "_xsrf")
	e := &kernelclient.Error{What: fmt.Sprintf("the Jupyter server at %s answers %d (%s)", c.at, resp.StatusCode, http.StatusText(resp.StatusCode))}
	if r.message != "" {
		e.What += ": " + r.message
	}
	r.err = e
	switch code := resp.StatusCode; {
	case code < 400:
		r.unknown = c.redirected(e, resp.Header.Get("Location"))
	case r.unknown:
		e.Kind, e.What, e.Next = kernelclient.Unauthenticated, c.stranger(), c.introduction()
	case code == http.StatusForbidden:
		e.Kind = kernelclient.Permission
	case code == http.StatusNotFound:
		e.Kind = kernelclient.NotFound
	case code == http.StatusConflict:
		e.Kind = kernelclient.Exists
	case code == http.StatusTooManyRequests:
		e.Kind = kernelclient.RateLimited
	case code == http.StatusBadRequest:
		e.Kind = kernelclient.Invalid
	case code == http.StatusInsufficientStorage:
		e.Kind = kernelclient.NoSpace
	case code >= 502 && code <= 504:
		e.Kind = kernelclient.Disconnect
	default:
		e.Kind = kernelclient.Protocol
	}
	return r
}

// introduction says how to tell the server who asks.
func (c *client) introduction() string {
	if c.opt.Token == "" && c.opt.Password != "" {
		return "the config file's password or password_file gives it"
	}
	return "the token is part of the address that the server prints; --token-file or JUPYTER_TOKEN gives it, and the config file a password"
}

// stranger says that the server does not know who asks.
func (c *client) stranger() string {
	switch {
	case c.opt.Token != "":
		return "the Jupyter server at " + c.at.String() + " does not take the token"
	case c.opt.Password != "":
		return "the Jupyter server at " + c.at.String() + " does not take the password"
	}
	return "the Jupyter server at " + c.at.String() + " wants a token or a password"
}

// redirected describes an answer that sends somewhere else, and tells whether that is to
// sign in.
func (c *client) redirected(e *kernelclient.Error, location string) (login bool) {
	to, err := url.Parse(location)
	if err != nil {
		to = &url.URL{}
	}
	if strings.Contains(to.Path, "/login") || strings.Contains(to.Path, "/oauth") {
		e.Kind, e.What = kernelclient.Unauthenticated, c.stranger()
		e.Next = c.introduction()
		return true
	}
	to.RawQuery, to.User, to.Fragment = "", nil, ""
	e.Kind, e.Next = kernelclient.Protocol, "check the address and its base path"
	e.What = fmt.Sprintf("the Jupyter server at %s sends elsewhere: to %s", c.at, c.scrub(to.String()))
	if strings.Contains(to.Path, "/hub/") {
		e.Kind, e.Next = kernelclient.Gone, "start the server on the hub's page first"
		e.What = fmt.Sprintf("the server at %s does not run", c.at)
	}
	return false
}

// words are what a server says of an error, in one line.
func (c *client) words(body []byte) string {
	var said struct {
		Message string `json:"message"`
		Reason  string `json:"reason"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	text := said.Message
	if said.Reason != "" && !strings.Contains(text, said.Reason) {
		text = strings.TrimPrefix(text+" ("+said.Reason+")", " ")
	}
	return c.scrub(strings.Join(strings.Fields(text), " "))
}
