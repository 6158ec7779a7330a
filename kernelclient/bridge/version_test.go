package bridge

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

// anotherVersion is a host process of another version, with what never changes and nothing else.
func anotherVersion(t *testing.T, proto string) (socket string, stopped *[]string) {
	t.Helper()
	p := place(t)
	socket = filepath.Join(p.Runtime, "other.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	stopped = new([]string)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"proto":` + proto + `,"version":"9.9","pid":1,"new":true}`))
	})
	mux.HandleFunc("GET /contexts", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id":"a","kernel":{"name":"python3"},"path":"/n.ipynb","state":"idle","clients":1,"more":[]}]`))
	})
	stop := func(w http.ResponseWriter, r *http.Request) {
		*stopped = append(*stopped, r.URL.Path)
		_, _ = w.Write([]byte("{}"))
	}
	mux.HandleFunc("POST /contexts/{id}/stop", stop)
	mux.HandleFunc("POST /stop", stop)
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(protoHeader, proto)
		mux.ServeHTTP(w, r)
	})}
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	t.Cleanup(func() { _ = h.Close(); <-done })
	return socket, stopped
}

// A host process of another version is told from one that is broken; it can be listed and
// stopped, and nothing else.
func TestOtherVersions(t *testing.T) {
	for proto, word := range map[string]string{"0": "an older", "2": "a newer"} {
		socket, stopped := anotherVersion(t, proto)
		c, err := Connect(t.Context(), ClientOptions{Socket: socket, Version: "0.1.0"})
		var version *VersionError
		if !errors.As(err, &version) || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), "nbterm stop --all") || c == nil {
			t.Fatalf("%v %v", c, err)
		}
		defer c.Close()
		if _, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3"}); !errors.As(err, &version) {
			t.Errorf("start: %v", err)
		}
		if list, err := c.List(t.Context()); err != nil || len(list) != 1 || list[0].ID != "a" || list[0].Path != "/n.ipynb" {
			t.Errorf("%+v %v", list, err)
		}
		if err := errors.Join(c.Stop(t.Context(), "a", false), c.StopAll(t.Context())); err != nil {
			t.Error(err)
		}
		if got := strings.Join(*stopped, " "); got != "/contexts/a/stop /stop" {
			t.Errorf("stopped %s", got)
		}
	}
}
