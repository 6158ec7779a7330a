package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestForeignPages refuses what a browser sends for a web page of somebody else.
func TestForeignPages(t *testing.T) {
	s := New(Options{Hosts: []string{"box"}})
	h := s.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"localhost:1", "", 200},
		{"[::1]:1", "", 200},
		{"BOX:1", "", 200},
		{"evil.example", "", 403},
		{"127.0.0.1:1", "https://evil.example", 403},
		{"127.0.0.1:1", "null", 403},
		{"127.0.0.1:1", "http://127.0.0.1:1", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/health", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("Host %s, Origin %q: %d %v, not %d", c.host, c.origin, w.Code, w.Header(), c.want)
		}
	}
	w := httptest.NewRecorder()
	s.Metrics(func() []Figure { return nil }).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if !strings.Contains(w.Body.String(), "\nnbterm_refused_total 3\n") {
		t.Error(w.Body)
	}
}

// TestCallSaysNothing keeps names of files and contexts out of the log.
func TestCallSaysNothing(t *testing.T) {
	s := New(Options{Calls: []string{"contexts"}})
	for path, want := range map[string]string{"/contexts/secret/restart": "/contexts", "/secret": "other", "": "other"} {
		if got := s.call(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
