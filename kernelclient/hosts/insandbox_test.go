package hosts

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
)

// The Jupyter server in a sandbox is asked with what routes and allows requests to it; the
// sandbox that was made for it is gone at the end.
func TestJupyterServerInASandbox(t *testing.T) {
	cloud := e2btest.New(t)
	cloud.Traffic = "traffic-5ec4e7"
	cloud.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			return false
		}
		h := r.Header
		if h.Get("E2b-Sandbox-Port") != "8888" || !strings.HasPrefix(h.Get("E2b-Sandbox-Id"), "ibox") || h.Get("E2B-Traffic-Access-Token") != cloud.Traffic {
			t.Errorf("%s: %v", r.URL.Path, h)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"default":"python3","kernelspecs":{"python3":{"name":"python3","spec":{"display_name":"Python 3","language":"python","argv":[]},"resources":{}}}}`)
		return true
	}
	a, in, err := Parse("e2b:")
	if err != nil {
		t.Fatal(err)
	}
	target, err := Resolve(a, in, Settings{ViaServer: true}, none)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(target, Options{Env: append(cloud.Env(), "HOME="+t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cloud.Boxes()); n != 0 {
		t.Errorf("%d sandboxes before anything was asked", n)
	}
	list, err := h.Kernels(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "python3" || len(cloud.Boxes()) != 1 {
		t.Errorf("%v %v, %d sandboxes", list, err, len(cloud.Boxes()))
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if left := cloud.Boxes(); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// One word about certificates holds for E2B's servers too.
func TestCertificatesOfE2B(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "[]")
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settings Settings
		good     bool
	}{{Settings{}, false}, {Settings{CAFile: file}, true}, {Settings{Insecure: true}, true}} {
		a, in, err := Parse("e2b+" + s.URL)
		if err != nil {
			t.Fatal(err)
		}
		target, err := Resolve(a, in, c.settings, none)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(target, Options{Env: []string{"HOME=" + t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Contexts(t.Context()); (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%v: %v", c.settings, err)
		}
		_ = h.Close()
	}
}
