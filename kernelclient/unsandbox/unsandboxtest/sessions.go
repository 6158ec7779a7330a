package unsandboxtest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// session is an interactive container: a folder, and a shell once somebody connects.
type session struct {
	id, shell, mux string
	dir            string
	created        time.Time
	ttl            time.Duration
	tty            *tty // the shell that lives on between connections, with a multiplexer; s.mu guards it
}

// end ends the shell. s.mu is held.
func (x *session) end() {
	if x.mux == "tmux" {
		_ = exec.Command("tmux", "-S", filepath.Join(x.dir, "tmux"), "kill-server").Run() // there may be none
	}
	if x.tty != nil {
		x.tty.kill()
	}
}

func (s *Server) serveSessions(w http.ResponseWriter, r *http.Request, parts []string, body []byte) {
	if len(parts) == 0 {
		if r.Method == http.MethodPost {
			s.createSession(w, r, body)
			return
		}
		s.listSessions(w)
		return
	}
	s.mu.Lock()
	x := s.sessions[parts[0]]
	s.mu.Unlock()
	if x == nil {
		notFound(w, "session")
		return
	}
	if len(parts) == 1 {
		if r.Method == http.MethodDelete {
			s.deleteSession(w, r, x)
			return
		}
		answer(w, http.StatusOK, s.sessionRow(x))
		return
	}
	switch parts[1] {
	case "execute":
		s.oneShot(w, r, x, body)
	case "shell":
		s.serveShell(w, r, x)
	case "snapshot":
		s.snapshotOf(w, r, "session", x.id, body)
	case "freeze":
		if x.mux == "" {
			invalid(w, "a session without a multiplexer cannot be frozen")
			return
		}
		answer(w, http.StatusOK, map[string]any{"id": x.id, "status": "frozen"})
	default:
		answer(w, http.StatusOK, map[string]any{"id": x.id})
	}
}

func (s *Server) createSession(w http.ResponseWriter, r *http.Request, body []byte) {
	if s.trouble(w, r, s.take(r, "submit")) {
		return
	}
	var q struct {
		Shell       string      `json:"shell"`
		Multiplexer string      `json:"multiplexer"`
		TTL         *int        `json:"ttl"`
		Files       []inputFile `json:"input_files"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		invalid(w, "the body is no JSON")
		return
	}
	x := &session{id: newID("unsb-session-"), shell: q.Shell, mux: q.Multiplexer, created: s.opt.Now(), ttl: time.Hour}
	if q.TTL != nil {
		x.ttl = time.Duration(*q.TTL) * time.Second
	}
	x.dir = filepath.Join(s.dir, x.id)
	err := os.Mkdir(x.dir, 0o700)
	if err == nil {
		_, err = place(x.dir, "", q.Files)
	}
	if err != nil {
		answer(w, http.StatusInternalServerError, map[string]any{"error": err.Error()})
		return
	}
	s.mu.Lock()
	s.sessions[x.id] = x
	s.mu.Unlock()
	status, v := http.StatusOK, map[string]any{"session_id": x.id, "id": x.id, "container_name": "unsb-vm-1", "status": "running"}
	switch s.take(r, "session") {
	case "idkey":
		delete(v, "session_id")
	case "sessionid":
		delete(v, "id")
	case "201":
		status = http.StatusCreated
	}
	answer(w, status, v)
}

func (s *Server) sessionRow(x *session) map[string]any {
	return map[string]any{
		"id": x.id, "container_name": "unsb-vm-1", "shell": x.shell, "status": "running", "network_mode": "zerotrust", "vcpu": 1,
		"remaining_ttl": int((x.ttl - s.opt.Now().Sub(x.created)).Seconds()), "created_at": x.created.UTC().Format(time.RFC3339),
	}
}

func (s *Server) listSessions(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []map[string]any{}
	for _, x := range s.sessions {
		rows = append(rows, s.sessionRow(x))
	}
	answer(w, http.StatusOK, map[string]any{"sessions": rows, "count": len(rows)})
}

func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request, x *session) {
	if !s.sudo(w, r) {
		return
	}
	s.mu.Lock()
	delete(s.sessions, x.id)
	x.end()
	s.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{"message": "deleted"})
}

// oneShot runs one command in a session: a fresh process, in its folder.
func (s *Server) oneShot(w http.ResponseWriter, r *http.Request, x *session, body []byte) {
	if s.is(r, "session", "noexecute") {
		notFound(w, "path")
		return
	}
	var q struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(body, &q) != nil || q.Command == "" || !s.opt.Run {
		invalid(w, "command is needed")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), x.ttl)
	defer cancel()
	code, err := place(x.dir, q.Command, nil)
	if err != nil {
		invalid(w, "%v", err)
		return
	}
	cmd := command(ctx, []string{"bash", "-c", code})
	cmd.Dir, cmd.Env = x.dir, x.env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	exit := 127
	if err := cmd.Run(); err == nil || cmd.ProcessState != nil {
		exit = cmd.ProcessState.ExitCode()
	}
	answer(w, http.StatusOK, map[string]any{"stdout": stdout.String(), "stderr": stderr.String(), "exit_code": exit})
}

func (x *session) env() []string {
	return append(os.Environ(), "HOME="+x.dir, "PS1=$ ", "TERM=xterm", "TMUX=", "PYTHONIOENCODING=utf-8", "HISTFILE=", "BASH_SILENCE_DEPRECATION_WARNING=1")
}

// sudo asks for a mailed code where its switch is on; 123456 is right.
func (s *Server) sudo(w http.ResponseWriter, r *http.Request) bool {
	if !s.is(r, "sudo", "on") {
		return true
	}
	id := r.Header.Get("X-Sudo-Challenge")
	s.mu.Lock()
	open := s.challenge[id]
	delete(s.challenge, id)
	s.mu.Unlock()
	if open && r.Header.Get("X-Sudo-OTP") == "123456" {
		return true
	}
	id = newID("challenge-")
	s.mu.Lock()
	s.challenge[id] = true
	s.mu.Unlock()
	answer(w, http.StatusPreconditionRequired, map[string]any{"challenge_id": id})
	return false
}
