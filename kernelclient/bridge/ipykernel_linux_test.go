package bridge

import (
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// machine makes hosts of real kernels, the Python with ipykernel among them.
func machine(t testing.TB) func(Surroundings) (kernelclient.Host, error) {
	t.Helper()
	python := hosttest.Python(t)
	dir := t.TempDir()
	return func(a Surroundings) (kernelclient.Host, error) {
		env := append(a.Env, "VIRTUAL_ENV="+filepath.Dir(filepath.Dir(python)), "HOME="+dir, "JUPYTER_RUNTIME_DIR="+dir+"/run", "IPYTHONDIR="+dir+"/ipython")
		return local.New(local.Options{Dir: a.Dir, Env: env, Log: a.Log, LogDir: dir + "/log"}), nil
	}
}

// TestSuite: through the host process kernels are what they are without it.
func TestSuite(t *testing.T) {
	for kernel, displays := range map[string]string{
		"python3":                  "from IPython.display import display, update_display",
		kernelclient.BuiltinPython: "pass",
	} {
		t.Run(kernel, func(t *testing.T) {
			p := place(t)
			run(t, p, Options{Host: machine(t), Version: "test"})
			hosttest.Run(t, hosttest.Config{
				Host:   func(t *testing.T) kernelclient.Host { return connect(t, p) },
				Kernel: kernel, Displays: displays, Big: !testing.Short(),
			})
		})
	}
}
