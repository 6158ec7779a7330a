package e2bface

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// maxBody bounds what a request may carry.
const maxBody = 64 << 20

// ServeHTTP answers one request of the interpreter, the file service or the control plane:
// E2B's clients reach all of them at one address and say which they mean by a header.
func (f *Face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id, action, ok := controlPath(r.URL.Path); ok && r.Header.Get(wire.HeaderSandbox) == "" {
		f.control(w, r, id, action)
		return
	}
	if r.Header.Get(wire.HeaderPort) == strconv.Itoa(wire.PortEnvd) {
		f.ServeFiles(w, r)
		return
	}
	b := f.find(w, r, wire.PortInterpreter)
	if b == nil {
		return
	}
	if why := b.refuses(f, r); why != "" {
		edge(w, http.StatusForbidden, b.id, why)
		return
	}
	f.interpreter(w, r, b)
}

// ServeFiles answers one request of the file service of a sandbox, which asks for its own
// token.
func (f *Face) ServeFiles(w http.ResponseWriter, r *http.Request) {
	b := f.find(w, r, wire.PortEnvd)
	switch {
	case b == nil:
	case b.files == nil:
		edge(w, http.StatusBadGateway, b.id, "The sandbox is running but port is not open")
	default:
		b.files.ServeHTTP(w, r)
	}
}

// find is the sandbox that a request is for. One that this server made and ended is told to
// be no more; all other names are of the one that is always there.
func (f *Face) find(w http.ResponseWriter, r *http.Request, _ int) *sandbox {
	id := r.Header.Get(wire.HeaderSandbox)
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := f.boxes[id]; b != nil {
		return b
	}
	if strings.HasPrefix(id, idPrefix) || f.closed {
		edge(w, http.StatusBadGateway, id, "The sandbox was not found")
		return nil
	}
	return f.boxes[""]
}

// interpreter answers a call of the code interpreter.
func (f *Face) interpreter(w http.ResponseWriter, r *http.Request, b *sandbox) {
	path := r.URL.Path
	if len(path) > 1 && strings.HasSuffix(path, "/") {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		w.Header().Set("Location", scheme+r.Host+strings.TrimSuffix(path, "/"))
		reply(w, http.StatusTemporaryRedirect, "", "")
		return
	}
	methods, handle := f.route(path)
	if methods == nil {
		reply(w, http.StatusNotFound, jsonType, `{"detail":"Not Found"}`)
		return
	}
	for _, m := range methods {
		if m == r.Method {
			handle(w, r, b)
			return
		}
	}
	w.Header().Set("Allow", methods[0])
	reply(w, http.StatusMethodNotAllowed, jsonType, `{"detail":"Method Not Allowed"}`)
}

type handler = func(http.ResponseWriter, *http.Request, *sandbox)

func (f *Face) route(path string) ([]string, handler) {
	switch path {
	case "/health":
		return []string{http.MethodGet}, func(w http.ResponseWriter, _ *http.Request, _ *sandbox) {
			reply(w, http.StatusOK, jsonType, `"OK"`)
		}
	case "/execute":
		return []string{http.MethodPost}, f.execute
	case "/contexts":
		return []string{http.MethodGet, http.MethodPost}, f.contextsCall
	}
	rest, ok := strings.CutPrefix(path, "/contexts/")
	if !ok {
		return nil, nil
	}
	if id, ok := strings.CutSuffix(rest, "/restart"); ok && !strings.Contains(id, "/") {
		return []string{http.MethodPost}, f.onContext(id, f.restart)
	}
	if strings.Contains(rest, "/") {
		return nil, nil
	}
	return []string{http.MethodDelete}, f.onContext(rest, f.remove)
}

// onContext finds the context of a call.
func (f *Face) onContext(id string, then func(context.Context, *sandbox, *codeContext) string) handler {
	return func(w http.ResponseWriter, r *http.Request, b *sandbox) {
		c, err := b.byID(r.Context(), id)
		if c == nil || err != nil {
			plainText(w, http.StatusNotFound, "Context "+id+" not found")
			return
		}
		if why := then(r.Context(), b, c); why != "" {
			plainText(w, http.StatusInternalServerError, why)
			return
		}
		reply(w, http.StatusOK, jsonType, "null")
	}
}

func (f *Face) restart(ctx context.Context, _ *sandbox, c *codeContext) string {
	if err := c.restart(ctx); err != nil {
		f.opt.Log.Warn("a context could not be restarted", "context", c.id, "error", err)
		return "Failed to restart context " + c.id
	}
	return ""
}

func (f *Face) remove(ctx context.Context, b *sandbox, c *codeContext) string {
	b.remove(ctx, c)
	return ""
}

func (f *Face) contextsCall(w http.ResponseWriter, r *http.Request, b *sandbox) {
	if r.Method == http.MethodGet {
		answer(w, b.list(r.Context()))
		return
	}
	var q wire.ContextRequest
	if !readBody(w, r, textField("cwd", &q.Cwd, false), textField("language", &q.Language, false)) {
		return
	}
	c, err := b.create(r.Context(), b.turn(), q)
	if err != nil {
		f.notCreated(w, err)
		return
	}
	answer(w, c.described())
}

func (f *Face) notCreated(w http.ResponseWriter, err error) {
	var unknown *unknownError
	if !errors.As(err, &unknown) {
		f.opt.Log.Warn("a context could not be made", "error", err)
	}
	plainText(w, http.StatusInternalServerError, "Failed to create context: "+err.Error())
}

func (f *Face) execute(w http.ResponseWriter, r *http.Request, b *sandbox) {
	var q wire.Execution
	if !readBody(w, r, textField("code", &q.Code, true), textField("context_id", &q.ContextID, false),
		textField("language", &q.Language, false), mapField("env_vars", &q.EnvVars)) {
		return
	}
	if q.ContextID != "" && q.Language != "" {
		plainText(w, http.StatusBadRequest, "Only one of context_id or language can be provided")
		return
	}
	var c *codeContext
	var err error
	if q.ContextID != "" {
		c, err = b.byID(r.Context(), q.ContextID)
	} else {
		c, err = b.byLanguage(r.Context(), wire.Language(q.Language))
	}
	switch {
	case err != nil:
		f.notCreated(w, err)
		return
	case c == nil:
		plainText(w, http.StatusNotFound, "Context "+q.ContextID+" not found")
		return
	}
	defer f.executing()()
	c.execute(r.Context(), q, newLines(w))
}

const jsonType = "application/json"

func plainText(w http.ResponseWriter, status int, text string) {
	reply(w, status, "text/plain; charset=utf-8", text)
}

// reply writes a whole answer: no line end, no header that the genuine server has not.
func reply(w http.ResponseWriter, status int, kind, body string) {
	if kind == "" {
		w.Header()["Content-Type"] = nil
	} else {
		w.Header().Set("Content-Type", kind)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client is gone
}

func answer(w http.ResponseWriter, v any) {
	body, err := wire.Encode(v)
	if err != nil {
		plainText(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	reply(w, http.StatusOK, jsonType, string(body))
}
