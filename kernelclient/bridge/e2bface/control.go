package e2bface

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// idPrefix begins the names of sandboxes that were made here.
const idPrefix = "nbterm"

// ending is how long the contexts of a sandbox may take to end by themselves.
const ending = 5 * time.Second

// Same compares secrets in a time that does not depend on them.
func Same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// secret is a new random one.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// bearer is the token of an Authorization header.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// refuses says why a request may not use the sandbox, "" if it may.
func (b *sandbox) refuses(f *Face, r *http.Request) string {
	if b.traffic == "" {
		return ""
	}
	sent := r.Header.Get(wire.HeaderTraffic)
	if Same(sent, b.traffic) || !f.opt.NoAuth && Same(bearer(r), f.opt.Token) {
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
	case !f.opt.NoAuth && !Same(r.Header.Get(wire.HeaderAPIKey), f.opt.Token) && !Same(bearer(r), f.opt.Token):
		apiError(w, http.StatusUnauthorized, "the API key is missing or not this server's")
	case id == "" && r.Method == http.MethodPost:
		f.makeSandbox(w, r)
	case id == "":
		apiError(w, http.StatusMethodNotAllowed, "sandboxes can be made here, and nothing else")
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

// described is a sandbox as the control plane tells of it.
func (b *sandbox) described() any {
	return struct {
		TemplateID  string `json:"templateID"`
		SandboxID   string `json:"sandboxID"`
		ClientID    string `json:"clientID"`
		EnvdVersion string `json:"envdVersion"`
		EnvdToken   string `json:"envdAccessToken,omitempty"`
		Traffic     string `json:"trafficAccessToken,omitempty"`
	}{"code-interpreter-v1", b.id, "nbterm", "0.6.13", b.access, b.traffic}
}

// makeSandbox makes a sandbox.
func (f *Face) makeSandbox(w http.ResponseWriter, r *http.Request) {
	var vars map[string]string
	if !readBody(w, r, mapField("envVars", &vars)) {
		return
	}
	b, err := f.open(vars)
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

func (f *Face) open(vars map[string]string) (*sandbox, error) {
	id := idPrefix + secret()[:14]
	root := filepath.Join(f.opt.Sandboxes, id)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	var traffic, access string
	if !f.opt.NoAuth {
		traffic, access = secret(), secret()
	}
	b, err := f.newSandbox(id, root, vars, traffic, access)
	if err != nil {
		_ = os.RemoveAll(root) // the first error tells more
		return nil, err
	}
	b.own = true
	f.mu.Lock()
	closed := f.closed
	if !closed {
		f.boxes[id] = b
	}
	f.mu.Unlock()
	if closed {
		b.close(f.life, false)
		return nil, errClosed
	}
	b.begin()
	return b, nil
}

// onSandbox answers a call about one sandbox. Time-outs are taken and not kept: a sandbox
// lasts until it is killed or the server ends.
func (f *Face) onSandbox(w http.ResponseWriter, r *http.Request, id, action string) {
	f.mu.Lock()
	b := f.boxes[id]
	if b != nil && action == "" && r.Method == http.MethodDelete {
		delete(f.boxes, id)
	}
	f.mu.Unlock()
	switch {
	case b == nil:
		apiError(w, http.StatusNotFound, "the sandbox was not found")
	case action == "" && r.Method == http.MethodDelete:
		f.wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), ending)
			defer cancel()
			b.close(ctx, true)
		})
		reply(w, http.StatusNoContent, "", "")
	case (action == "connect" || action == "resume") && r.Method == http.MethodPost:
		answer(w, b.described())
	case (action == "timeout" || action == "refreshes") && r.Method == http.MethodPost:
		reply(w, http.StatusNoContent, "", "")
	default:
		apiError(w, http.StatusNotFound, "this server cannot do that with a sandbox")
	}
}
