package hosts

import (
	"errors"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
)

// A context that others made is restarted and removed for good before the program ends.
func TestManage(t *testing.T) {
	server := e2btest.New(t)
	a, in, err := Parse("e2b+" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Resolve(a, in, Settings{}, none)
	if err != nil {
		t.Fatal(err)
	}
	open := func() kernelclient.Host {
		h, err := Open(target, Options{Env: []string{"NO_PROXY=*"}, Outlive: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		})
		return h
	}
	list, err := open().Contexts(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	id := list[0].ID
	if err := Restart(t.Context(), open(), id); err != nil {
		t.Error(err)
	}
	if n := len(server.Calls("POST", "/contexts/"+string(id)+"/restart")); n != 1 {
		t.Errorf("%d restarts", n)
	}
	if err := Remove(t.Context(), open(), id); err != nil {
		t.Error(err)
	}
	if err := Remove(t.Context(), open(), id); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("once more: %v", err)
	}
}
