package envd

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/nbterm/nbterm/internal/webguard"
)

// health tells that the server lives, to anybody.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

// envs are the variables that /init set.
func (s *Server) envs(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	env := maps.Clone(s.env)
	s.mu.Unlock()
	answer(w, env)
}

// answer sends JSON.
func answer(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client is gone
}

// setup is what /init can set here. envd sets the clock, certificates and mounts too: that is
// not for a server on somebody's machine.
type setup struct {
	AccessToken    string            `json:"accessToken"`
	DefaultUser    string            `json:"defaultUser"`
	DefaultWorkdir string            `json:"defaultWorkdir"`
	EnvVars        map[string]string `json:"envVars"`
}

// init sets what is not set yet. The first token stays: whoever has it may set the rest again.
func (s *Server) init(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Envd-Version", serverVersion)
	w.Header().Set("Cache-Control", "no-store")
	var in setup
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&in); err != nil {
		http.Error(w, "invalid request body", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.token == "" || webguard.Same(in.AccessToken, s.token):
	case in.AccessToken == "":
		http.Error(w, "access token reset not authorized", http.StatusUnauthorized)
		return
	default:
		http.Error(w, "access token validation failed", http.StatusUnauthorized)
		return
	}
	if in.DefaultUser != "" && !s.knows(in.DefaultUser) {
		http.Error(w, fmt.Sprintf("there is no user %q here", in.DefaultUser), http.StatusBadRequest)
		return
	}
	if in.DefaultWorkdir != "" && !strings.HasPrefix(in.DefaultWorkdir, "/") {
		http.Error(w, "the default folder must be an absolute path", http.StatusBadRequest)
		return
	}
	if in.AccessToken != "" {
		s.token = in.AccessToken
	}
	if in.DefaultWorkdir != "" {
		s.dir = in.DefaultWorkdir
	}
	if in.EnvVars != nil {
		s.env = maps.Clone(in.EnvVars)
		s.env["E2B_SANDBOX"] = "false"
	}
	w.WriteHeader(http.StatusNoContent)
}

// usage is what /metrics tells. Sizes are bytes; the disk is that of the served folder.
type usage struct {
	Time      int64   `json:"ts"` // Unix seconds
	CPUs      int     `json:"cpu_count"`
	CPU       float64 `json:"cpu_used_pct"` // since the last question
	MemTotal  uint64  `json:"mem_total"`
	MemUsed   uint64  `json:"mem_used"`
	MemCache  uint64  `json:"mem_cache"`
	MemTotalM uint64  `json:"mem_total_mib"`
	MemUsedM  uint64  `json:"mem_used_mib"`
	DiskUsed  uint64  `json:"disk_used"`
	DiskTotal uint64  `json:"disk_total"`
}

func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	u := usage{Time: time.Now().Unix(), CPUs: runtime.NumCPU(), CPU: s.cpu.percent()}
	u.measure(s.tree.real)
	u.MemTotalM, u.MemUsedM = u.MemTotal>>20, u.MemUsed>>20
	w.Header().Set("Cache-Control", "no-store")
	answer(w, u)
}
