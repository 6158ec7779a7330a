package hosts

import (
	"bytes"
	"context"
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
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
	"github.com/nbterm/nbterm/kernelclient/local"
)

const servedToken = "hush-hush-of-the-server"

// served is a server as `nbterm serve` runs one, until the test ends.
type served struct {
	addr string
	log  *lockedBuffer
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newServed(t *testing.T, kernels func(bridge.Surroundings) (kernelclient.Host, error), conf *tls.Config) served {
	t.Helper()
	s := served{log: &lockedBuffer{}}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	own := bridge.NewServer(bridge.Options{Host: kernels, Token: servedToken, Stay: true, Log: log, Contexts: t.TempDir()})
	listeners, err := serve.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listeners[0].Addr().String()
	server := serve.New(serve.Options{TLS: conf, Log: log})
	server.Add(own, listeners...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		own.Begin(ctx)
		done <- server.Serve(ctx, func() { own.End(context.WithoutCancel(ctx)) })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// machineKernels are those of this machine, the Python with ipykernel among them.
func machineKernels(t *testing.T) func(bridge.Surroundings) (kernelclient.Host, error) {
	t.Helper()
	python := hosttest.Python(t)
	dir := t.TempDir()
	return func(a bridge.Surroundings) (kernelclient.Host, error) {
		if a.Env != nil {
			t.Error("the client's environment is sent to another machine")
		}
		env := append(os.Environ(), "VIRTUAL_ENV="+filepath.Dir(filepath.Dir(python)), "HOME="+dir, "JUPYTER_RUNTIME_DIR="+dir+"/run", "IPYTHONDIR="+dir+"/ipython")
		return local.New(local.Options{Dir: a.Dir, Env: env, Log: a.Log, LogDir: dir + "/log"}), nil
	}
}

// opened is the host at an address, as --host opens it.
func opened(t *testing.T, address string, s Settings) kernelclient.Host {
	t.Helper()
	a, in, err := Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Resolve(a, in, s, none)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(target, Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// certificate is one for 127.0.0.1 by an authority of the test's own, and the file with that
// authority's.
func certificate(t *testing.T) (conf *tls.Config, caFile string) {
	t.Helper()
	issue := func(form, by *x509.Certificate, byKey *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if byKey == nil {
			byKey = key
		}
		der, err := x509.CreateCertificate(rand.Reader, form, by, &key.PublicKey, byKey)
		if err != nil {
			t.Fatal(err)
		}
		return der, key
	}
	begin, end := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the test"}, NotBefore: begin, NotAfter: end, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caDER, caKey := issue(ca, ca, nil)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: begin, NotAfter: end}
	der, key := issue(leaf, ca, caKey)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, caFile
}

// TestServedSuite: through a server on another machine kernels are what they are here.
func TestServedSuite(t *testing.T) {
	t.Run("TCP", func(t *testing.T) {
		s := newServed(t, machineKernels(t), nil)
		way := relay.New(t, s.addr)
		way.Split(1000)
		hosttest.Run(t, hosttest.Config{
			Host: func(t *testing.T) kernelclient.Host {
				return opened(t, "nbterm+http://"+way.Addr(), Settings{Token: servedToken})
			},
			Kernel: "python3", Displays: "from IPython.display import display, update_display",
		})
	})
	t.Run("TLS", func(t *testing.T) {
		conf, caFile := certificate(t)
		s := newServed(t, machineKernels(t), conf)
		hosttest.Run(t, hosttest.Config{
			Host: func(t *testing.T) kernelclient.Host {
				return opened(t, "nbterm+https://"+s.addr, Settings{Token: servedToken, CAFile: caFile})
			},
			Kernel: kernelclient.BuiltinPython, Displays: "pass",
		})
	})
}

// A link that is cut again and again, or stalls, loses nothing and doubles nothing.
func TestServedOverBadLink(t *testing.T) {
	s := newServed(t, machineKernels(t), nil)
	way := relay.New(t, s.addr)
	host := opened(t, "nbterm+http://"+way.Addr(), Settings{Token: servedToken})
	defer host.Close()
	k := hosttest.Start(t, host, kernelclient.BuiltinPython)
	const lines, every = 10_000, 1_000
	gate := filepath.Join(t.TempDir(), "gate")
	id := k.Submit(fmt.Sprintf("import os, time\nfor i in range(%d):\n  print(i)\n  if i %% %d == 0:\n    while not os.path.exists(%q + str(i)): time.sleep(0.005)\n", lines, every, gate))
	var text strings.Builder
	cuts := 0
	for {
		seen := strings.Count(text.String(), "\n") // all up to a gate
		if seen%every == 1 {
			if cuts++; cuts%2 == 0 {
				way.Stall()
			}
			if err := os.WriteFile(gate+fmt.Sprint(seen-1), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			way.Cut()
			way.Resume()
		}
		e, _ := k.Wait("more", func(e event.Event) bool {
			switch e.Body.(type) {
			case event.Stream, event.Ended, event.Gap:
				return e.Exec == id
			}
			return false
		})
		if st, ok := e.Body.(event.Stream); ok {
			text.WriteString(st.Text)
			continue
		}
		if end, ok := e.Body.(event.Ended); !ok || end.Reason != event.Done {
			t.Fatalf("%+v", e.Body)
		}
		break
	}
	var want strings.Builder
	for i := range lines {
		fmt.Fprintln(&want, i)
	}
	if text.String() != want.String() || way.Carried() < cuts {
		t.Errorf("%d bytes came, not %d; %d cuts, %d links", text.Len(), want.Len(), cuts, way.Carried())
	}
}

// Who has no token, trusts nobody or calls from a foreign page is told so, and no more.
func TestServedToStrangers(t *testing.T) {
	conf, caFile := certificate(t)
	s := newServed(t, machineKernels(t), conf)
	for _, c := range []struct {
		what string
		set  Settings
		kind error
		says string
	}{
		{"a token", Settings{Token: servedToken, CAFile: caFile}, nil, ""},
		{"any certificate", Settings{Token: servedToken, Insecure: true}, nil, ""},
		{"no token", Settings{CAFile: caFile}, kernelclient.Unauthenticated, "asks for a token"},
		{"a wrong token", Settings{Token: servedToken + "x", CAFile: caFile}, kernelclient.Unauthenticated, "does not take this token"},
		{"no trust", Settings{Token: servedToken}, kernelclient.Disconnect, "signed by nobody that this machine knows"},
	} {
		h := opened(t, "nbterm+https://"+s.addr, c.set)
		_, err := h.Contexts(t.Context())
		if c.kind == nil && err != nil || c.kind != nil && !errors.Is(err, c.kind) || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), servedToken)) {
			t.Errorf("%s: %v", c.what, err)
		}
		_ = h.Close()
	}
	plain := newServed(t, machineKernels(t), nil)
	for _, c := range []struct {
		what   string
		status int
		with   func(*http.Request)
	}{
		{"the token", 200, func(*http.Request) {}},
		{"another scheme", 401, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+servedToken) }},
		{"the token as a query", 401, func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + servedToken }},
		{"a name that was made to point here", 403, func(r *http.Request) { r.Host = "evil.example" }},
		{"a page of another origin", 403, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		{"a page without one", 403, func(r *http.Request) { r.Header.Set("Origin", "null") }},
		{"a header without an end", 431, func(r *http.Request) { r.Header.Set("X-Long", strings.Repeat("x", 100<<10)) }},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain.addr+"/contexts", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+servedToken)
		c.with(r)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Error(c.what, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || err != nil || strings.Contains(string(body), servedToken) || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s %q %v", c.what, resp.Status, body, err)
		}
	}
}

// The log of a server has neither code nor outputs nor what is secret.
func TestServedLogSaysNothing(t *testing.T) {
	s := newServed(t, machineKernels(t), nil)
	host := opened(t, "nbterm+http://"+s.addr, Settings{Token: servedToken})
	defer host.Close()
	k := hosttest.Follow(t, host, kernelclient.StartSpec{
		Kernel: kernelclient.BuiltinPython, Dir: t.TempDir(), Env: []string{"KEY=env-secret"}, Session: "/secret-path.ipynb", StartupTimeout: time.Minute,
	})
	if end, got := k.Do("import os; print(os.environ['KEY'] + '!', 40 + 2)"); end.Reason != event.Done || hosttest.Words(got) != "stdout:env-secret! 42\n" {
		t.Errorf("%+v %s", end, hosttest.Words(got))
	}
	log := s.log.String()
	for _, secret := range []string{servedToken, "env-secret", "environ", "secret-path", "42\n"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q in it: %s", secret, log)
		}
	}
	if !strings.Contains(log, "msg=request") {
		t.Error("nothing is logged")
	}
}
