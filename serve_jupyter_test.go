//go:build linux

package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// serveJupyter runs `nbterm serve --jupyter` in a folder until the test's end, and returns
// where, and what ends it and tells what it has said.
func serveJupyter(t *testing.T, root string, flags ...string) (url string, end func() (said string, status int)) {
	t.Helper()
	cmd := nbterm(t, append([]string{"serve", "--jupyter", "--listen", "127.0.0.1:0", "--root", root}, flags...)...)
	cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+fileToken)
	out, said := begun(t, cmd)
	ended := false
	end = func() (string, int) {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait() // by the signal, which is an exit status of its own
		}
		return said.String(), cmd.ProcessState.ExitCode()
	}
	t.Cleanup(func() { end() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "http://") {
			return lines.Text(), end
		}
	}
	t.Fatal("it does not say where it is: ", said.String())
	return "", nil
}

// TestServeJupyter runs code and a notebook by the program's own client of Jupyter servers.
func TestServeJupyter(t *testing.T) {
	root := t.TempDir()
	url, end := serveJupyter(t, root)
	with := func(args ...string) *exec.Cmd {
		cmd := nbterm(t, args...)
		cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+fileToken)
		return cmd
	}
	if out, err := with("exec", "--host", url, "-c", "import os; print(6*7, os.getcwd())").Output(); err != nil || string(out) != "42 "+root+"\n" {
		t.Errorf("%q %v", out, err)
	}
	notebook := code(t, "6*7")
	if out, err := with("run", "--host", url, "--inplace", notebook).CombinedOutput(); err != nil {
		t.Errorf("%s %v", out, err)
	}
	data, err := os.ReadFile(notebook)
	if err != nil || !strings.Contains(string(data), `"42"`) {
		t.Errorf("%s %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(root, "x.ipynb"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := with("fs", "ls", "--host", url).CombinedOutput(); err != nil || !strings.Contains(string(out), "x.ipynb") {
		t.Errorf("%q %v", out, err)
	}
	resp, err := http.Get(url + "api/kernels")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("without a token: %d", resp.StatusCode)
	}
	if said, status := end(); status != 143 || strings.Contains(said+url, fileToken) || strings.Contains(said, "6*7") {
		t.Errorf("it ended with %d: %s", status, said)
	}
}
