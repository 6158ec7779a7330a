package e2btest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// Key is the API key that the control plane takes.
const Key = "e2b_00c0ffee5ec4e7"

// Script says what code does. It writes to s and returns at the end, or when s.Gone is done.
type Script func(s *Stream)

// Server is one account's cloud. Its methods may be called from any goroutine.
type Server struct {
	URL string
	// Run says what a piece of code does; nil, or a nil Script, answers as for empty code.
	Run func(x wire.Execution) Script
	// Traffic is the token that each call of an interpreter must have; "" is none.
	Traffic string
	// Known, if not nil, tells which languages there are; else all but cobol are.
	Known func(language string) bool
	// Restarted and Removed, if not nil, are told of contexts that were.
	Restarted, Removed func(id string)
	// Fault, if not nil, may answer a request in the server's place: true if it did.
	Fault func(w http.ResponseWriter, r *http.Request) bool

	http *httptest.Server

	left chan string // code whose client went away

	mu    sync.Mutex // guards all below
	boxes map[string]*Box
	made  int
	calls []Call
}

// Box is a sandbox.
type Box struct {
	ID       string
	State    string // running, paused
	Ends     time.Time
	Lifetime time.Duration // as it was set last
	Metadata map[string]string
	EnvVars  map[string]string
	contexts []wire.Context
	counts   map[string]int
	gone     context.Context
	kill     context.CancelFunc
}

// Call is a request that the server had.
type Call struct {
	Method, Path string
	Header       http.Header
	Body         string
}

// New starts a server that ends with the test. Set its fields before it is used.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server. Set its fields before it is used.
func Start() *Server {
	s := &Server{boxes: map[string]*Box{}, left: make(chan string, 100)}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	return s
}

// Close ends the server, and what runs in it.
func (s *Server) Close() {
	s.mu.Lock()
	for _, b := range s.boxes {
		b.kill()
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Env is the environment in which E2B's SDKs find the server.
func (s *Server) Env() []string {
	return []string{"E2B_API_KEY=" + Key, "E2B_API_URL=" + s.URL, "E2B_SANDBOX_URL=" + s.URL}
}

// Add makes a sandbox as if somebody else had.
func (s *Server) Add() *Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add()
}

func (s *Server) add() *Box {
	s.made++
	b := &Box{ID: fmt.Sprintf("ibox%d", s.made), State: "running", Lifetime: 5 * time.Minute, counts: map[string]int{}}
	b.Ends = time.Now().Add(b.Lifetime)
	b.gone, b.kill = context.WithCancel(context.Background())
	b.context("python", "")
	b.context("javascript", "")
	s.boxes[b.ID] = b
	return b
}

func (b *Box) context(language, cwd string) wire.Context {
	if cwd == "" {
		cwd = "/home/user"
	}
	c := wire.Context{ID: fmt.Sprintf("%s-c%d", b.ID, len(b.counts)+1), Language: wire.Language(language), Cwd: cwd}
	b.counts[c.ID] = 0
	b.contexts = append(b.contexts, c)
	return c
}

// Boxes lists the sandboxes that there are.
func (s *Server) Boxes() []Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Box
	for _, b := range s.boxes {
		all = append(all, *b)
	}
	return all
}

// Contexts lists the contexts of a sandbox.
func (s *Server) Contexts(id string) []wire.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.boxes[id]; b != nil {
		return slices.Clone(b.contexts)
	}
	return nil
}

// Kill ends a sandbox: its connections break, and the edge knows it no more.
func (s *Server) Kill(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.boxes[id]; b != nil {
		b.kill()
		delete(s.boxes, id)
	}
}

// Pause lets a sandbox sleep.
func (s *Server) Pause(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boxes[id].State = "paused"
}

// Calls are the requests so far whose path begins so.
func (s *Server) Calls(method, path string) (some []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.Method == method && strings.HasPrefix(c.Path, path) {
			some = append(some, c)
		}
	}
	return some
}

// Left gets the code whose client went away before its end.
func (s *Server) Left() <-chan string { return s.left }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := new(strings.Builder)
	_, _ = copyTo(body, r)
	s.mu.Lock()
	s.calls = append(s.calls, Call{r.Method, r.URL.Path, r.Header.Clone(), body.String()})
	fault := s.Fault
	s.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/v2")
	if strings.HasPrefix(path, "/sandboxes") {
		s.control(w, r, strings.Split(strings.Trim(path, "/"), "/"), body.String())
		return
	}
	s.interpreter(w, r, body.String())
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if v != nil || status == http.StatusOK {
		text, _ := json.Marshal(v)
		_, _ = w.Write(text)
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// message is an error as the control plane and the edge say it.
func message(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]any{"code": status, "message": text})
}
