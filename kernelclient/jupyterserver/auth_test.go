package jupyterserver

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ text, base, token, file string }{
		{"http://127.0.0.1:8888/?token=demo", "http://127.0.0.1:8888", "demo", ""},
		{"http://127.0.0.1:8888/user/ann/?token=demo", "http://127.0.0.1:8888/user/ann", "demo", ""},
		{"http://127.0.0.1:8888/user/ann?token=demo", "http://127.0.0.1:8888/user/ann", "demo", ""},
		{"http://127.0.0.1:8888/user/lab/lab/tree/a.ipynb", "http://127.0.0.1:8888/user/lab", "", "a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/notes/x.ipynb?token=demo", "http://127.0.0.1:8888", "demo", "notes/x.ipynb"},
		{"http://127.0.0.1:8888/lab/workspaces/auto-1/tree/RTC:x.ipynb", "http://127.0.0.1:8888", "", "x.ipynb"},
		{"http://127.0.0.1:8888/notebooks/x.ipynb?token=demo", "http://127.0.0.1:8888", "demo", "x.ipynb"},
		{"http://[::1]:8888/?token=demo%2Bplus%20sp", "http://[::1]:8888", "demo+plus sp", ""},
		{"https://ann:pw@host.invalid/base%20x/?token=demo#frag", "https://host.invalid/base%20x", "demo", ""},
		{"127.0.0.1:8888", "http://127.0.0.1:8888", "", ""},
	} {
		a, err := ParseAddress(c.text)
		if err != nil || a.String() != c.base || a.Token != c.token || a.File != c.file {
			t.Errorf("%s: %s, token %q, file %q, %v", c.text, a, a.Token, a.File, err)
		}
	}
	for _, bad := range []string{"ftp://h/?token=secret", "http://", "http://h:x/?token=secret", "http://%zz/?token=secret"} {
		if _, err := ParseAddress(bad); !errors.Is(err, kernelclient.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestBasePath(t *testing.T) {
	f := newFake(t, false)
	h := host(t, f.URL+"/user/ann?token="+testToken, func(o *Options) { o.Token = "" })
	defer h.Close()
	k := started(t, h)
	k.Do("say x")
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if !strings.Contains(r, " /user/ann/api/kernel") {
			t.Errorf("it asked %s", r)
		}
	}
}

// runs checks that a host is let in, for REST and for the websocket.
func runs(t *testing.T, h *Host) {
	t.Helper()
	defer h.Close()
	k := started(t, h)
	if end, events := k.Do("say hello"); end.Reason != event.Done || hosttest.Words(events) != "stdout:hello\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if err := k.Stop(t.Context(), false); err != nil {
		t.Error(err)
	}
}

// refusedBy checks that a host is not let in, and that its words are right and say nothing secret.
func refusedBy(t *testing.T, h *Host, kind kernelclient.Kind, word string) {
	t.Helper()
	defer h.Close()
	_, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3"})
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), word) {
		t.Errorf("%v; want %s with %q", err, kind, word)
	}
	for _, secret := range []string{testToken, "wrong9", "pa55word", "pa55wrong"} {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret) {
			t.Errorf("%q shows in %v", secret, err)
		}
	}
}

func bare(o *Options) { o.Token = "" }

func TestToken(t *testing.T) {
	f := newFake(t, false)
	runs(t, host(t, f.URL))
	refusedBy(t, host(t, f.URL, func(o *Options) { o.Token = "wrong9" }), kernelclient.Unauthenticated, "does not take the token")
	refusedBy(t, host(t, f.URL, bare), kernelclient.Unauthenticated, "wants a token or a password")
}

// xsrf is a server without a token: what changes something needs the cookie, twice.
func xsrf(w http.ResponseWriter, r *http.Request) bool {
	http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: "demo-xsrf", Path: "/"})
	c, err := r.Cookie("_xsrf")
	if r.Method == http.MethodGet || err == nil && c.Value == "demo-xsrf" && r.Header.Get("X-XSRFToken") == "demo-xsrf" {
		return true
	}
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, `{"message":"'_xsrf' argument missing from POST"}`)
	return false
}

func TestWithoutToken(t *testing.T) {
	f := newFake(t, false)
	f.allow = xsrf
	runs(t, host(t, f.URL, bare))
}

// signedIn is a server with a password, whose login page is told apart from success by its
// cookie alone. lenient answers a wrong password as if nothing were wrong.
func signedIn(lenient bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: "demo-xsrf", Path: "/"})
		if r.URL.Path == "/login" {
			switch {
			case r.Method == http.MethodGet:
			case r.FormValue("_xsrf") != "demo-xsrf":
				w.WriteHeader(http.StatusForbidden)
			case r.FormValue("password") == "pa55word":
				http.SetCookie(w, &http.Cookie{Name: "username-h", Value: "ann", Path: "/"})
				http.Redirect(w, r, "/lab", http.StatusFound)
			case !lenient:
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = io.WriteString(w, "<html>Password:</html>")
			return false
		}
		if c, err := r.Cookie("username-h"); err != nil || c.Value != "ann" {
			if r.Method == http.MethodGet {
				http.Redirect(w, r, "/login?next=x", http.StatusFound)
			} else {
				w.WriteHeader(http.StatusForbidden)
			}
			return false
		}
		return xsrf(w, r)
	}
}

func TestPassword(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		f := newFake(t, false)
		f.allow = signedIn(lenient)
		with := func(p string) func(*Options) { return func(o *Options) { o.Token, o.Password = "", p } }
		runs(t, host(t, f.URL, with("pa55word")))
		refusedBy(t, host(t, f.URL, with("pa55wrong")), kernelclient.Unauthenticated, "does not take the password; the config file's password")
		refusedBy(t, host(t, f.URL, bare), kernelclient.Unauthenticated, "wants a token or a password")
	}
}

func TestOtherRefusals(t *testing.T) {
	answer := func(code int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
			return false
		}
	}
	for _, c := range []struct {
		code int
		body string
		kind kernelclient.Kind
		word string
	}{
		{200, "<html>welcome</html>", kernelclient.Protocol, "is no Jupyter server"},
		{500, `{"message":"it broke near ` + testToken + `"}`, kernelclient.Protocol, "it broke near …"},
		{502, "<html>Bad gateway</html>", kernelclient.Disconnect, "502"},
		{429, "", kernelclient.RateLimited, "429"},
	} {
		f := newFake(t, false)
		f.allow = answer(c.code, c.body)
		refusedBy(t, host(t, f.URL), c.kind, c.word)
	}
	hub := newFake(t, false)
	hub.allow = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "/hub/user/ann/api", http.StatusFound)
		return false
	}
	refusedBy(t, host(t, hub.URL), kernelclient.Gone, "does not run")
	hub.Close()
	refusedBy(t, host(t, hub.URL), kernelclient.Disconnect, "cannot be reached: connection refused; check the address")
}

// pemFile writes a certificate where Options.CAFile can name it.
func pemFile(t *testing.T, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCertificates(t *testing.T) {
	f := newFake(t, true)
	trusted := pemFile(t, f.Certificate().Raw)
	refusedBy(t, host(t, f.URL), kernelclient.Disconnect, "signed by nobody that this machine knows")
	runs(t, host(t, f.URL, func(o *Options) { o.CAFile = trusted }))
	runs(t, host(t, f.URL, func(o *Options) { o.Insecure = true }))
	_, port, _ := net.SplitHostPort(f.Listener.Addr().String())
	refusedBy(t, host(t, "https://localhost:"+port, func(o *Options) { o.CAFile = trusted }), kernelclient.Disconnect, "for another name")
	if _, err := New(Options{URL: f.URL, CAFile: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, kernelclient.Invalid) {
		t.Error(err)
	}
}

func TestExpiredCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	f := newFake(t, true)
	f.TLS.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
	refusedBy(t, host(t, f.URL, func(o *Options) { o.CAFile = pemFile(t, der) }), kernelclient.Disconnect, "has expired")
}

// proxy is an HTTP proxy to one server, whatever it is asked for; it counts what it passes.
type proxy struct {
	target            string
	requests, tunnels chan string
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		p.requests <- r.URL.String()
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: p.target}) }}).ServeHTTP(w, r)
		return
	}
	p.tunnels <- r.Host
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan struct{}, 2)
	pass := func(to net.Conn, from io.Reader) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go pass(server, bufio.NewReader(rw))
	go pass(client, server)
	<-done
}

func TestProxy(t *testing.T) {
	f := newFake(t, false)
	p := &proxy{target: f.Listener.Addr().String(), requests: make(chan string, 100), tunnels: make(chan string, 100)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: p} //nolint:gosec // a test's own
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	env := []string{"HTTP_PROXY=http://ann:pa55word@" + l.Addr().String()}
	runs(t, host(t, "http://far.test:8888/", func(o *Options) { o.Env = env }))
	if len(p.requests) == 0 || len(p.tunnels) != 1 || <-p.tunnels != "far.test:8888" {
		t.Errorf("%d requests and %d tunnels went through the proxy", len(p.requests), len(p.tunnels))
	}
	for len(p.requests) > 0 {
		<-p.requests
	}
	runs(t, host(t, f.URL, func(o *Options) { o.Env = env })) // this machine is never reached through one
	if len(p.requests)+len(p.tunnels) != 0 {
		t.Error("a server of this machine was reached through the proxy")
	}
	refusedBy(t, host(t, "http://far.invalid/", func(o *Options) { o.Env = append(env, "NO_PROXY=far.invalid") }), kernelclient.Disconnect, "no machine is called far.invalid")
	refusedBy(t, host(t, "http://far.test/", func(o *Options) { o.Env = []string{"http_proxy=http://ann:pa55word@127.0.0.1:9"} }),
		kernelclient.Disconnect, "through the proxy http://127.0.0.1:9")
}

func TestSessionRefused(t *testing.T) {
	f := newFake(t, false)
	let := f.allow
	f.allow = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/api/sessions" && r.Method == http.MethodPost {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"message": "No such directory: notes is outside root contents directory", "reason": null}`)
			return false
		}
		return let(w, r)
	}
	h := host(t, f.URL)
	defer h.Close()
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python3", Session: f.URL + "/notes/x.ipynb", StartupTimeout: time.Minute})
	hit, _ := k.Wait("word of it", func(e event.Event) bool { _, ok := e.Body.(event.Gap); return ok })
	said := hit.Body.(event.Gap).Detail
	if !strings.Contains(said, "notes/x.ipynb") || !strings.Contains(said, "outside root contents directory") {
		t.Errorf("it says %q", said)
	}
	if _, events := k.Do("say x"); hosttest.Words(events) != "stdout:x\n" {
		t.Errorf("%q", hosttest.Words(events))
	}
}
