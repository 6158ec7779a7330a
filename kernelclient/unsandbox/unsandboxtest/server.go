package unsandboxtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// The pair of keys that a Server without Options.Keys knows.
const (
	PublicKey = "unsb-pk-aaaa-bbbb-cccc-dddd"
	SecretKey = "unsb-sk-aaaaa-bbbbb-ccccc-ddddd"
)

// Options are for New. The zero value runs no code of this machine.
type Options struct {
	Keys  map[string]string // public → secret
	Now   func() time.Time  // of signatures and jobs; nil is time.Now
	Query string            // "with", "without": how a query must be signed; "" takes either
	// Run runs programs of python and bash on this machine, each as a fresh process in a
	// folder of its own, and sessions in a real shell. Without it a few forms are understood
	// (print, echo, exit, sleep, input files, artifacts).
	Run         bool
	Python      string // the interpreter, "" is python3
	Tmux        bool   // sessions with the multiplexer "tmux" run a real one; else a shell lives on by itself
	Concurrency int    // active executions, 0 = no limit
	Rate        int    // submissions a minute, 0 = no limit
	Pending     int    // polls that a job is pending
	Running     int    // further polls that it runs at least
	Aliases     map[string]string
	Languages   []string // nil is a list of some
}

// Server is a fake of the service. Its methods may be called from any goroutine.
type Server struct {
	URL string

	opt    Options
	http   *http.Server
	dir    string
	closed chan struct{}
	wg     sync.WaitGroup // shells and programs

	mu        sync.Mutex // guards all below
	scenario  map[string]*fault
	log       []Request
	jobs      map[string]*job
	sessions  map[string]*session
	snapshots map[string]*snapshot
	submitted []time.Time
	lastAt    time.Time
	challenge map[string]bool // sudo challenges that are open
	more      chan struct{}   // closed and replaced by the next request
	hurried   bool            // jobs to come do not wait for polls
	frames    int             // of websockets, until they are dropped; 0 = never
}

// New starts a server on a free port of 127.0.0.1. Close ends it and all that it started.
func New(opt Options) (*Server, error) {
	if opt.Keys == nil {
		opt.Keys = map[string]string{PublicKey: SecretKey}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Python == "" {
		opt.Python = "python3"
	}
	if opt.Languages == nil {
		opt.Languages = []string{"python", "javascript", "bash", "ruby", "go", "r", "php"}
	}
	dir, err := os.MkdirTemp("", "unsandboxtest-")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), opt: opt, dir: dir, closed: make(chan struct{}), scenario: map[string]*fault{},
		jobs: map[string]*job{}, sessions: map[string]*session{}, snapshots: map[string]*snapshot{}, challenge: map[string]bool{}, more: make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.wg.Go(func() { _ = s.http.Serve(l) }) // it ends with Close
	return s, nil
}

// Close ends the server, its programs and its shells.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return
	default:
		close(s.closed)
	}
	for _, j := range s.jobs {
		j.kill()
	}
	for _, x := range s.sessions {
		x.end()
	}
	s.mu.Unlock()
	_ = s.http.Close()
	s.wg.Wait()
	_ = os.RemoveAll(s.dir)
}

// Env is the environment, K=V, of a client that is to use this server with its first pair of
// keys and the given home folder.
func (s *Server) Env(home string) []string {
	return []string{
		"HOME=" + home, "UNSANDBOX_API_URL=" + s.URL,
		"UNSANDBOX_PUBLIC_KEY=" + PublicKey, "UNSANDBOX_SECRET_KEY=" + SecretKey,
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Date", s.opt.Now().Add(s.clock()).UTC().Format(http.TimeFormat))
	if strings.HasPrefix(r.URL.Path, "/_fake/") {
		s.control(w, r, body)
		return
	}
	why, query := s.verify(r, body)
	s.note(r, body, query, why == "")
	if r.URL.Path == "/health" {
		answer(w, http.StatusOK, map[string]any{"status": "ok"})
		return
	}
	if why != "" {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized", "message": why})
		return
	}
	s.route(w, r, body)
}

func (s *Server) route(w http.ResponseWriter, r *http.Request, body []byte) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch parts[0] {
	case "execute", "run":
		s.execute(w, r, body)
	case "jobs":
		s.serveJobs(w, r, parts[1:])
	case "languages":
		s.serveLanguages(w, r)
	case "keys":
		s.validate(w, r)
	case "sessions":
		s.serveSessions(w, r, parts[1:], body)
	case "snapshots":
		s.serveSnapshots(w, r, parts[1:], body)
	case "services":
		s.serveServices(w, r, parts[1:], body)
	default:
		notFound(w, "path")
	}
}

// answer writes compact JSON.
func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who asked may be gone
}

func notFound(w http.ResponseWriter, what string) {
	answer(w, http.StatusNotFound, map[string]any{"error": "not_found", "message": "no such " + what})
}

func invalid(w http.ResponseWriter, format string, args ...any) {
	answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_request", "message": fmt.Sprintf(format, args...)})
}
