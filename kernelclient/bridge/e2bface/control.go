package e2bface

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbterm/nbterm/internal/webguard"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// idPrefix begins the names of sandboxes that were made here.
const idPrefix = "nbterm"

const (
	// template is what sandboxes are made of unless they name another.
	template = "code-interpreter-v1"
	clientID = "nbterm"
	// envdVersion is that of a file service that can do what ours can.
	envdVersion = "0.6.13"
	// ending is how long the contexts of a sandbox may take to end by themselves.
	ending = 5 * time.Second
)

// secret is a new random one.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// refuses says why a request may not use the sandbox, "" if it may.
func (b *sandbox) refuses(f *Face, r *http.Request) string {
	if b.traffic == "" {
		return ""
	}
	sent := r.Header.Get(wire.HeaderTraffic)
	if webguard.Same(sent, b.traffic) || !f.opt.NoAuth && webguard.Same(webguard.Bearer(r), f.opt.Token) {
		return ""
	}
	if sent == "" {
		return "Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is missing"
	}
	return "Sandbox is secured with traffic access token. Provided token in header 'e2b-traffic-access-token' is invalid"
}

// edge answers as the gateway before E2B's sandboxes does.
func edge(w http.ResponseWriter, status int, id, why string) {
	body, err := wire.Encode(struct {
		SandboxID string `json:"sandboxId"`
		Message   string `json:"message"`
		Code      int    `json:"code"`
	}{id, why, status})
	if err != nil {
		body = nil
	}
	reply(w, status, "application/json; charset=utf-8", string(body))
}

// controlPath takes a path of the control plane apart.
func controlPath(path string) (id, action string, ok bool) {
	path = strings.TrimPrefix(path, "/v2")
	if path == "/sandboxes" {
		return "", "", true
	}
	rest, ok := strings.CutPrefix(path, "/sandboxes/")
	id, action, _ = strings.Cut(rest, "/")
	return id, action, ok
}

// control answers a call of the control plane.
func (f *Face) control(w http.ResponseWriter, r *http.Request, id, action string) {
	switch {
	case f.opt.Sandboxes == "":
		apiError(w, http.StatusNotFound, "this server has one sandbox and makes no others")
	case !f.opt.NoAuth && !webguard.Same(r.Header.Get(wire.HeaderAPIKey), f.opt.Token) && !webguard.Same(webguard.Bearer(r), f.opt.Token):
		apiError(w, http.StatusUnauthorized, "the API key is missing or not this server's")
	case id == "" && r.Method == http.MethodPost:
		f.makeSandbox(w, r)
	case id == "" && r.Method == http.MethodGet:
		f.listSandboxes(w, r)
	case id == "":
		apiError(w, http.StatusMethodNotAllowed, "sandboxes can be made and listed here, and nothing else")
	default:
		f.onSandbox(w, r, id, action)
	}
}

func apiError(w http.ResponseWriter, status int, why string) {
	body, err := wire.Encode(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{status, why})
	if err != nil {
		body = nil
	}
	reply(w, status, jsonType, string(body))
}

// described is a sandbox as the control plane tells of it to who made or joined it.
func (b *sandbox) described() any {
	return struct {
		TemplateID  string `json:"templateID"`
		SandboxID   string `json:"sandboxID"`
		ClientID    string `json:"clientID"`
		EnvdVersion string `json:"envdVersion"`
		EnvdToken   string `json:"envdAccessToken,omitempty"`
		Traffic     string `json:"trafficAccessToken,omitempty"`
	}{b.made.Template, b.id, clientID, envdVersion, b.access, b.traffic}
}

// makeSandbox makes a sandbox.
func (f *Face) makeSandbox(w http.ResponseWriter, r *http.Request) {
	q := order{Template: template}
	if !readBody(w, r, textField("templateID", &q.Template, false), mapField("envVars", &q.Vars),
		mapField("metadata", &q.Metadata), secondsField("timeout", &q.Lasts)) {
		return
	}
	b, err := f.open(q)
	if err != nil {
		f.opt.Log.Warn("a sandbox could not be made", "error", err)
		apiError(w, http.StatusInternalServerError, "the sandbox could not be made")
		return
	}
	body, err := wire.Encode(b.described())
	if err != nil {
		body = nil
	}
	reply(w, http.StatusCreated, jsonType, string(body))
}

// order is what a sandbox is asked to be.
type order struct {
	Template string
	Vars     map[string]string // in the environment of its kernels
	Metadata map[string]string
	Lasts    *time.Duration // nil: as long as E2B's do
}

func (f *Face) open(q order) (*sandbox, error) {
	id := idPrefix + secret()[:14]
	root := filepath.Join(f.opt.Sandboxes, id)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	var traffic, access string
	if !f.opt.NoAuth {
		traffic, access = secret(), secret()
	}
	b, err := f.newSandbox(id, root, q.Vars, traffic, access)
	if err != nil {
		_ = os.RemoveAll(root) // the first error tells more
		return nil, err
	}
	b.own, b.made, b.started = true, q, time.Now()
	lasts := lifetime
	if q.Lasts != nil {
		lasts = *q.Lasts
	}
	f.mu.Lock()
	closed := f.closed
	if !closed {
		f.boxes[id] = b
		f.lastsUntil(b, b.started.Add(lasts))
	}
	f.mu.Unlock()
	if closed {
		b.close(f.life, false)
		return nil, errClosed
	}
	b.begin()
	return b, nil
}

// onSandbox answers a call about one sandbox.
func (f *Face) onSandbox(w http.ResponseWriter, r *http.Request, id, action string) {
	f.mu.Lock()
	b := f.boxes[id]
	f.mu.Unlock()
	post := r.Method == http.MethodPost
	switch {
	case b == nil || id == "":
		apiError(w, http.StatusNotFound, "the sandbox was not found")
	case action == "" && r.Method == http.MethodDelete:
		f.drop(b)
		reply(w, http.StatusNoContent, "", "")
	case action == "" && r.Method == http.MethodGet:
		answer(w, f.detail(b))
	case (action == "connect" || action == "resume") && post:
		f.prolong(w, r, b, true)
	case (action == "timeout" || action == "refreshes") && post:
		f.prolong(w, r, b, action == "refreshes")
	default:
		// Not 404, which clients take for a sandbox that is no more.
		apiError(w, http.StatusNotImplemented, "this server cannot do that with a sandbox")
	}
}
