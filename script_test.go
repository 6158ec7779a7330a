//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nbterm": main})
}

// TestScripts runs the real commands. In a script $PYBIN is the folder of a Python with
// ipykernel (on PATH first unless the script changes that), $BARE a PATH without it, and
// $DATA this tree's testdata.
func TestScripts(t *testing.T) {
	python := hosttest.Python(t)
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			bin := filepath.Dir(python)
			env.Setenv("DATA", data)
			env.Setenv("PYBIN", bin)
			env.Setenv("BARE", env.Getenv("PATH"))
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			for k, dir := range map[string]string{"HOME": "home", "XDG_RUNTIME_DIR": "run", "JUPYTER_RUNTIME_DIR": "run/j"} {
				env.Setenv(k, filepath.Join(env.WorkDir, dir))
			}
			for _, k := range []string{"NBTERM_LOG", "VIRTUAL_ENV", "CONDA_PREFIX", "JUPYTER_PATH", "JUPYTER_DATA_DIR", "XDG_DATA_HOME"} {
				env.Setenv(k, "")
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, "latin1.py"), []byte("print('\xe9')\n"), 0o600); err != nil {
				return err
			}
			if strings.HasSuffix(env.WorkDir, "script-unsandbox") {
				if err := serveUnsandbox(env, python); err != nil {
					return err
				}
			}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "fifo": fifo, "py": py},
	})
}

// serveUnsandbox gives a script a service of its own.
func serveUnsandbox(env *testscript.Env, python string) error {
	s, err := unsandboxtest.New(unsandboxtest.Options{Run: true, Python: python})
	if err != nil {
		return err
	}
	env.Defer(s.Close)
	for _, kv := range s.Env(filepath.Join(env.WorkDir, "home")) {
		k, v, _ := strings.Cut(kv, "=")
		env.Setenv(k, v)
	}
	return nil
}

// status CODE COMMAND… runs a command that must exit with just this code.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit status %s, want %s (%v)", code, args[0], err)
	}
}

// fifo makes a named pipe.
func fifo(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// py runs a Python program, a file of the script, that checks something and exits with 1 if it is wrong.
func py(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(filepath.Join(ts.Getenv("PYBIN"), "python"), args...)
	cmd.Dir = ts.Getenv("WORK")
	out, err := cmd.CombinedOutput()
	if (err != nil) != neg {
		ts.Fatalf("%v\n%s", err, out)
	}
}
