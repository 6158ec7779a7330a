package local

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/leftover"
)

// world is a machine of its own for kernels: every folder that they may leave something
// in, and a mark in the environment by which their processes are known.
type world struct {
	dir, mark string
	env       environ
}

// newWorld makes one; its end asserts that nothing is left of the kernels.
func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "nbt") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir, mark: "NBTERM_TEST_MARK=" + newID()}
	for _, name := range []string{"home", "sock", "run", "log", "wd"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = environ(os.Environ()).without("VIRTUAL_ENV").without("CONDA_PREFIX").without("JUPYTER_PATH").with(w.mark,
		"HOME="+dir+"/home", "XDG_RUNTIME_DIR="+dir+"/sock", "JUPYTER_RUNTIME_DIR="+dir+"/run",
		"PYTHONDONTWRITEBYTECODE=1", "IPYTHONDIR="+dir+"/home/ipython")
	t.Cleanup(func() {
		w.nothingLeft(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return w
}

// python makes the Python with ipykernel the activated environment.
func (w *world) python(t *testing.T) {
	t.Helper()
	w.env = w.env.with("VIRTUAL_ENV=" + filepath.Dir(filepath.Dir(hosttest.Python(t))))
}

func (w *world) host(t *testing.T, change ...func(*Options)) *Host {
	t.Helper()
	opt := Options{Dir: w.dir + "/wd", Env: w.env, LogDir: w.dir + "/log"}
	for _, f := range change {
		f(&opt)
	}
	h := New(opt)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// install puts a kernelspec whose argv runs a shell script with $1 the connection file.
func (w *world) install(t *testing.T, name, script string) {
	t.Helper()
	dir := filepath.Join(w.dir, "home/.local/share/jupyter/kernels", name)
	write(t, filepath.Join(dir, "run.sh"), "#!/bin/sh\n"+script, 0o755)
	write(t, filepath.Join(dir, "kernel.json"),
		`{"argv": ["{resource_dir}/run.sh", "{connection_file}"], "display_name": "`+name+`", "language": "python"}`, 0o644)
}

// processes lists the marked processes that live.
func (w *world) processes(t testing.TB) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + entry.Name() + "/environ") // a zombie's is empty
		if err == nil && bytes.Contains(env, []byte(w.mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone waits until no marked process is left.
func (w *world) gone(t testing.TB) {
	t.Helper()
	hosttest.Eventually(t, "the end of every process", func() bool { return len(w.processes(t)) == 0 })
}

// nothingLeft asserts that kernels have left no process, socket or file.
func (w *world) nothingLeft(t testing.TB) {
	t.Helper()
	w.gone(t)
	for _, name := range []string{"sock", "run", "log"} {
		entries, err := os.ReadDir(filepath.Join(w.dir, name))
		if err != nil {
			t.Error(err)
		}
		for _, entry := range entries {
			t.Errorf("left: %s/%s", name, entry.Name())
		}
	}
}

// swept removes what killed hosts and kernels have left, as the next start of a kernel
// does, and tells whether that was all.
func (w *world) swept() bool {
	for _, dir := range socketParents(w.env) {
		leftover.Sweep(dir, socketsPrefix, "")
	}
	leftover.Sweep(w.dir+"/run", filesPrefix, connectionSuffix)
	leftover.Sweep(w.dir+"/log", filesPrefix, logSuffix)
	for _, name := range []string{"sock", "run", "log"} {
		if left, err := os.ReadDir(filepath.Join(w.dir, name)); err != nil || len(left) > 0 {
			return false
		}
	}
	return true
}

// dead waits for the State Dead of a context and returns its detail.
func dead(t *testing.T, k kernelclient.Context) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s := k.Follow(kernelclient.Cursor{})
	defer s.Close()
	for {
		events, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for its death: %v", err)
		}
		for _, e := range events {
			if st, ok := e.Body.(event.State); ok && st.State == event.Dead {
				return st.Detail
			}
		}
	}
}

func stop(t *testing.T, k kernelclient.Context, force bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := k.Stop(ctx, force); err != nil {
		t.Error(err)
	}
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func kill9(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
