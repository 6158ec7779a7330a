package hosts

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A user in the address signs in by HTTP authentication, a password alone at the login page.
func TestUserOfAnAddress(t *testing.T) {
	var user, password string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, ok := r.BasicAuth(); ok {
			user, password = u, p
		}
		http.Error(w, "no", http.StatusTeapot)
	}))
	a, in, err := Parse("http://ann:pw@" + server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	target, err := Resolve(a, in, Settings{}, none)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := h.Kernels(ctx); err == nil {
		t.Error("a teapot has kernels")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	server.Close() // waits for what it answers
	if user != "ann" || password != "pw" {
		t.Errorf("signed in as %q with %q", user, password)
	}
}
