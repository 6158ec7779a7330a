package e2btest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// Stream is what a Script writes to.
type Stream struct {
	wire.Execution
	Count int
	w     http.ResponseWriter
	gone  context.Context
}

// Gone is done when the client went away, or the sandbox did.
func (s *Stream) Gone() <-chan struct{} { return s.gone.Done() }

// Send sends lines, each at once.
func (s *Stream) Send(lines ...wire.Line) {
	for _, l := range lines {
		s.Raw(string(l.AppendLine(nil)))
	}
}

// Raw sends bytes as they are.
func (s *Stream) Raw(text string) {
	_, _ = s.w.Write([]byte(text))
	_ = http.NewResponseController(s.w).Flush()
}

// Break ends the connection within the stream.
func (s *Stream) Break() { panic(http.ErrAbortHandler) }

// interpreter is a sandbox's code interpreter, and the health of its envd.
func (s *Server) interpreter(w http.ResponseWriter, r *http.Request, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get(wire.HeaderSandbox)
	b := s.boxes[id]
	if b == nil && id == "debug_sandbox_id" {
		b = s.add()
		delete(s.boxes, b.ID)
		b.ID = id
		s.boxes[id] = b
	}
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case b == nil || b.State != "running":
		answer(w, http.StatusBadGateway, map[string]any{"sandboxId": id, "message": "The sandbox was not found", "code": http.StatusBadGateway})
	case r.Header.Get(wire.HeaderPort) == fmt.Sprint(wire.PortEnvd):
		w.WriteHeader(http.StatusNoContent)
	case s.Traffic != "" && r.Header.Get(wire.HeaderTraffic) != s.Traffic:
		message(w, http.StatusForbidden, "Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is missing")
	case path[0] == "health":
		answer(w, http.StatusOK, "OK")
	case path[0] == "contexts":
		s.contextCall(w, r, b, path, body)
	case path[0] == "execute":
		s.execute(w, r, b, body)
	default:
		answer(w, http.StatusNotFound, map[string]string{"detail": "Not Found"})
	}
}

func (s *Server) knows(language string) bool {
	if s.Known != nil {
		return s.Known(language)
	}
	return language != "cobol"
}

// contextCall is one of the calls about contexts.
func (s *Server) contextCall(w http.ResponseWriter, r *http.Request, b *Box, path []string, body string) {
	if len(path) == 1 && r.Method == http.MethodGet {
		answer(w, http.StatusOK, b.contexts)
		return
	}
	if len(path) == 1 {
		var q wire.ContextRequest
		_ = json.Unmarshal([]byte(body), &q)
		if name := wire.Language(q.Language); !s.knows(name) {
			plain(w, http.StatusInternalServerError, `Failed to create context: {"message": "The '`+name+`' kernel is not available. Please pick another suitable kernel instead, or install that kernel.", "short_message": "`+name+` not found"}`)
			return
		}
		answer(w, http.StatusOK, b.context(q.Language, q.Cwd))
		return
	}
	i := slices.IndexFunc(b.contexts, func(c wire.Context) bool { return c.ID == path[1] })
	if i < 0 {
		plain(w, http.StatusNotFound, "Context "+path[1]+" not found")
		return
	}
	tell := s.Removed
	if r.Method == http.MethodDelete {
		b.contexts = slices.Delete(b.contexts, i, i+1)
	} else {
		b.counts[path[1]], tell = 0, s.Restarted
	}
	if tell != nil {
		tell(path[1])
	}
	answer(w, http.StatusOK, nil)
}

// execute runs a script. mu is held, but while it runs.
func (s *Server) execute(w http.ResponseWriter, r *http.Request, b *Box, body string) {
	var x wire.Execution
	_ = json.Unmarshal([]byte(body), &x)
	if x.ContextID != "" && x.Language != "" {
		plain(w, http.StatusBadRequest, "Only one of context_id or language can be provided")
		return
	}
	if !slices.ContainsFunc(b.contexts, func(c wire.Context) bool { return c.ID == x.ContextID }) {
		plain(w, http.StatusNotFound, "Context "+x.ContextID+" not found")
		return
	}
	n := b.counts[x.ContextID] + 1
	if x.Code != "" {
		b.counts[x.ContextID] = n
	}
	w.Header()["Content-Type"] = nil
	w.WriteHeader(http.StatusOK)
	gone, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(b.gone, cancel)()
	stream := &Stream{Execution: x, Count: n, w: w, gone: gone}
	var script Script
	if s.Run != nil {
		script = s.Run(x)
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	stream.Raw("")
	defer s.note(r, x)
	if script == nil {
		stream.Send(wire.Count{N: n}, wire.End{})
		return
	}
	script(stream)
	if b.gone.Err() != nil {
		stream.Break()
	}
}

// note tells of code whose client went away, as long as somebody could still read of it.
func (s *Server) note(r *http.Request, x wire.Execution) {
	if r.Context().Err() == nil {
		return
	}
	select {
	case s.left <- x.Code:
	default:
	}
}
