package e2b

import (
	"errors"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

func TestFileServiceOfAServer(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{URL: "http://h:1", AccessToken: "t"}, "http://h:1"},
		{Options{URL: "http://h:1", AccessToken: "t", Envd: "http://h:2/"}, "http://h:2"},
		{Options{AccessToken: "t", Env: []string{"E2B_DEBUG=true"}}, "http://localhost:49983"},
	} {
		got, err := Files(t.Context(), c.opt)
		if err != nil || got.URL != c.want || got.Token != "t" {
			t.Errorf("%s, %v; want %s", got.URL, err, c.want)
		}
	}
	if _, err := Files(t.Context(), Options{Env: []string{"E2B_API_KEY=k"}}); !errors.Is(err, kernelclient.Invalid) {
		t.Error(err)
	}
}

// The control plane tells of a sandbox's file service what it takes to be let in.
func TestFileServiceOfASandbox(t *testing.T) {
	s := e2btest.New(t)
	cloud := NewCloud(Options{Env: s.Env()})
	defer cloud.Close()
	box, err := cloud.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Files(t.Context(), Options{Env: s.Env(), Sandbox: box.ID})
	if err != nil || got.Token != "access-"+box.ID || got.Version != "0.2.0" || got.ID != box.ID || got.Header.Get(wire.HeaderSandbox) != box.ID {
		t.Errorf("%s %s, %v", got.URL, got.Version, err)
	}
	if _, err := Files(t.Context(), Options{Env: s.Env(), Sandbox: "gone"}); !errors.Is(err, kernelclient.NotFound) {
		t.Error(err)
	}
}
