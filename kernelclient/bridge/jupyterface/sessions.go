package jupyterface

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"

	"github.com/nbterm/nbterm/kernelclient"
)

// session is a document, or something else that a client names, and its kernel. Its fields
// but id are guarded by the Face's mu.
type session struct {
	id               string
	path, name, kind string
	kernel           *kernel
}

// sessionModel is a session in the words of the REST interface.
type sessionModel struct {
	ID       string         `json:"id"`
	Path     string         `json:"path"`
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Kernel   kernelModel    `json:"kernel"`
	Notebook *notebookModel `json:"notebook,omitempty"` // what older clients read
}

type notebookModel struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// change is what a client says of a session. What it does not say stays.
type change struct {
	Path     *string        `json:"path"`
	Name     *string        `json:"name"`
	Type     *string        `json:"type"`
	Notebook *notebookModel `json:"notebook"` // what older clients write
	Kernel   *struct {
		ID   *string           `json:"id"`
		Name *string           `json:"name"`
		Env  map[string]string `json:"env"`
	} `json:"kernel"`
}

func readChange(w http.ResponseWriter, r *http.Request) (c change, ok bool) {
	if !read(w, r, &c) {
		return c, false
	}
	if c.Notebook != nil {
		kind := "notebook"
		c.Path, c.Name, c.Type = &c.Notebook.Path, &c.Notebook.Name, &kind
	}
	return c, true
}

func (f *Face) modelOf(s *session) sessionModel {
	f.mu.Lock()
	m := sessionModel{ID: s.id, Path: s.path, Name: s.name, Type: s.kind}
	k := s.kernel
	f.mu.Unlock()
	m.Kernel = k.model()
	if m.Type == "notebook" {
		m.Notebook = &notebookModel{m.Path, m.Name}
	}
	return m
}

// onSession finds the session of a request.
func (f *Face) onSession(then func(http.ResponseWriter, *http.Request, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if s := f.session(func(s *session) bool { return s.id == id }); s != nil {
			then(w, r, s)
			return
		}
		refuse(w, http.StatusNotFound, "Session not found: session_id="+id)
	}
}

// session is the first one that which picks, which is called with mu held; nil if there is none.
func (f *Face) session(which func(*session) bool) *session {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.sessions, which); i >= 0 {
		return f.sessions[i]
	}
	return nil
}

func (f *Face) listSessions(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	all := slices.Clone(f.sessions)
	f.mu.Unlock()
	models := make([]sessionModel, len(all))
	for i, s := range all {
		models[i] = f.modelOf(s)
	}
	answer(w, http.StatusOK, models)
}

func (f *Face) getSession(w http.ResponseWriter, _ *http.Request, s *session) {
	answer(w, http.StatusOK, f.modelOf(s))
}

// createSession starts a kernel for a document, or finds the session that it has.
func (f *Face) createSession(w http.ResponseWriter, r *http.Request) {
	c, ok := readChange(w, r)
	switch {
	case !ok:
		return
	case c.Path == nil:
		refuse(w, http.StatusBadRequest, "Missing field in JSON data: path")
		return
	case c.Type == nil:
		refuse(w, http.StatusBadRequest, "Missing field in JSON data: type")
		return
	}
	s := f.session(func(s *session) bool { return s.path == *c.Path && s.kind == *c.Type })
	if s == nil {
		s = &session{id: newID(), path: *c.Path, kind: *c.Type}
		if c.Name != nil {
			s.name = *c.Name
		}
		k, err := f.kernelFor(r.Context(), c, s.path)
		if err != nil {
			f.noSession(w, err)
			return
		}
		s.kernel = k
		f.mu.Lock()
		f.sessions = append(f.sessions, s)
		f.mu.Unlock()
	}
	w.Header().Set("Location", "/api/sessions/"+s.id)
	answer(w, http.StatusCreated, f.modelOf(s))
}

// kernelFor is the kernel that a client names, or starts one for a document.
func (f *Face) kernelFor(ctx context.Context, c change, document string) (*kernel, error) {
	q := request{Path: path.Dir(path.Join("/", document))}
	if c.Kernel != nil {
		if c.Kernel.ID != nil && *c.Kernel.ID != "" {
			if k := f.find(*c.Kernel.ID); k != nil {
				return k, nil
			}
			return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: "No such kernel: " + *c.Kernel.ID}
		}
		if c.Kernel.Name != nil {
			q.Name = *c.Kernel.Name
		}
		q.Env = c.Kernel.Env
	}
	return f.newKernel(ctx, q, document)
}

// noSession refuses in the way that clients know: 501 says that a kernel is not to be had.
func (f *Face) noSession(w http.ResponseWriter, err error) {
	if errors.Is(err, kernelclient.NotFound) {
		answer(w, http.StatusNotImplemented, map[string]string{"message": err.Error(), "short_message": err.Error()})
		return
	}
	f.notStarted(w, err)
}

// patchSession renames a session, or gives it another kernel: the one before then ends, if
// no session has it any more.
func (f *Face) patchSession(w http.ResponseWriter, r *http.Request, s *session) {
	c, ok := readChange(w, r)
	if !ok {
		return
	}
	f.mu.Lock()
	before := s.kernel
	for _, v := range []struct{ to, from *string }{{&s.path, c.Path}, {&s.name, c.Name}, {&s.kind, c.Type}} {
		if v.from != nil {
			*v.to = *v.from
		}
	}
	document := s.path
	f.mu.Unlock()
	if c.Kernel != nil && (c.Kernel.ID != nil || c.Kernel.Name != nil) {
		k, err := f.kernelFor(r.Context(), c, document)
		if err != nil {
			f.noSession(w, err)
			return
		}
		f.mu.Lock()
		s.kernel = k
		used := slices.ContainsFunc(f.sessions, func(s *session) bool { return s.kernel == before })
		f.mu.Unlock()
		if !used {
			_ = f.remove(context.WithoutCancel(r.Context()), before) // it is out of everybody's sight
		}
	}
	answer(w, http.StatusOK, f.modelOf(s))
}

// deleteSession ends a session and its kernel.
func (f *Face) deleteSession(w http.ResponseWriter, r *http.Request, s *session) {
	f.mu.Lock()
	k := s.kernel
	f.sessions = slices.DeleteFunc(f.sessions, func(have *session) bool { return have == s })
	used := slices.ContainsFunc(f.sessions, func(s *session) bool { return s.kernel == k })
	f.mu.Unlock()
	if !used {
		f.deleteKernel(w, r, k)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
