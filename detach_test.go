//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// user is somebody with a home of his own and a host process that ends with the test.
type user struct {
	t *testing.T
	*exec.Cmd
}

func newUser(t *testing.T) *user {
	t.Helper()
	u := &user{t, nbterm(t)}
	run := filepath.Join(u.Dir, "xdg")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	u.Env = append(u.Env, "XDG_RUNTIME_DIR="+run)
	t.Cleanup(func() {
		if out, err := u.command("stop", "--all").CombinedOutput(); err != nil {
			t.Errorf("stop --all: %v\n%s", err, out)
		}
	})
	return u
}

// command is one run of the program by this user.
func (u *user) command(args ...string) *exec.Cmd {
	c := exec.Command(u.Path, args...)
	c.Dir, c.Env = u.Dir, u.Env
	return c
}

// says runs the program and checks what it prints.
func (u *user) says(want string, args ...string) {
	u.t.Helper()
	out, err := u.command(args...).CombinedOutput()
	if err != nil || string(out) != want {
		u.t.Errorf("%v: %v, %q", args, err, out)
	}
}

// listed is what `nbterm ls --json` says.
func (u *user) listed() (rows []contextRow) {
	u.t.Helper()
	var said strings.Builder
	ls := u.command("ls", "--json")
	ls.Stderr = &said
	out, err := ls.Output()
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil {
		u.t.Fatalf("%v %s %s", err, out, said.String())
	}
	return rows
}

// hostPID is the number of the host process.
func (u *user) hostPID() int {
	u.t.Helper()
	for _, p := range processIDs(u.Dir) {
		cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
		if strings.Contains(string(cmd), "\x00host\x00") {
			return p
		}
	}
	u.t.Fatal("there is no host process")
	return 0
}

// recordedPID waits until the number of the only kernel's process is on disk.
func (u *user) recordedPID() (pid int) {
	u.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		names, _ := filepath.Glob(filepath.Join(u.Dir, ".local/state/nbterm/host/*/contexts/*/meta.json")) // a good pattern
		for _, name := range names {
			var meta struct{ PID int }
			if data, err := os.ReadFile(name); err == nil && json.Unmarshal(data, &meta) == nil && meta.PID > 0 {
				return meta.PID
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			u.t.Fatal("no kernel's number is on disk")
		}
	}
}

// seen waits for a file that code makes.
func seen(t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it was not made: " + path)
		}
	}
}

// The client is killed in the middle of a run: the run goes on, and so does what waits
// behind it.
func TestRunOutlivesKilledClient(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		u := newUser(t)
		began, gate, done := filepath.Join(u.Dir, "began"), filepath.Join(u.Dir, "gate"), filepath.Join(u.Dir, "done")
		code := fmt.Sprintf("import os, time\nopen(%q, 'w')\nwhile not os.path.exists(%q): time.sleep(0.01)\nx = 41\nopen(%q, 'w')", began, gate, done)
		c := u.command("exec", "--context", "work", "--kernel", kernel, "-c", code)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		seen(t, began)
		_ = c.Process.Kill()
		_ = c.Wait() // killed: its status says nothing
		if rows := u.listed(); len(rows) != 1 || rows[0].State != "busy" || rows[0].Running != 1 || rows[0].Memory == 0 && kernel == "python3" {
			t.Errorf("%+v", rows)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		seen(t, done)
		u.says("42\n", "exec", "--context", "work", "-c", "x + 1")
	})
}

// Eight programs that need a host process at once get one, and one context of the name;
// each is shown what its own code put out, whoever of the others leaves meanwhile.
func TestStartersAtOnce(t *testing.T) {
	u := newUser(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			u.says("same\n", "exec", "--context", "shared", "--kernel", "builtin-python", "-c", "print('same')")
		})
	}
	all.Wait()
	if rows := u.listed(); len(rows) != 1 {
		t.Errorf("%+v", rows)
	}
	hosts := 0
	for _, p := range processes(u.Dir) {
		if strings.Contains(p, " host ") {
			hosts++
		}
	}
	if hosts != 1 {
		t.Errorf("%d host processes: %v", hosts, processes(u.Dir))
	}
}

// A logout removes the runtime folder: the login after it finds what runs.
func TestRuntimeFolderRemoved(t *testing.T) {
	u := newUser(t)
	u.says("", "exec", "--context", "work", "--kernel", "builtin-python", "-c", "x = 41")
	run := filepath.Join(u.Dir, "xdg")
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	u.says("42\n", "exec", "--context", "work", "-c", "x + 1")
}

// A host process that is stopped does not answer, which is said, and all goes on when it does.
func TestHostStopped(t *testing.T) {
	u := newUser(t)
	u.says("", "exec", "--context", "work", "--kernel", "builtin-python", "-c", "x = 41")
	host := u.hostPID()
	if err := syscall.Kill(host, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c := u.command("exec", "--context", "work", "-c", "x + 1")
	out := make(chan string, 1)
	go func() {
		text, err := c.CombinedOutput()
		out <- fmt.Sprint(string(text), err)
	}()
	select {
	case text := <-out:
		t.Errorf("it did not wait: %s", text)
	case <-time.After(200 * time.Millisecond):
	}
	if err := syscall.Kill(host, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if text := <-out; text != "42\n<nil>" {
		t.Errorf("it said %q", text)
	}
}

// The host process is killed in the middle of a run: the next one takes the kernel up, its
// state, the run and what waits behind it.
func TestHostKilled(t *testing.T) {
	u := newUser(t)
	gate, done := filepath.Join(u.Dir, "gate"), filepath.Join(u.Dir, "done")
	u.says("", "exec", "--context", "work", "--kernel", "python3", "-c", "import os, time; x = 41")
	began := filepath.Join(u.Dir, "began")
	code := fmt.Sprintf("open(%q, 'w')\nwhile not os.path.exists(%q): time.sleep(0.01)\nx += 1\nopen(%q, 'w')", began, gate, done)
	c := u.command("exec", "--context", "work", "-c", code)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	seen(t, began)
	if err := syscall.Kill(u.hostPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if rows := u.listed(); len(rows) != 1 || rows[0].Name != "work" || rows[0].State == "dead" {
		t.Errorf("%+v", rows)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	seen(t, done)
	_ = c.Wait() // its status is looked at
	if status := c.ProcessState.ExitCode(); status != 3 {
		t.Errorf("the client that saw it ended with the status %d", status)
	}
	u.says("42\n", "exec", "--context", "work", "-c", "x")
}

// The host process is killed between the start of a kernel and its first word: the next one
// takes that kernel up, and what waited for it. No process is left that nobody knows.
func TestHostKilledBeforeReady(t *testing.T) {
	u := newUser(t)
	began, gate := filepath.Join(u.Dir, "began"), filepath.Join(u.Dir, "gate")
	script := fmt.Sprintf("#!/bin/sh\n: > %q\nwhile [ ! -e %q ]; do sleep 0.05; done\nexec %q -m ipykernel_launcher -f \"$1\"\n", began, gate, hosttest.Python(t))
	spec := filepath.Join(u.Dir, ".local/share/jupyter/kernels/slow")
	if err := errors.Join(os.MkdirAll(spec, 0o700), os.WriteFile(filepath.Join(spec, "run.sh"), []byte(script), 0o700),
		os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(`{"argv": ["{resource_dir}/run.sh", "{connection_file}"], "display_name": "slow", "language": "python"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := u.command("exec", "--context", "work", "--kernel", "slow", "-c", "x = 41")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	seen(t, began)
	pid := u.recordedPID()
	if err := syscall.Kill(u.hostPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	rows := u.listed()
	if len(rows) != 1 || rows[0].PID != pid || rows[0].State == "dead" {
		t.Errorf("the kernel %d was left, there is %+v", pid, rows)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // what it may know of its run is not the matter here
	u.says("42\n", "exec", "--context", "work", "-c", "x + 1")
}

// The built-in kernel ends with its host process, which is said.
func TestHostKilledWithBuiltin(t *testing.T) {
	u := newUser(t)
	u.says("kept\n", "exec", "--context", "work", "--kernel", "builtin-python", "-c", "print('kept')")
	c := u.command("exec", "--context", "work", "-c", "import time; print('on', flush=True); time.sleep(600)")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 3)
	if _, err := io.ReadFull(out, line); err != nil || string(line) != "on\n" {
		t.Fatalf("%q %v", line, err)
	}
	if err := syscall.Kill(u.hostPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // its status is looked at
	if status := c.ProcessState.ExitCode(); status != 3 || !strings.Contains(errs.String(), "ended with") {
		t.Errorf("status %d, %q", status, errs.String())
	}
	text, err := u.command("exec", "--context", "work", "-c", "1").CombinedOutput()
	if err == nil || !strings.Contains(string(text), "built-in kernel ended with the process that hosted it; after `nbterm stop work`") {
		t.Errorf("%v %s", err, text)
	}
	u.says("", "stop", "work")
	u.says("1\n", "exec", "--context", "work", "--kernel", "builtin-python", "-c", "1")
}

// The host process is killed at random moments while code runs and prints. Each time the
// next one reads the journal and has the same kernel, with its state. NBTERM_KILLS says how
// often (3), NBTERM_SEED repeats a run.
func TestHostKills(t *testing.T) {
	kills, seed := 3, uint64(time.Now().UnixNano())
	if n, err := strconv.Atoi(os.Getenv("NBTERM_KILLS")); err == nil {
		kills = n
	}
	if n, err := strconv.ParseUint(os.Getenv("NBTERM_SEED"), 10, 64); err == nil {
		seed = n
	}
	random := rand.New(rand.NewPCG(seed, 0))
	u := newUser(t)
	u.says("", "exec", "--context", "work", "--kernel", "python3", "-c", "import time; x = 0")
	pid := u.listed()[0].PID
	for round := 1; round <= kills && !t.Failed(); round++ {
		c := u.command("exec", "--context", "work", "-c", "x += 1\nfor i in range(500): print('line', i, 'x' * 60, flush=True); time.sleep(0.001)")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		host := u.hostPID()
		<-time.After(time.Duration(random.Int64N(int64(800 * time.Millisecond))))
		if err := syscall.Kill(host, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it may or may not have been done
		rows := u.listed()
		if len(rows) != 1 || rows[0].PID != pid || rows[0].State == "dead" {
			t.Fatalf("round %d, NBTERM_SEED=%d: %+v", round, seed, rows)
		}
		if host == u.hostPID() {
			t.Fatal("it was not killed")
		}
		out, err := u.command("exec", "--context", "work", "-c", "x").Output()
		x, _ := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || x > round {
			t.Fatalf("round %d, NBTERM_SEED=%d: %v %s", round, seed, err, out)
		}
		u.says("", "exec", "--context", "work", "-c", fmt.Sprint("x = ", round))
	}
}
