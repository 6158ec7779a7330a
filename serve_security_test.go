//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/notebook/session/batch"
)

// TestServeRefuses tries what somebody without the token, a web page and a name that was made
// to point here would try, at every listener.
func TestServeRefuses(t *testing.T) {
	s := serveE2B(t, "--metrics", "127.0.0.1:0")
	own := strings.TrimPrefix(s.own, "nbterm+")
	status := func(at, path, token, host, origin string, upgrade bool) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		for name, value := range map[string]string{"Origin": origin, "E2b-Traffic-Access-Token": token, "X-Access-Token": token} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if upgrade {
			for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
				r.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, _ := io.ReadAll(resp.Body); strings.Contains(string(body), fileToken) || strings.Contains(origin, "evil") && resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s%s: %v %s", at, path, resp.Header, body)
		}
		return resp.StatusCode
	}
	for _, l := range []struct{ at, path string }{{s.code, "/contexts"}, {s.files, "/files?path=none"}, {own, "/v1/contexts"}} {
		if got := status(l.at, l.path, fileToken, "", "", false); got == 401 || got == 403 {
			t.Errorf("%s: %d with the token", l.at, got)
		}
		for what, got := range map[string]int{
			"no token":                   status(l.at, l.path, "", "", "", false),
			"a wrong token":              status(l.at, l.path, fileToken[:len(fileToken)-1]+"x", "", "", false),
			"a part of it":               status(l.at, l.path, fileToken[:8], "", "", false),
			"a page of another origin":   status(l.at, l.path, fileToken, "", "https://evil.example", false),
			"a socket of such a page":    status(l.at, l.path, fileToken, "", "https://evil.example", true),
			"a name that points here":    status(l.at, l.path, fileToken, "evil.example", "", false),
			"a page at such a name":      status(l.at, l.path, fileToken, "evil.example", "http://evil.example", false),
			"a page in a file":           status(l.at, l.path, fileToken, "", "null", false),
			"no token, as a web browser": status(l.at, l.path, "", "", "http://"+l.at[strings.Index(l.at, "//")+2:], false),
		} {
			if got != 401 && got != 403 {
				t.Errorf("%s, %s: %d", l.at, what, got)
			}
		}
	}
	for _, path := range []string{"../../../../etc/passwd", "/etc/passwd", "a/../../../../etc/passwd", "/proc/self/environ", "\x00"} {
		if got := status(s.files, "/files?path="+url.QueryEscape(path), fileToken, "", "", false); got < 400 {
			t.Errorf("%q is given out: %d", path, got)
		}
	}
	if got := status(s.code, "/contexts/"+url.PathEscape("../../etc/passwd"), fileToken, "", "", false); got < 400 {
		t.Errorf("a path as a context's id: %d", got)
	}
}

// pair makes a certificate for 127.0.0.1 and its key, as PEM.
func pair(t *testing.T, dir, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) ([]byte, string) {
		text, path := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return text, path
	}
	text, cert := write(name+".crt", "CERTIFICATE", der)
	_, key = write(name+".key", "PRIVATE KEY", keyDER)
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return cert, key, pool
}

// TestServeTLS runs code over TLS 1.2 and 1.3, always as HTTP/1.1; older versions and files
// that do not fit are refused.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key, pool := pair(t, dir, "one")
	_, otherKey, _ := pair(t, dir, "two")
	for _, c := range []struct{ cert, key, want string }{
		{cert, otherKey, "private key does not match"},
		{cert, filepath.Join(dir, "none"), "no such file"},
		{key, cert, "--tls-cert and --tls-key cannot be used"},
		{cert, "", "belong together"},
	} {
		out, err := nbterm(t, "serve", "--listen", "127.0.0.1:0", "--tls-cert", c.cert, "--tls-key", c.key).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "PRIVATE KEY--") {
			t.Errorf("%+v: %v %s", c, err, out)
		}
	}
	s := serveE2B(t, "--tls-cert", cert, "--tls-key", key)
	for _, version := range []uint16{tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
		transport := &http.Transport{
			ForceAttemptHTTP2: true,
			TLSClientConfig:   &tls.Config{RootCAs: pool, MinVersion: version, MaxVersion: version}, //nolint:gosec // that old ones are refused is tested
		}
		s.client = &http.Client{Transport: transport}
		if version < tls.VersionTLS12 {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.code+"/health", nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp, err := s.client.Do(r); err == nil {
				_ = resp.Body.Close()
				t.Errorf("TLS %x is spoken", version)
			}
			continue
		}
		resp := s.execute(fileToken, "print(6*7)")
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.ProtoMajor != 1 || resp.TLS.Version != version || !strings.Contains(string(body), `"42\n"`) {
			t.Errorf("%v %s %x %s", err, resp.Proto, resp.TLS.Version, body)
		}
		transport.CloseIdleConnections()
	}
	if !strings.HasPrefix(s.own, "nbterm+https://") {
		t.Error(s.own)
	}
}

// TestServeEndsStreams has the server end while code runs: its client is told.
func TestServeEndsStreams(t *testing.T) {
	s := serveE2B(t)
	resp := s.execute(fileToken, "print('go', flush=True)\nwhile True: pass")
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for line := ""; !strings.Contains(line, `"go\n"`); {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if code := s.stop(syscall.SIGTERM); code != 143 {
		t.Errorf("it ended with %d", code)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), `"name": "UnexpectedEndOfExecution"`) || !strings.HasSuffix(string(rest), "{\"type\": \"end_of_execution\"}\n") {
		t.Errorf("%v %s", err, rest)
	}
}

// TestSecondSignal leaves an end that does not come.
func TestSecondSignal(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	result, ending := make(chan error, 1), make(chan struct{})
	go func() {
		result <- servedUntilSignal(t.Context(), func(ctx context.Context) error {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return err
			}
			<-ctx.Done()
			close(ending)
			<-stuck
			return nil
		})
	}()
	<-ending
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var ended *batch.Error
	if err := <-result; !errors.As(err, &ended) || ended.Status != batch.Terminated {
		t.Error(err)
	}
}

// TestServeTellsNoSecrets runs secrets through what succeeds and what fails, and reads the log.
func TestServeTellsNoSecrets(t *testing.T) {
	const secret = "hush-4711"
	s := serveE2B(t, "--log-requests")
	send := func(method, at, path, body string, header ...string) {
		r, err := http.NewRequestWithContext(t.Context(), method, at+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("E2b-Traffic-Access-Token", fileToken)
		r.Header.Set("X-Access-Token", fileToken)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	s.run(secret, "print('"+secret+"')")
	s.run(fileToken, "print('"+secret+"')")
	s.run(fileToken, "raise ValueError('"+secret+"')")
	s.run(fileToken, "import os; os.write(2, b'"+secret+"'); os._exit(7)")
	send("POST", s.code, "/execute", `{"code": "1/0 # `+secret+`", "env_vars": {"A": "`+secret+`"}}`)
	send("POST", s.code, "/execute", `{"code": "`+secret)
	send("POST", s.code, "/execute", `{"code": "1", "context_id": "`+secret+`"}`)
	send("POST", s.code, "/contexts", `{"language": "`+secret+`"}`)
	send("POST", s.code, "/contexts", `{"cwd": "/`+secret+`"}`)
	send("POST", s.code, "/contexts/"+secret+"/restart", "")
	send("DELETE", s.code, "/contexts/"+secret, "")
	send("GET", s.code, "/"+secret+"?token="+secret, "")
	send("POST", s.code, "/sandboxes", `{"envVars": {"A": "`+secret+`"}}`, "X-Api-Key", fileToken)
	send("POST", s.code, "/sandboxes", `{}`, "X-Api-Key", secret)
	send("POST", s.files, "/files?path="+secret, secret)
	send("GET", s.files, "/files?path="+secret+"&signature="+secret, "", "X-Access-Token", secret)
	send("GET", strings.TrimPrefix(s.own, "nbterm+"), "/v1/contexts?token="+secret, "", "Authorization", "Bearer "+secret)
	s.stop(syscall.SIGTERM)
	said := s.words()
	if !strings.Contains(said, "call=/execute") {
		t.Errorf("no request is logged: %s", said)
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, secret) || strings.Contains(line, fileToken) || strings.Contains(line, "1/0") {
			t.Errorf("its log tells %s", line)
		}
	}
}
