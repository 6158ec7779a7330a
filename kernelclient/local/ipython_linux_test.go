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

// It is listed where a Python that cells could run on has IPython, by its folders alone.
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
	// The nearest Python that has it is taken, not that of cells alone.
	work := filepath.Join(home, "work")
	venv(t, filepath.Join(work, ".venv"))
	venv(t, filepath.Join(home, ".venv"), "IPython")
	s, err = pick(search(e.without("VIRTUAL_ENV"), work), kernelclient.BuiltinIPython)
	if err != nil || s.python.prefix != filepath.Join(home, ".venv") {
		t.Errorf("%+v %v", s, err)
	}
}
