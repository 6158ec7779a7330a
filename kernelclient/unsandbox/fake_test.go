package unsandbox

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// ask sends a request with a signature that was made elsewhere.
func ask(t *testing.T, s *unsandboxtest.Server, v vector) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), v.method, s.URL+v.path, strings.NewReader(v.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer pk")
	req.Header.Set("X-Timestamp", v.at)
	req.Header.Set("X-Signature", v.signature)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestFakeChecks: the fake takes the vectors and refuses each with one byte changed.
func TestFakeChecks(t *testing.T) {
	for _, v := range vectors(t) {
		at := time.Unix(1_700_000_000, 0)
		if v.at != "1700000000" {
			continue
		}
		s := serve(t, unsandboxtest.Options{Keys: map[string]string{"pk": v.key}, Now: func() time.Time { return at }})
		if got := ask(t, s, v); got == http.StatusUnauthorized {
			t.Errorf("%s %s %q is refused", v.method, v.path, v.body)
		}
		for _, change := range []func(*vector){
			func(v *vector) { v.at = "1700000001" },
			func(v *vector) { v.method = map[bool]string{true: "PUT", false: "POST"}[v.method == "POST"] },
			func(v *vector) { v.path = strings.Replace(v.path, "e", "f", 1) },
			func(v *vector) { v.body += " " },
			func(v *vector) { v.body = strings.Replace(v.body+"x", "p", "q", 1) },
			func(v *vector) { v.signature = "0" + v.signature[1:len(v.signature)-1] + "0" },
			func(v *vector) { v.at = "1700000301" },
		} {
			w := v
			if change(&w); w != v {
				if got := ask(t, s, w); got != http.StatusUnauthorized {
					t.Errorf("%+v is taken: %d", w, got)
				}
			}
		}
		s.Close()
	}
	// Some clients sign nothing and send {}.
	v := vector{key: "k", at: "1700000000", method: "POST", path: "/sessions/x/unfreeze", body: "{}"}
	v.signature = Sign(v.key, v.at, v.method, v.path, nil)
	s := serve(t, unsandboxtest.Options{Keys: map[string]string{"pk": v.key}, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
	if got := ask(t, s, v); got != http.StatusUnauthorized {
		t.Errorf("a body that is not signed is taken: %d", got)
	}
}

// TestSecondSigner: a client that shares nothing with this package is understood as well.
func TestSecondSigner(t *testing.T) {
	python := testPython(t)
	s := serve(t, unsandboxtest.Options{Run: true, Python: python})
	cmd := exec.CommandContext(t.Context(), python, "testdata/client.py", "print('héllo', 6*7)")
	cmd.Env = append(os.Environ(), append(s.Env(t.TempDir()), "PYTHONIOENCODING=utf-8")...)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "completed héllo 42\n" {
		t.Errorf("%s %v", out, err)
	}
	for _, r := range s.Transcript() {
		if !r.Taken {
			t.Errorf("refused: %s %s", r.Method, r.Path)
		}
	}
}

// TestQuery: whichever way a server wants a query signed.
func TestQuery(t *testing.T) {
	for _, query := range []string{"", "with", "without"} {
		c, s, _ := dial(t, unsandboxtest.Options{Query: query})
		a, err := c.do(t.Context(), call{method: http.MethodGet, path: "/services/svc-1/logs", query: "all=true"})
		if err != nil || !strings.Contains(string(a.body), "a line") {
			t.Errorf("%s: %s %v", query, a.body, err)
		}
		if last := s.Transcript()[len(s.Transcript())-1]; last.SignedQuery != (query == "with") || !last.Taken {
			t.Errorf("%s: %+v", query, last)
		}
	}
}

// TestBasePath: a service may live below a path, which is signed too.
func TestBasePath(t *testing.T) {
	c, err := NewClient(ClientOptions{URL: "https://user:word@example.com/base/"})
	if err != nil || c.URL() != "https://example.com/base" {
		t.Errorf("%v %v", c, err)
	}
	for _, bad := range []string{"ftp://x", "nothing", "http://", "http://a?b=c", "http://[::1"} {
		if _, err := NewClient(ClientOptions{URL: bad}); err == nil || strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
