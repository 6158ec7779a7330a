package jupyterserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// proxyOf is the proxy that an environment names for an address, nil for none. Addresses of
// this machine are never reached through one.
func proxyOf(env []string) func(*url.URL) (*url.URL, error) {
	get := func(upper, lower string) string {
		if v := lookup(env, upper); v != "" {
			return v
		}
		return lookup(env, lower)
	}
	c := &httpproxy.Config{
		HTTPProxy: get("HTTP_PROXY", "http_proxy"), HTTPSProxy: get("HTTPS_PROXY", "https_proxy"), NoProxy: get("NO_PROXY", "no_proxy"),
		CGI: lookup(env, "REQUEST_METHOD") != "", // where HTTP_PROXY is a client's header
	}
	return c.ProxyFunc()
}

// tunnel dials address through an HTTP proxy, by CONNECT: a websocket without TLS would
// not pass it as a request.
func tunnel(ctx context.Context, proxy *url.URL, address string) (net.Conn, error) {
	at := proxy.Host
	if proxy.Port() == "" {
		port := "80"
		if proxy.Scheme == "https" {
			port = "443"
		}
		at = net.JoinHostPort(proxy.Hostname(), port)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	if proxy.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: proxy.Hostname(), MinVersion: tls.VersionTLS12})
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := connect(conn, proxy, address); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// connect asks a proxy for a tunnel. A server that is spoken to by HTTP says nothing
// first, so nothing of the tunnel is read here.
func connect(conn net.Conn, proxy *url.URL, address string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if user := proxy.User; user != nil {
		password, _ := user.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := req.Write(conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answers %s", resp.Status)
	}
	return nil
}
