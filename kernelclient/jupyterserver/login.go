package jupyterserver

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// fetchXSRF gets the cookie that a server without a token wants to see on every request
// that changes something: its pages set it.
func (c *client) fetchXSRF(ctx context.Context) bool {
	for _, page := range []string{"/login", "/", "/api"} {
		if c.xsrf() != "" {
			break
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(page, nil), nil)
		if err != nil {
			return false
		}
		req.Header = c.headers()
		resp, err := c.http.Do(req)
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxError))
		_ = resp.Body.Close()
	}
	return c.xsrf() != ""
}

// signIn gives the password to the server's login page. What lets in is its cookie.
func (c *client) signIn(ctx context.Context) error {
	c.logins.Lock()
	defer c.logins.Unlock()
	c.fetchXSRF(ctx)
	form := url.Values{"password": {c.opt.Password}, "_xsrf": {c.xsrf()}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url("/login", nil), strings.NewReader(form.Encode()))
	if err != nil {
		return c.failed(err)
	}
	req.Header = c.headers()
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxError))
	// A right password sends on to a page; a wrong one shows the login page again, by some
	// servers as if nothing were wrong.
	if to := resp.Header.Get("Location"); resp.StatusCode/100 == 3 && !strings.Contains(to, "/login") {
		return nil
	}
	return &kernelclient.Error{Kind: kernelclient.Unauthenticated, What: c.stranger()}
}
