//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// outliving is nbterm whose kernels live in a host process of this test's own.
func outliving(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := nbterm(t, args...)
	ownFile(t, cmd.Path)
	run := filepath.Join(cmd.Dir, "user")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "NBTERM_NO_HOST=") })
	cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+run)
	t.Cleanup(func() {
		if out, err := again(cmd, "stop", "--all").CombinedOutput(); err != nil {
			t.Errorf("stop --all: %v %s", err, out)
		}
	})
	return cmd
}

// ownFile makes a link to the test's program a file: the host process is started by the name
// that the system knows the program by.
func ownFile(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if os.Link(self, path) == nil {
		return
	}
	data, err := os.ReadFile(self) // on another file system
	if err == nil {
		err = os.WriteFile(path, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// again is the same program for the same user.
func again(cmd *exec.Cmd, args ...string) *exec.Cmd {
	next := exec.Command(cmd.Path, args...)
	next.Env, next.Dir = cmd.Env, cmd.Dir
	return next
}

// A run goes on when the program that started it is killed, and so does the queue. The next
// one shows all of it, saves it and ends the kernel.
func TestStoryDetach(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		gate := filepath.Join(t.TempDir(), "go")
		nb := code(t, fmt.Sprintf("import os, time\nprint('early', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint('late')", gate), "print('next', 6 * 7)")
		cmd := outliving(t, "--kernel", kernel, nb)
		s := start(t, cmd)
		s.see("n.ipynb", "late")
		s.keys("R")
		s.see("early\n")
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-s.done
		_ = s.cmd.Wait() // it was killed
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s = start(t, again(cmd, nb))
		s.see("joined the kernel", "next 42")
		s.keys("s")
		waitFile(t, s, nb, "next 42")
		s.keys("q")
		s.see("k keep running", "x stop the kernel")
		s.keys("x")
		if status := s.exit(); status != 0 {
			t.Errorf("status %d", status)
		}
		if got := outputs(t, nb); got[0] != "early\nlate\n" || got[1] != "next 42\n" {
			t.Errorf("saved %q", got)
		}
		if out, err := again(cmd, "ls", "--json").Output(); err != nil || strings.Contains(string(out), "n.ipynb") {
			t.Errorf("ls: %v %s", err, out)
		}
	})
}
