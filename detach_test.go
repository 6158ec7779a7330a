//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	out, err := u.command("ls", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil {
		u.t.Fatalf("%v %s", err, out)
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

// Eight programs that need a host process at once get one, and one context of the name.
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
