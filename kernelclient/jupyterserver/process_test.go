//go:build unix

package jupyterserver

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// TestRealThroughHostProcess: a server's kernels are what they are also where the host
// process of this machine has them.
func TestRealThroughHostProcess(t *testing.T) {
	if isGateway() {
		t.Skip("the servers say enough")
	}
	s := serve(t)
	dir, err := os.MkdirTemp("", "nbt") // sockets demand short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	p := bridge.In(filepath.Join(dir, "state"), filepath.Join(dir, "run"))
	if err := os.Mkdir(p.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error, 1)
	go func() {
		done <- bridge.Process{Place: p, Ready: w, Server: bridge.Options{
			Host: func(a bridge.Surroundings) (kernelclient.Host, error) {
				return New(Options{URL: s.url, Token: testToken, Log: a.Log})
			},
		}}.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if n, err := r.Read(make([]byte, 8)); n == 0 {
		t.Fatal(err)
	}
	hosttest.Run(t, hosttest.Config{
		Host: func(t *testing.T) kernelclient.Host {
			c, err := bridge.Connect(t.Context(), bridge.ClientOptions{Place: p})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		Kernel: "python3", Unseen: true, Displays: "from IPython.display import display, update_display",
	})
}
