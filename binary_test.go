//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// nbterm is a command of the real program with a home of its own, ipykernel first on PATH.
func nbterm(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	python := hosttest.Python(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	program := filepath.Join(home, "nbterm") // TestMain acts by the program's name
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = home
	cmd.Env = []string{
		"HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color", "NBTERM_TEST_HOME=" + home,
		"PATH=" + filepath.Dir(python) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"NBTERM_NO_HOST=1", "JUPYTER_RUNTIME_DIR=" + filepath.Join(home, "run"), "TMPDIR=" + home,
	}
	t.Cleanup(func() { nothingLeft(t, home) })
	return cmd
}

// nothingLeft checks that no process carries this home and no socket or connection file lies in it.
func nothingLeft(t testing.TB, home string) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := processes(home); len(left) > 0; left = processes(home) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("processes left behind: %v", left)
			return
		}
	}
	_ = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.Type()&os.ModeSocket != 0 || strings.HasPrefix(d.Name(), "kernel-") || strings.HasPrefix(d.Name(), "nbterm-spill")) {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
}

// processes lists what runs with this home in its environment, zombies apart.
func processes(home string) (out []string) {
	for _, pid := range processIDs(home) {
		cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		out = append(out, strings.ReplaceAll(string(cmd), "\x00", " "))
	}
	return out
}

func processIDs(home string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte("NBTERM_TEST_HOME="+home)) {
			continue
		}
		if cmd, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline")); len(cmd) > 0 {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f))) // the pattern has digits there
			pids = append(pids, pid)
		}
	}
	return pids
}

// code writes a notebook of code cells and returns its path.
func code(t testing.TB, cells ...string) string {
	t.Helper()
	var b strings.Builder
	for i, c := range cells {
		fmt.Fprintf(&b, `{"cell_type":"code","execution_count":null,"id":"c%d","metadata":{},"outputs":[],"source":%q},`, i, c)
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	text := `{"cells":[` + strings.TrimSuffix(b.String(), ",") + `],"metadata":{},"nbformat":4,"nbformat_minor":5}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// kernels are those that a story is told on.
var kernels = []string{"python3", "builtin-python"}

func TestRunStreams(t *testing.T) {
	for _, kernel := range kernels {
		t.Run(kernel, func(t *testing.T) {
			gate := filepath.Join(t.TempDir(), "go")
			nb := code(t, fmt.Sprintf("import os, time\nprint('early', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint('late')", gate))
			cmd := nbterm(t, "run", "--kernel", kernel, nb)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(out)
			if line, err := r.ReadString('\n'); line != "early\n" {
				t.Fatalf("%q %v", line, err)
			}
			// The cell waits for this file: the line came before its end.
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "late\n" {
				t.Errorf("then %q", rest)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A run that is ended from outside saves what there is, says its status, and leaves nothing.
func TestRunEndedFromOutside(t *testing.T) {
	for _, kernel := range kernels {
		for _, c := range []struct {
			name   string
			act    func(*exec.Cmd, io.Closer)
			status int
		}{
			{"SIGINT", func(c *exec.Cmd, _ io.Closer) { _ = c.Process.Signal(os.Interrupt) }, 130},
			{"SIGTERM", func(c *exec.Cmd, _ io.Closer) { _ = c.Process.Signal(syscall.SIGTERM) }, 143},
			{"closed pipe", func(_ *exec.Cmd, out io.Closer) { _ = out.Close() }, 141},
		} {
			t.Run(kernel+" "+c.name, func(t *testing.T) {
				nb := code(t, "import time\nfor i in range(100000): print('beat', i, flush=True); time.sleep(0.01)", "print('never')")
				cmd := nbterm(t, "run", "--kernel", kernel, "--inplace", nb)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				r := bufio.NewReader(out)
				if line, err := r.ReadString('\n'); line != "beat 0\n" {
					t.Fatalf("%q %v", line, err)
				}
				c.act(cmd, out)
				_, _ = io.Copy(io.Discard, r)
				_ = cmd.Wait() // the status is looked at below
				if got := cmd.ProcessState.ExitCode(); got != c.status {
					t.Errorf("status %d, want %d\n%s", got, c.status, errs.String())
				}
				saved, err := os.ReadFile(nb)
				if err != nil || !bytes.Contains(saved, []byte("beat 0")) || bytes.Contains(saved, []byte("never\\n")) {
					t.Errorf("%v, saved %.300s", err, saved)
				}
				if lines := strings.Count(errs.String(), "nbterm: "); lines != 2 { // the kernel in use, and the end
					t.Errorf("stderr:\n%s", errs.String())
				}
			})
		}
	}
}

// The interrupt reaches the kernel's children.
func TestInterruptReachesChildren(t *testing.T) {
	cmd := nbterm(t, "run", code(t, "!sleep 297"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running := func() bool { return strings.Contains(strings.Join(processes(cmd.Dir), "|"), "sleep 297") }
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(30 * time.Second); !running(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the child never ran")
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	if got := cmd.ProcessState.ExitCode(); got != 130 || running() {
		t.Errorf("status %d, processes %v", got, processes(cmd.Dir))
	}
}

// The program dies by SIGKILL: its kernel must not outlive it.
func TestParentDeath(t *testing.T) {
	for _, kernel := range kernels {
		t.Run(kernel, func(t *testing.T) {
			cmd := nbterm(t, "exec", "--kernel", kernel, "-c", "import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "on\n" {
				t.Fatalf("%q %v", line, err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed: its status says nothing
			deadline := time.After(10 * time.Second)
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			home := cmd.Dir
			for len(processes(home)) > 0 {
				select {
				case <-tick.C:
				case <-deadline:
					t.Fatalf("still there: %v", processes(home))
				}
			}
			// Nobody was left to remove its files; this test does.
			if err := os.RemoveAll(home); err != nil {
				t.Error(err)
			}
		})
	}
}
