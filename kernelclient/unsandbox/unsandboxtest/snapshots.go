package unsandboxtest

import (
	"encoding/json"
	"net/http"
)

// snapshot is a copy of a container's disk, in name only.
type snapshot struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"source_type"`
	Source string `json:"source_id"`
	Size   int    `json:"size_bytes"`
	Locked bool   `json:"locked"`
	Hot    bool   `json:"hot"`
	At     string `json:"created_at"`
}

func (s *Server) serveServices(w http.ResponseWriter, r *http.Request, parts []string, body []byte) {
	if len(parts) == 2 && parts[1] == "snapshot" {
		s.snapshotOf(w, r, "service", parts[0], body)
		return
	}
	if len(parts) == 2 && parts[1] == "logs" {
		answer(w, http.StatusOK, map[string]any{"log": "a line\n"})
		return
	}
	notFound(w, "service")
}

// snapshotOf serves dialect B.
func (s *Server) snapshotOf(w http.ResponseWriter, r *http.Request, kind, id string, body []byte) {
	if s.is(r, "snapshot", "A") {
		notFound(w, "path")
		return
	}
	var q struct {
		Name string `json:"name"`
		Hot  bool   `json:"hot"`
	}
	if json.Unmarshal(body, &q) != nil {
		invalid(w, "the body is no JSON")
		return
	}
	s.snap(w, r, &snapshot{Name: q.Name, Hot: q.Hot, Type: kind, Source: id}, "id")
}

func (s *Server) snap(w http.ResponseWriter, r *http.Request, x *snapshot, key string) {
	if s.is(r, "snapshot", "403") {
		s.trouble(w, r, "403")
		return
	}
	x.ID, x.Size, x.At = newID("unsb-snapshot-"), 1234, "2024-01-15T10:00:00Z"
	s.mu.Lock()
	s.snapshots[x.ID] = x
	s.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{key: x.ID})
}

func (s *Server) serveSnapshots(w http.ResponseWriter, r *http.Request, parts []string, body []byte) {
	if len(parts) == 0 {
		if r.Method == http.MethodPost {
			s.dialectA(w, r, body)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		rows := []*snapshot{}
		for _, x := range s.snapshots {
			rows = append(rows, x)
		}
		answer(w, http.StatusOK, map[string]any{"snapshots": rows, "count": len(rows)})
		return
	}
	s.mu.Lock()
	x := s.snapshots[parts[0]]
	s.mu.Unlock()
	if x == nil {
		notFound(w, "snapshot")
		return
	}
	s.snapshotVerb(w, r, x, parts[1:])
}

func (s *Server) snapshotVerb(w http.ResponseWriter, r *http.Request, x *snapshot, verb []string) {
	what := r.Method
	if len(verb) == 1 {
		what = verb[0]
	}
	if (what == http.MethodDelete || what == "unlock") && !s.sudo(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch what {
	case http.MethodGet:
		answer(w, http.StatusOK, x)
	case http.MethodDelete:
		if x.Locked {
			answer(w, http.StatusConflict, map[string]any{"error": "locked"})
			return
		}
		delete(s.snapshots, x.ID)
		answer(w, http.StatusOK, map[string]any{"deleted": true})
	case "lock", "unlock":
		x.Locked = what == "lock"
		answer(w, http.StatusOK, map[string]any{"id": x.ID, "locked": x.Locked})
	case "restore", "clone":
		answer(w, http.StatusOK, map[string]any{x.Type + "_id": newID("unsb-" + x.Type + "-")})
	default:
		notFound(w, "verb")
	}
}

// dialectA serves POST /snapshots.
func (s *Server) dialectA(w http.ResponseWriter, r *http.Request, body []byte) {
	var q struct {
		Session string `json:"session_id"`
		Service string `json:"service_id"`
		Name    string `json:"name"`
		Hot     bool   `json:"hot"`
	}
	if s.is(r, "snapshot", "B") || json.Unmarshal(body, &q) != nil || q.Session == "" == (q.Service == "") {
		invalid(w, "session_id or service_id is needed")
		return
	}
	x := &snapshot{Name: q.Name, Hot: q.Hot, Type: "session", Source: q.Session}
	if q.Session == "" {
		x.Type, x.Source = "service", q.Service
	}
	s.snap(w, r, x, "snapshot_id")
}
