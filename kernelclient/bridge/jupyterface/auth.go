package jupyterface

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/nbterm/nbterm/internal/webguard"
)

// admits tells whether a request carries the token, in one of the ways of Jupyter Server:
// "Authorization: token X", "Authorization: Bearer X", "?token=X".
func (f *Face) admits(r *http.Request) bool {
	if f.opt.NoAuth {
		return true
	}
	given := r.URL.Query().Get("token")
	if kind, value, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && (strings.EqualFold(kind, "token") || strings.EqualFold(kind, "bearer")) {
		given = strings.TrimSpace(value)
	}
	return webguard.Same(given, f.opt.Token)
}

// turnAway refuses who has no token: programs by a status, browsers by the page that says so.
func (f *Face) turnAway(w http.ResponseWriter, r *http.Request) {
	if first, _ := cutPath(r.URL.Path); r.Method == http.MethodGet && (first == "" || first == "tree" || first == "lab") {
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.Path), http.StatusFound)
		return
	}
	refuse(w, http.StatusForbidden, "Forbidden")
}

// loginPage answers where Jupyter Server asks for a password. There is none here.
func loginPage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "nbterm serves kernels here, and no pages. Clients give the token: ?token=… or Authorization: token …\n") // the client is gone
}

// page answers where Jupyter Server has its user interface: clients look there to see
// whether they are let in.
func (f *Face) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "nbterm serves kernels here, and no pages.\n") // the client is gone
}
