package e2btest

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

func copyTo(dst io.Writer, r *http.Request) (int64, error) { return io.Copy(dst, r.Body) }

// control is the control plane.
func (s *Server) control(w http.ResponseWriter, r *http.Request, path []string, body string) {
	if r.Header.Get(wire.HeaderAPIKey) != Key {
		message(w, http.StatusUnauthorized, "Invalid API key "+r.Header.Get(wire.HeaderAPIKey))
		return
	}
	var q struct {
		Timeout  int64             `json:"timeout"`
		Metadata map[string]string `json:"metadata"`
		EnvVars  map[string]string `json:"envVars"`
	}
	_ = json.Unmarshal([]byte(body), &q)
	life := time.Duration(q.Timeout) * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(path) == 1 {
		s.all(w, r, life, q.Metadata, q.EnvVars)
		return
	}
	b := s.boxes[path[1]]
	if b == nil {
		message(w, http.StatusNotFound, "sandbox "+path[1]+" not found")
		return
	}
	verb := r.Method
	if len(path) > 2 {
		verb = path[2]
	}
	switch verb {
	case http.MethodGet:
		answer(w, http.StatusOK, detail(b))
	case http.MethodDelete:
		b.kill()
		delete(s.boxes, b.ID)
		answer(w, http.StatusNoContent, nil)
	case "timeout":
		b.Lifetime, b.Ends = life, time.Now().Add(life)
		answer(w, http.StatusNoContent, nil)
	case "connect":
		if b.State == "paused" {
			if life == 0 {
				life = 5 * time.Minute
			}
			b.State, b.Lifetime, b.Ends = "running", life, time.Now().Add(life)
		}
		answer(w, http.StatusOK, s.reach(b))
	default:
		message(w, http.StatusNotFound, "no such path")
	}
}

// all makes or lists sandboxes.
func (s *Server) all(w http.ResponseWriter, r *http.Request, life time.Duration, metadata, vars map[string]string) {
	if r.Method == http.MethodPost {
		b := s.add()
		b.Lifetime, b.Ends, b.Metadata, b.EnvVars = life, time.Now().Add(life), metadata, vars
		answer(w, http.StatusCreated, s.reach(b))
		return
	}
	list := []any{}
	for _, b := range s.boxes {
		list = append(list, detail(b))
	}
	answer(w, http.StatusOK, list)
}

// reach is what is told of a sandbox that somebody connects to.
func (s *Server) reach(b *Box) any {
	m := map[string]any{"templateID": "t", "sandboxID": b.ID, "clientID": "c", "envdVersion": "0.2.0", "envdAccessToken": "access-" + b.ID}
	if s.Traffic != "" {
		m["trafficAccessToken"] = s.Traffic
	}
	return m
}

func detail(b *Box) any {
	return map[string]any{
		"templateID": "t", "alias": "code-interpreter-v1", "sandboxID": b.ID, "clientID": "c", "state": b.State,
		"startedAt": b.Ends.Add(-b.Lifetime), "endAt": b.Ends, "metadata": b.Metadata,
	}
}
