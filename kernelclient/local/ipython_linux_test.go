package local

import (
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// The kernel around IPython keeps the whole contract.
func TestIPythonConformance(t *testing.T) {
	w := newWorld(t)
	w.python(t)
	host := func(*testing.T) kernelclient.Host {
		return New(Options{Dir: w.dir + "/wd", Env: w.env.with("IPYTHONDIR=" + t.TempDir()), LogDir: w.dir + "/log"})
	}
	if _, err := pick(search(w.env, w.dir+"/wd"), kernelclient.BuiltinIPython); err != nil {
		t.Fatal(err) // ipykernel needs IPython
	}
	hosttest.Run(t, hosttest.Config{Host: host, Kernel: kernelclient.BuiltinIPython, Displays: displays, Big: !testing.Short()})
}

// It is listed where the Python that runs cells has IPython, by its folders alone.
func TestIPythonListed(t *testing.T) {
	e, home := bare(t)
	env := filepath.Join(home, "env")
	venv(t, env)
	e = e.with("VIRTUAL_ENV=" + env)
	if s, err := pick(search(e, home), kernelclient.BuiltinIPython); err == nil {
		t.Errorf("without IPython: %+v", s)
	}
	write(t, filepath.Join(env, "lib", "python3.11", "site-packages", "IPython", "__init__.py"), "", 0o644)
	s, err := pick(search(e, home), kernelclient.BuiltinIPython)
	if err != nil || s.python.prefix != env || s.kernel().Found != "built in" || s.kernel().Language != "python" {
		t.Errorf("%+v %v", s, err)
	}
}
