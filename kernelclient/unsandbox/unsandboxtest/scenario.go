package unsandboxtest

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fault is the value of a switch: how often it still counts, -1 for ever.
type fault struct {
	name string
	left int
}

// Switches are what Set understands, each with its values. A value may end with xN, which
// makes it count N times.
func Switches() map[string][]string {
	return map[string][]string{
		"execute":   {"blocking", "blocking-nostatus", "pending", "queued", "nested", "nothing", "failed-error"},
		"async":     {"202", "200", "404", "405"},
		"cancel":    {"200", "204", "404", "finished-first"},
		"jobs":      {"wrapped", "bare", "idkey", "nokey"},
		"languages": {"wrapped", "bare", "objects", "empty", "500", "reset"},
		"poll":      {"503", "404", "503then404", "429", "401", "badjson", "drop", "slow", "unknownstatus", "nostatus"},
		"submit":    {"401", "401skew", "403", "429rate", "429conc", "500html", "500text", "badjson", "empty", "reset", "slow", "redirect", "huge"},
		"validate":  {"valid", "invalid200", "invalid401", "expired"},
		"sudo":      {"on"},
		"artifact":  {"data", "content_base64", "content", "error", "badbase64", "traversalname"},
		"session":   {"idkey", "sessionid", "201", "ws426", "wsnoauth", "wsauth", "noexecute"},
		"snapshot":  {"A", "B", "403"},
		"clock":     nil, // such as +412s
	}
}

// Set turns switches: "poll=503x2 async=404". The empty string turns all off. A switch or
// value that does not exist is an error of the test: it returns false.
func (s *Server) Set(scenario string) bool {
	set, ok := parse(scenario)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scenario = set
	return ok
}

func parse(scenario string) (map[string]*fault, bool) {
	set, all := map[string]*fault{}, true
	for _, word := range strings.Fields(scenario) {
		key, value, _ := strings.Cut(word, "=")
		f := &fault{name: value, left: -1}
		if m := regexp.MustCompile(`^(.+)x(\d+)$`).FindStringSubmatch(value); m != nil {
			f.name = m[1]
			f.left, _ = strconv.Atoi(m[2])
		}
		values, known := Switches()[key]
		all = all && known && (values == nil || slices.Contains(values, f.name))
		set[key] = f
	}
	return set, all
}

// take is the value of a switch for a request, "" if it is off. It counts.
func (s *Server) take(r *http.Request, key string) string {
	if own, _ := parse(r.Header.Get("X-Fake-Scenario")); own[key] != nil {
		return own[key].name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.scenario[key]
	if f == nil || f.left == 0 {
		return ""
	}
	if f.left > 0 {
		f.left--
	}
	return f.name
}

// is tells whether a switch has a value, without counting.
func (s *Server) is(r *http.Request, key, value string) bool {
	if own, _ := parse(r.Header.Get("X-Fake-Scenario")); own[key] != nil {
		return own[key].name == value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.scenario[key]
	return f != nil && f.left != 0 && f.name == value
}

// clock is how far the server's clock is ahead.
func (s *Server) clock() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.scenario["clock"]; f != nil {
		d, _ := time.ParseDuration(strings.TrimPrefix(f.name, "+"))
		return d
	}
	return 0
}

// control serves what is outside of the API: POST /_fake/scenario, GET /_fake/transcript.
func (s *Server) control(w http.ResponseWriter, r *http.Request, body []byte) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/_fake/scenario":
		if !s.Set(string(body)) {
			invalid(w, "no such switch")
			return
		}
		answer(w, http.StatusOK, map[string]any{"ok": true})
	case r.Method == http.MethodGet && r.URL.Path == "/_fake/transcript":
		answer(w, http.StatusOK, s.Transcript())
	default:
		notFound(w, "control")
	}
}

// trouble answers a submission as a switch says; false if there is none.
func (s *Server) trouble(w http.ResponseWriter, r *http.Request, kind string) bool {
	switch kind {
	case "":
		return false
	case "401":
		answer(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized"})
	case "401skew":
		answer(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized", "message": "timestamp expired"})
	case "403":
		answer(w, http.StatusForbidden, map[string]any{"error": "forbidden", "message": "not in your tier"})
	case "404":
		notFound(w, "job")
	case "405":
		answer(w, http.StatusMethodNotAllowed, map[string]any{"error": "method_not_allowed"})
	case "429", "429rate":
		answer(w, http.StatusTooManyRequests, map[string]any{"error": "rate_limit_exceeded", "message": "slow down"})
	case "429conc":
		answer(w, http.StatusTooManyRequests, map[string]any{"error": "concurrency_limit_reached", "active_executions": 3, "concurrency_limit": 3})
	case "500", "500html":
		plain(w, http.StatusInternalServerError, "text/html", "<html><head><title>oops</title></head>\x1b[31m<body>"+strings.Repeat("trouble ", 500)+"</body></html>")
	case "500text":
		plain(w, http.StatusInternalServerError, "text/plain", "internal error")
	case "503":
		plain(w, http.StatusServiceUnavailable, "text/plain", "restarting")
	case "badjson":
		plain(w, http.StatusOK, "application/json", `{"job_id":`)
	case "empty":
		plain(w, http.StatusOK, "application/json", "")
	case "redirect":
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case "huge":
		huge(w)
	case "slow":
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
	default: // reset, drop
		drop(w)
	}
	return true
}

func plain(w http.ResponseWriter, status int, typ, body string) {
	w.Header().Set("Content-Type", typ)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// huge answers with more than any client should read.
func huge(w http.ResponseWriter) {
	_, _ = io.WriteString(w, `{"job_id":"big","status":"completed","stdout":"`)
	chunk := strings.Repeat("x", 1<<20)
	for range 80 {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
	_, _ = io.WriteString(w, `"}`)
}

// drop ends the connection without an answer.
func drop(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			_ = c.Close()
		}
	}
}

// Request is one request of the transcript.
type Request struct {
	Method      string        `json:"method"`
	Path        string        `json:"path"`
	Query       string        `json:"query,omitempty"`
	Header      http.Header   `json:"header"`
	Body        string        `json:"body,omitempty"`
	SignedQuery bool          `json:"signed_query,omitempty"`
	Taken       bool          `json:"taken"` // the signature was good
	Since       time.Duration `json:"since"` // the one before
}

func (s *Server) note(r *http.Request, body []byte, query, taken bool) {
	now := s.opt.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	q := Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: string(body),
		SignedQuery: query, Taken: taken,
	}
	if !s.lastAt.IsZero() {
		q.Since = now.Sub(s.lastAt)
	}
	s.lastAt = now
	s.log = append(s.log, q)
	close(s.more)
	s.more = make(chan struct{})
}

// Await waits until the transcript is as it should be, or the server is closed.
func (s *Server) Await(enough func([]Request) bool) {
	for {
		s.mu.Lock()
		log, more := slices.Clone(s.log), s.more
		s.mu.Unlock()
		if enough(log) {
			return
		}
		select {
		case <-more:
		case <-s.closed:
			return
		}
	}
}

// Hurry lets jobs end at the next poll that would run for some more: those with these codes,
// or all.
func (s *Server) Hurry(codes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if len(codes) == 0 || slices.Contains(codes, j.code) {
			j.polls = s.opt.Pending + s.opt.Running
		}
	}
	s.hurried = s.hurried || len(codes) == 0
}

// Transcript is every request so far, those outside of the API apart.
func (s *Server) Transcript() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// TranscriptJSON is the transcript as text, to be searched for what must not be in it.
func (s *Server) TranscriptJSON() string {
	b, _ := json.Marshal(s.Transcript()) // it has nothing that cannot be encoded
	return string(b)
}
