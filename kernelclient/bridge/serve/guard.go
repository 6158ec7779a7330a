package serve

import (
	"fmt"
	"io"
	"net/http"

	"github.com/nbterm/nbterm/internal/webguard"
)

// guard refuses what a foreign web page makes a browser send: by its Origin, or by the name
// that it made point here.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		why := ""
		switch origin := r.Header.Get("Origin"); {
		case !webguard.Named(r.Host, s.opt.Hosts):
			why = "this server is not known under the name in the Host header"
		case origin != "" && !webguard.SameOrigin(origin, r.Host):
			why = "web pages of other origins may not call this server"
		}
		if why == "" {
			next.ServeHTTP(w, r)
			return
		}
		s.refused.Add(1)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, why) // the client is gone
	})
}

// Figure is a number for whoever watches the server.
type Figure struct {
	Name, Help string
	Value      float64
	Counter    bool // it only grows
}

// Metrics tells the figures of the server, and more of its faces', in Prometheus's text
// format. It is for a listener of its own.
func (s *Server) Metrics(more func() []Figure) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		for _, f := range append([]Figure{
			{"nbterm_requests_total", "Requests that came in.", float64(s.requests.Load()), true},
			{"nbterm_refused_total", "Requests of foreign web pages.", float64(s.refused.Load()), true},
			{"nbterm_slowed_total", "Requests that came too often.", float64(s.slowed.Load()), true},
			{"nbterm_requests_active", "Requests under way.", float64(s.under.Load()), false},
		}, more()...) {
			kind := "gauge"
			if f.Counter {
				kind = "counter"
			}
			_, _ = fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", f.Name, f.Help, f.Name, kind, f.Name, f.Value)
		}
	})
}
