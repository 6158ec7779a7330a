package unsandboxtest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// program is the body of a submission.
type program struct {
	Language string            `json:"language"`
	Code     string            `json:"code"`
	Env      map[string]string `json:"env"`
	Files    []inputFile       `json:"input_files"`
	Network  string            `json:"network_mode"`
	TTL      *int              `json:"ttl"`
	VCPU     *int              `json:"vcpu"`
	Artifact bool              `json:"return_artifact"`
}

type inputFile struct {
	Filename string `json:"filename"`
	Content  string `json:"content"`
}

// result is what a program gave.
type result struct {
	stdout, stderr string
	exit           int
	artifacts      map[string][]byte
	timedOut       bool
}

// job is one execution. s.mu guards what changes.
type job struct {
	id, language string
	code         string
	created      time.Time
	polls        int
	cancelled    bool
	over         bool
	res          result
	until        time.Time // of a program that only pretends to run
	ttl          time.Duration
	proc         *process // of one that runs
}

// kill ends the program, if it is one.
func (j *job) kill() {
	if j.proc != nil {
		j.proc.kill()
	}
}

// status is the state as of now. s.mu is held.
func (s *Server) status(j *job) string {
	now := s.opt.Now()
	switch {
	case j.cancelled:
		return "cancelled"
	case j.over:
	case j.polls < s.opt.Pending:
		return "pending"
	case j.polls < s.opt.Pending+s.opt.Running || now.Before(j.until) && now.Sub(j.created) < j.ttl:
		return "running"
	case now.Before(j.until):
		j.over, j.res = true, result{stdout: j.res.stdout, exit: 124, timedOut: true, stderr: "time limit reached\n"}
	case j.proc != nil:
		select {
		case <-j.proc.done:
			j.over, j.res = true, j.proc.result
		default:
			return "running"
		}
	default:
		j.over = true
	}
	switch {
	case j.res.timedOut:
		return "timeout"
	case j.res.exit != 0:
		return "failed"
	}
	return "completed"
}

func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()[:12]) }

// execute serves /execute, /execute/async, /run and /run/async.
func (s *Server) execute(w http.ResponseWriter, r *http.Request, body []byte) {
	if s.trouble(w, r, s.take(r, "submit")) {
		return
	}
	async := strings.HasSuffix(r.URL.Path, "/async")
	if async {
		if kind := s.take(r, "async"); kind == "404" || kind == "405" {
			s.trouble(w, r, kind)
			return
		}
	}
	p, why := s.program(r, body)
	if why != "" {
		invalid(w, "%s", why)
		return
	}
	j, refused := s.start(p)
	if refused != nil {
		answer(w, http.StatusTooManyRequests, refused)
		return
	}
	if async {
		status := http.StatusAccepted
		if s.is(r, "async", "200") {
			status = http.StatusOK
		}
		answer(w, status, map[string]any{"job_id": j.id, "status": "pending", "message": "accepted"})
		return
	}
	s.executed(w, r, j)
}

// executed answers /execute: as it is documented, or in one of the forms that clients have met.
func (s *Server) executed(w http.ResponseWriter, r *http.Request, j *job) {
	switch kind := s.take(r, "execute"); kind {
	case "pending", "queued":
		answer(w, http.StatusOK, map[string]any{"job_id": j.id, "status": kind})
		return
	case "nothing":
		answer(w, http.StatusOK, map[string]any{"message": "hello"})
		return
	case "failed-error":
		answer(w, http.StatusOK, map[string]any{"success": false, "error": "no worker took it", "stdout": nil})
		return
	default:
		s.block(r, j)
		s.mu.Lock()
		defer s.mu.Unlock()
		v := s.describe(r, j)
		switch kind {
		case "blocking":
		case "nested":
			v = map[string]any{"job_id": j.id, "status": "completed", "result": v}
		default: // as documented
			delete(v, "status")
		}
		answer(w, http.StatusOK, v)
	}
}

// block waits until a job is over, or who asked is gone.
func (s *Server) block(r *http.Request, j *job) {
	s.mu.Lock()
	j.polls = s.opt.Pending + s.opt.Running
	proc := j.proc
	s.mu.Unlock()
	if proc == nil {
		return
	}
	select {
	case <-proc.done:
	case <-r.Context().Done():
	case <-s.closed:
	}
}

// program reads a submission; why it is bad, "" if it is not.
func (s *Server) program(r *http.Request, body []byte) (p program, why string) {
	if strings.HasPrefix(r.URL.Path, "/run") {
		p.Code, p.Language = string(body), "bash"
		if line, _, _ := strings.Cut(p.Code, "\n"); strings.Contains(line, "python") {
			p.Language = "python"
		}
	} else if err := json.Unmarshal(body, &p); err != nil {
		return p, "the body is no JSON"
	}
	switch {
	case p.Language == "" || p.Code == "":
		return p, "language and code are needed"
	case !slices.Contains(s.opt.Languages, p.Language) && s.opt.Aliases[p.Language] == "":
		return p, "unknown language " + p.Language
	case p.TTL != nil && (*p.TTL < 1 || *p.TTL > 900):
		return p, "ttl is 1 to 900"
	case p.VCPU != nil && (*p.VCPU < 1 || *p.VCPU > 8):
		return p, "vcpu is 1 to 8"
	case p.Network != "" && p.Network != "zerotrust" && p.Network != "semitrusted":
		return p, "unknown network_mode"
	}
	return p, ""
}

// start makes a job, unless a limit is reached.
func (s *Server) start(p program) (*job, map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	active := 0
	for _, j := range s.jobs {
		if st := s.status(j); st == "pending" || st == "running" {
			active++
		}
	}
	if s.opt.Concurrency > 0 && active >= s.opt.Concurrency {
		return nil, map[string]any{"error": "concurrency_limit_reached", "active_executions": active, "concurrency_limit": s.opt.Concurrency}
	}
	s.submitted = slices.DeleteFunc(s.submitted, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if s.opt.Rate > 0 && len(s.submitted) >= s.opt.Rate {
		return nil, map[string]any{"error": "rate_limit_exceeded", "message": "too many requests"}
	}
	s.submitted = append(s.submitted, now)
	ttl := time.Minute
	if p.TTL != nil {
		ttl = time.Duration(*p.TTL) * time.Second
	}
	j := &job{id: newID("job_"), language: p.Language, code: p.Code, created: now, ttl: ttl}
	if s.hurried {
		j.polls = s.opt.Pending + s.opt.Running
	}
	if s.opt.Run && (p.Language == "python" || p.Language == "bash") {
		j.proc = s.run(p, ttl)
	} else {
		var asleep time.Duration
		j.res, asleep = pretend(p)
		j.until = now.Add(asleep)
	}
	s.jobs[j.id] = j
	return j, nil
}

// describe is a job as it is sent. s.mu is held.
func (s *Server) describe(r *http.Request, j *job) map[string]any {
	st := s.status(j)
	v := map[string]any{"job_id": j.id, "status": st, "language": j.language, "network_mode": "zerotrust", "created_at": j.created.UTC().Format(time.RFC3339)}
	if st == "pending" || st == "running" {
		return v
	}
	v["success"], v["stdout"], v["stderr"], v["exit_code"] = st == "completed", j.res.stdout, j.res.stderr, j.res.exit
	v["total_time_ms"] = s.opt.Now().Sub(j.created).Milliseconds()
	if len(j.res.artifacts) > 0 {
		v["artifacts"] = s.artifacts(r, j.res.artifacts)
	}
	return v
}

// artifacts are files in the form that a switch says.
func (s *Server) artifacts(r *http.Request, files map[string][]byte) (out []map[string]any) {
	form := "data"
	if own, _ := parse(r.Header.Get("X-Fake-Scenario")); own["artifact"] != nil {
		form = own["artifact"].name
	} else if f := s.scenario["artifact"]; f != nil {
		form = f.name
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b64 := base64.StdEncoding.EncodeToString(files[name])
		switch form {
		case "content_base64":
			out = append(out, map[string]any{"filename": name, "content_base64": b64})
		case "content":
			out = append(out, map[string]any{"name": name, "content": b64, "size": len(files[name]), "mime_type": "application/octet-stream"})
		case "error":
			out = append(out, map[string]any{"type": "error", "error": "too big"})
		case "badbase64":
			out = append(out, map[string]any{"type": "base64", "filename": name, "data": "***"})
		case "traversalname":
			out = append(out, map[string]any{"type": "base64", "filename": "../../\x1b[31m." + name, "data": b64})
		default:
			out = append(out, map[string]any{"type": "base64", "filename": name, "data": b64})
		}
	}
	return out
}

func (s *Server) serveJobs(w http.ResponseWriter, r *http.Request, parts []string) {
	if len(parts) == 0 {
		s.listJobs(w, r)
		return
	}
	id, _ := url.PathUnescape(parts[0])
	s.mu.Lock()
	j := s.jobs[id]
	s.mu.Unlock()
	switch {
	case r.Method == http.MethodDelete || len(parts) == 2 && parts[1] == "cancel":
		s.cancel(w, r, j)
	case r.Method != http.MethodGet:
		s.trouble(w, r, "405")
	default:
		s.poll(w, r, j)
	}
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request, j *job) {
	kind := s.take(r, "poll")
	switch kind {
	case "503then404":
		s.Set("poll=404")
		kind = "503"
	case "unknownstatus":
		answer(w, http.StatusOK, map[string]any{"job_id": "x", "status": "Defrosting"})
		return
	case "nostatus":
		s.mu.Lock()
		defer s.mu.Unlock()
		if j == nil {
			notFound(w, "job")
			return
		}
		v := s.describe(r, j)
		delete(v, "status")
		answer(w, http.StatusOK, v)
		return
	}
	if s.trouble(w, r, kind) {
		return
	}
	if j == nil {
		notFound(w, "job")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.describe(r, j)
	j.polls++
	answer(w, http.StatusOK, v)
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request, j *job) {
	kind := s.take(r, "cancel")
	if j == nil || kind == "404" {
		notFound(w, "job")
		return
	}
	s.mu.Lock()
	st := s.status(j)
	if kind == "finished-first" || st != "pending" && st != "running" {
		j.over = true
		s.mu.Unlock()
		notFound(w, "job")
		return
	}
	j.cancelled, j.res.exit = true, 137
	proc := j.proc
	s.mu.Unlock()
	if proc != nil {
		proc.kill()
		<-proc.done
	}
	if kind == "204" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if proc != nil {
		j.res.stdout, j.res.stderr = proc.result.stdout, proc.result.stderr
	}
	v := s.describe(r, j)
	v["message"] = "cancelled"
	answer(w, http.StatusOK, v)
}

func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) {
	form := s.take(r, "jobs")
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []map[string]any{}
	for _, j := range s.jobs {
		st := s.status(j)
		if st != "pending" && st != "running" {
			continue // only what is active is listed
		}
		row := map[string]any{"job_id": j.id, "language": j.language, "network_mode": "zerotrust", "status": st, "created_at": j.created.Unix()}
		if form == "idkey" {
			delete(row, "job_id")
			row["id"] = j.id
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(a["job_id"]), fmt.Sprint(b["job_id"]))
	})
	switch form {
	case "bare":
		answer(w, http.StatusOK, rows)
	case "nokey":
		answer(w, http.StatusOK, map[string]any{"count": len(rows)})
	default:
		answer(w, http.StatusOK, map[string]any{"jobs": rows, "count": len(rows)})
	}
}

func (s *Server) serveLanguages(w http.ResponseWriter, r *http.Request) {
	names := s.opt.Languages
	switch kind := s.take(r, "languages"); kind {
	case "500", "reset":
		s.trouble(w, r, kind)
	case "bare":
		answer(w, http.StatusOK, names)
	case "objects":
		rows := []map[string]any{}
		for _, n := range names {
			rows = append(rows, map[string]any{"id": n})
		}
		answer(w, http.StatusOK, map[string]any{"languages": rows})
	case "empty":
		answer(w, http.StatusOK, map[string]any{"languages": []string{}, "count": 0})
	default:
		answer(w, http.StatusOK, map[string]any{"languages": names, "count": len(names), "aliases": s.opt.Aliases})
	}
}

func (s *Server) validate(w http.ResponseWriter, r *http.Request) {
	no := map[string]any{"valid": false, "reason": "invalid_key", "error": "the key is not known", "renew_url": "https://unsandbox.com/keys/extend"}
	switch s.take(r, "validate") {
	case "invalid200":
		answer(w, http.StatusOK, no)
	case "invalid401":
		answer(w, http.StatusUnauthorized, no)
	case "expired":
		no["reason"], no["expired_at_datetime"] = "expired", "2024-01-01T00:00:00Z"
		answer(w, http.StatusOK, no)
	default:
		answer(w, http.StatusOK, map[string]any{
			"valid": true, "tier": 3, "status": "active", "public_key": PublicKey, "rate_per_minute": 60, "burst": 10,
			"concurrency": max(s.opt.Concurrency, 3), "valid_through_datetime": "2030-01-01T00:00:00Z", "valid_for_human": "years",
		})
	}
}
