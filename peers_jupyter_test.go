//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// TestPeerJupyter: Jupyter's own clients, and JupyterLab as a client, on kernels that nbterm
// serves.
func TestPeerJupyter(t *testing.T) {
	if os.Getenv("NBTERM_TEST_PEER") != "jupyterface" {
		t.Skip("make test-peers GROUP=jupyterface sets up its peers")
	}
	python := hosttest.Python(t)
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", "peers", "jupyterface", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(t *testing.T, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), python, args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "JUPYTER_RUNTIME_DIR="+cmd.Dir, "IPYTHONDIR="+cmd.Dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	url, _ := serveJupyter(t, t.TempDir())
	url = strings.TrimSuffix(url, "/")
	t.Run("jupyter-kernel-client", func(t *testing.T) {
		run(t, script("client.py"), url, fileToken, "python3", "builtin-python")
	})
	t.Run("JupyterLab", func(t *testing.T) {
		run(t, script("lab.py"), url, fileToken, t.TempDir(), script("client.py"))
	})
	// jupyter_server's client of gateways sends no token with its websocket.
	t.Run("nbclient and papermill", func(t *testing.T) {
		open, _ := serveJupyter(t, t.TempDir(), "--no-auth-loopback")
		run(t, script("gateway.py"), strings.TrimSuffix(open, "/"), t.TempDir())
	})
}
