package jupyterface

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// real serves the kernels of this machine from a folder of the test, and returns where and
// the folder.
func real(t testing.TB) (url, root string) {
	t.Helper()
	python := hosttest.Python(t)
	dir, err := os.MkdirTemp("", "nbt") // sockets need short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	root = filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" { // what completion parses is of use to all tests
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	env := []string{
		"HOME=" + dir, "PATH=" + filepath.Dir(python) + ":" + os.Getenv("PATH"), "VIRTUAL_ENV=" + filepath.Dir(filepath.Dir(python)),
		"JUPYTER_RUNTIME_DIR=" + dir + "/rt", "IPYTHONDIR=" + dir + "/ip", "XDG_CACHE_HOME=" + cache,
	}
	host := local.New(local.Options{Dir: root, Env: env, LogDir: dir + "/log"})
	files, err := localfs.New(localfs.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{Kernels: host, Files: files, Root: root, Token: testToken, Startup: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := f.Close(ctx); err != nil {
			t.Error(err)
		}
		s.Close()
		_ = host.Close()
		_ = files.Close()
	})
	return s.URL, root
}

// client is our own client of Jupyter servers.
func server(t testing.TB, url string) *jupyterserver.Host {
	t.Helper()
	h, err := jupyterserver.New(jupyterserver.Options{URL: url, Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestKernels is the suite of hosts on real kernels, over REST and websocket.
func TestKernels(t *testing.T) {
	t.Parallel()
	for kernel, displays := range map[string]string{
		"python3": "from IPython.display import display, update_display", kernelclient.BuiltinPython: "pass",
	} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			url, _ := real(t)
			hosttest.Run(t, hosttest.Config{
				Host: func(t *testing.T) kernelclient.Host { return server(t, url) }, Kernel: kernel, Unseen: true, Displays: displays,
			})
		})
	}
}
