package envd

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/nbterm/nbterm/internal/webguard"
)

// fail answers with an error as envd's plain HTTP part does.
func fail(w http.ResponseWriter, status int, err error) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct { // the client is gone
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{status, err.Error()})
}

var (
	errForeignHost   = errors.New("this server is not known under the name in the Host header")
	errForeignOrigin = errors.New("web pages of other origins may not call this server")
	errUnauthorized  = errors.New("unauthorized access, please provide a valid access token or method signing if supported")
)

// guard refuses what a foreign web page makes a browser send: by its Origin, or by the name
// that it made point here. It answers the preflights of the others.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Origin")
		if !webguard.Named(r.Host, s.opts.Hosts) {
			fail(w, http.StatusForbidden, errForeignHost)
			return
		}
		origin := r.Header.Get("Origin")
		if origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		if !s.admits(origin, r.Host) {
			fail(w, http.StatusForbidden, errForeignOrigin)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h.Set("Access-Control-Expose-Headers", "Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, Location, Cache-Control, X-Content-Type-Options")
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "HEAD, GET, POST, PUT, PATCH, DELETE")
		if wants := r.Header.Get("Access-Control-Request-Headers"); wants != "" {
			h.Set("Access-Control-Allow-Headers", wants)
		}
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	})
}

// admits tells whether pages of an origin may call.
func (s *Server) admits(origin, host string) bool {
	return webguard.SameOrigin(origin, host) || slices.Contains(s.opts.Origins, origin)
}

// gate asks for the token, but where a signature may stand for it or nothing is told.
func (s *Server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := s.accessToken()
		if token == "" || exempt(r) || webguard.Same(r.Header.Get("X-Access-Token"), token) {
			next.ServeHTTP(w, r)
			return
		}
		fail(w, http.StatusUnauthorized, errUnauthorized)
	})
}

func exempt(r *http.Request) bool {
	switch r.Method + " " + r.URL.Path {
	case "GET /health", "GET /files", "POST /files", "POST /init":
		return true
	}
	return false
}

// signed checks what /files asks instead: the token, or a signature. A token that is there
// decides alone.
func (s *Server) signed(r *http.Request, q url.Values, op Operation) error {
	token := s.accessToken()
	if token == "" {
		return nil
	}
	if sent := r.Header.Get("X-Access-Token"); sent != "" {
		if !webguard.Same(sent, token) {
			return errWrongHeader
		}
		return nil
	}
	return verify(q, op, token, time.Now())
}
