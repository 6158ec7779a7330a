//go:build unix

package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

// files says which path it was asked for, and notes its end.
type files struct{ closed chan struct{} }

func (f files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/none" {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" for "+r.Host)
}

func (f files) Close() error {
	close(f.closed)
	return nil
}

// get asks a client's file service.
func get(t *testing.T, c *Client, path string) (int, string, error) {
	t.Helper()
	base, carrier := c.Files()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := carrier.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// The files of the host process's machine come through its socket, whoever connects to it.
func TestFiles(t *testing.T) {
	p := place(t)
	f := files{make(chan struct{})}
	end := run(t, p, Options{Host: fakes(t, say), Files: f})
	near := connect(t, p)
	far := New(ClientOptions{Dial: p.connect})
	defer far.Close()
	for _, c := range []*Client{near, far} {
		if status, text, err := get(t, c, "/files?path=x"); status != 200 || text != "GET /files for localhost" || err != nil {
			t.Error(status, text, err)
		}
		if status, text, err := get(t, c, "/none"); status != 404 || text != "GET /none for localhost" || err != nil {
			t.Error(status, text, err)
		}
	}
	if here, err := near.Here(t.Context()); !here || err != nil {
		t.Error(here, err)
	}
	if here, err := far.Here(t.Context()); here || err != nil {
		t.Error(here, err)
	}
	end()
	<-f.closed
}

// Who has no files says so in words that help, and so does what is no host process at all.
func TestNoFiles(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	if _, _, err := get(t, connect(t, p), "/files"); !errors.Is(err, kernelclient.Unsupported) || !strings.Contains(err.Error(), "older nbterm") {
		t.Error(err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hush" {
			t.Errorf("the token is %q", r.Header.Get("Authorization"))
		}
		_, _ = io.WriteString(w, "hello")
	}))
	defer other.Close()
	c, err := Connect(t.Context(), ClientOptions{Base: other.URL, Token: "hush"})
	if !errors.Is(err, kernelclient.Protocol) || !strings.Contains(err.Error(), "no `nbterm serve`") || strings.Contains(err.Error(), "hush") || c != nil {
		t.Error(c, err)
	}
	c = New(ClientOptions{Base: other.URL, Token: "hush"})
	defer c.Close()
	if _, _, err := get(t, c, "/files"); !errors.Is(err, kernelclient.Protocol) || !strings.Contains(err.Error(), "no `nbterm serve`") {
		t.Error(err)
	}
}

// A machine that cannot be reached is no reason to start a host process of one's own.
func TestElsewhereUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	_, err = Ensure(t.Context(), ClientOptions{Base: url, Program: "/bin/false", Args: []string{"false"}, Place: place(t)})
	if !errors.Is(err, kernelclient.Disconnect) || NoHost(err) || !strings.Contains(err.Error(), url+" cannot be reached") {
		t.Error(err)
	}
	lost := errors.New("the tunnel is down")
	_, err = Connect(t.Context(), ClientOptions{Name: "ssh://box", Dial: func(context.Context) (net.Conn, error) { return nil, lost }})
	if !errors.Is(err, kernelclient.Disconnect) || !errors.Is(err, lost) || !strings.Contains(err.Error(), "ssh://box") {
		t.Error(err)
	}
}

// Servers of other versions, and gateways before servers, are told from what is no server.
func TestElsewhereVersions(t *testing.T) {
	for proto, want := range map[string]string{
		"0": "of an older nbterm (protocol 0) than this one (1.2, protocol 1); update the older of the two",
		"2": "of a newer nbterm (protocol 2) than this one (1.2, protocol 1); update the older of the two",
	} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(protoHeader, proto)
			_, _ = io.WriteString(w, "[]")
		}))
		c := New(ClientOptions{Base: other.URL, Name: "nbterm+" + other.URL, Version: "1.2"})
		var version *VersionError
		if _, err := c.Kernels(t.Context()); !errors.As(err, &version) || !strings.Contains(err.Error(), "nbterm+"+other.URL+" is "+want) {
			t.Error(err)
		}
		if _, err := c.List(t.Context()); err != nil { // it works between all versions
			t.Error(err)
		}
		_ = c.Close()
		other.Close()
	}
	for status, want := range map[int]string{
		http.StatusBadGateway: "cannot be reached: what is before it says 502",
		http.StatusForbidden:  "refuses to be called by this name",
	} {
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		c := New(ClientOptions{Base: gateway.URL})
		_, err := c.Hello(t.Context())
		if !strings.Contains(err.Error(), want) || errors.Is(err, kernelclient.Disconnect) != (status == http.StatusBadGateway) {
			t.Error(err)
		}
		_ = c.Close()
		gateway.Close()
	}
}
