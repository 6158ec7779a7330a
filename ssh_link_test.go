//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	osuser "os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

// sshBox is another machine that ssh calls box, behind a network that tests can spoil. It has
// a home, and so a host process, of its own.
type sshBox struct {
	t      *testing.T
	server *sshServer
	net    *relay.Relay
	home   string
	ssh    string // an ssh that knows it
}

// newSSHBox makes the machine. bin are programs that come first there, by their names, "" for one
// that is missing; nbterm is there unless they say otherwise.
func newSSHBox(t *testing.T, bin map[string]string, settings ...string) *sshBox {
	t.Helper()
	there := nbterm(t) // its environment, and the check that nothing is left
	b := &sshBox{t: t, home: there.Dir}
	ownFile(t, there.Path)
	for _, dir := range []string{"bin", "user"} {
		if err := os.Mkdir(b.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, other := bin["nbterm"]; !other {
		if err := os.Link(there.Path, b.path("bin/nbterm")); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range bin {
		if text == "" {
			continue // it is missing
		}
		if err := os.WriteFile(b.path("bin/"+name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := "SetEnv XDG_RUNTIME_DIR=" + b.path("user")
	for _, kv := range there.Env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "NBTERM_NO_HOST", "TERM":
			continue
		case "PATH":
			value = b.path("bin") + ":" + filepath.Dir(hosttest.Python(t)) + ":/usr/bin:/bin"
		}
		env += fmt.Sprintf(" %s=%s", name, value)
	}
	there.Env = append(there.Env, "XDG_RUNTIME_DIR="+b.path("user"))
	t.Cleanup(func() {
		if out, err := again(there, "stop", "--all").CombinedOutput(); err != nil {
			t.Errorf("stop --all there: %v %s", err, out)
		}
	})
	b.server = startSSH(t, append(settings, env)...)
	b.net = relay.New(t, b.server.listener.Addr().String())
	b.configure()
	return b
}

func (b *sshBox) path(name string) string { return filepath.Join(b.home, name) }

// configure writes settings in which the machine is called box, and an ssh that reads them.
func (b *sshBox) configure() {
	b.t.Helper()
	me, err := osuser.Current()
	if err != nil {
		b.t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(b.net.Addr())
	if err != nil {
		b.t.Fatal(err)
	}
	key, err := os.ReadFile(b.server.path("host.pub"))
	if err != nil {
		b.t.Fatal(err)
	}
	text := fmt.Sprintf("Host box\n HostName 127.0.0.1\n HostKeyAlias box\n Port %s\n User %s\n IdentityFile %s\n IdentitiesOnly yes\n UserKnownHostsFile %s\n GlobalKnownHostsFile none\n",
		port, me.Username, b.server.path("mine"), b.server.path("known"))
	b.ssh = b.server.path("ssh")
	for name, data := range map[string]string{
		"client": text, "known": "box " + string(key), "ssh": "#!/bin/sh\nexec ssh -F " + b.server.path("client") + ` "$@"` + "\n",
	} {
		if err := os.WriteFile(b.server.path(name), []byte(data), 0o700); err != nil {
			b.t.Fatal(err)
		}
	}
}

// user is somebody at this machine who has an account on the other one.
func (b *sshBox) user(args ...string) *exec.Cmd {
	b.t.Helper()
	cmd := outliving(b.t, args...)
	cmd.Env = append(cmd.Env, "NBTERM_SSH="+b.ssh)
	return cmd
}

// has puts a notebook there and returns its path.
func (b *sshBox) has(name string, cells ...string) string {
	b.t.Helper()
	data, err := os.ReadFile(code(b.t, cells...))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(b.path(name)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(b.path(name), data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.path(name)
}

// sshOf is the number of the ssh that a program has started.
func sshOf(t *testing.T, home string) int {
	t.Helper()
	pids := slices.DeleteFunc(processIDs(home), func(pid int) bool {
		cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // none is none of ours
		return !strings.HasPrefix(string(cmd), "ssh\x00")
	})
	if len(pids) != 1 {
		t.Fatalf("%d ssh run", len(pids))
	}
	return pids[0]
}

// succeeds runs a command whose output is looked at.
func succeeds(t *testing.T, cmd *exec.Cmd, want ...string) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("%v: %q is not in %q", cmd.Args[1:], w, out)
		}
	}
	if err != nil {
		t.Errorf("%v: %v %s", cmd.Args[1:], err, out)
	}
	return string(out)
}

// fails runs a command that cannot succeed.
func fails(t *testing.T, cmd *exec.Cmd, want ...string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 3 {
		t.Errorf("%v: %v", cmd.Args[1:], err)
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("%v: %q is not in %q", cmd.Args[1:], w, out)
		}
	}
}

// leaves saves, stops the kernel and ends the program.
func leaves(s *terminal, nb, want string) {
	s.t.Helper()
	s.keys(ctrlS)
	waitFile(s.t, s, nb, want)
	s.keys("q")
	s.see("x stop the kernel")
	s.keys("x")
	if status := s.exit(); status != 0 {
		s.t.Errorf("status %d", status)
	}
}

// The notebook and the kernel are there, the screen is here. The line is cut, stalls and
// loses its ssh in the middle of 10,000 lines: each line comes once, and what is typed
// meanwhile does not wait.
func TestStorySSH(t *testing.T) {
	box := newSSHBox(t, nil)
	gate := box.path("gate")
	nb := box.has("work/n.ipynb", fmt.Sprintf("import os, time\nprint('in', os.getcwd(), flush=True)\nfor n in range(10000):\n    print('line', n)\n    while n %% 2500 == 1249 and not os.path.exists(%q + str(n // 2500)): time.sleep(0.01)\nprint('all ' + 'over')", gate), "x = 1")
	open := func(n int) {
		if err := os.WriteFile(fmt.Sprint(gate, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	box.net.Delay(20 * time.Millisecond)
	cmd := box.user("ssh", "box", "work/n.ipynb")
	s := start(t, cmd)
	s.see("n.ipynb", "range(10000)")
	s.keys(ctrlR)
	s.see("line 1249")
	box.net.Cut()
	open(0)
	s.see("line 3749")
	ssh := sshOf(t, cmd.Dir)
	if err := syscall.Kill(ssh, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	open(1)
	s.see("line 6249")
	box.net.Stall()
	open(2)
	s.keys("j\r")
	s.see("EDIT")
	s.keys("\x1b[1;5F + 41")
	s.see("x = 1 + 41")
	box.net.Resume()
	s.keys("\x1b")
	s.see("line 8749")
	ssh = sshOf(t, cmd.Dir)
	if err := errors.Join(syscall.Kill(ssh, syscall.SIGSTOP), syscall.Kill(ssh, syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	open(3)
	s.see("all over")
	leaves(s, nb, "all over")
	want := "in " + filepath.Dir(nb) + "\n"
	for n := range 10000 {
		want += fmt.Sprintf("line %d\n", n)
	}
	if got := outputs(t, nb)[0]; got != want+"all over\n" {
		t.Errorf("saved %d bytes, not %d", len(got), len(want)+9)
	}
}

// Commands work there as here, where the server refuses every forwarding, too.
func TestSSHCommands(t *testing.T) {
	box := newSSHBox(t, nil, "DisableForwarding yes", "AllowTcpForwarding no", "AllowStreamLocalForwarding no")
	box.has("n.ipynb", "print('ran ' + 'there')")
	cmd := box.user()
	there := func(args ...string) *exec.Cmd { return again(cmd, append(args, "--host", "ssh://box")...) }
	succeeds(t, there("exec", "--kernel", "builtin-python", "-c", "import os; print(os.environ['HOME'])"), box.home)
	succeeds(t, there("exec", "--context", "work", "--kernel", "builtin-python", "-c", "x = 41"))
	succeeds(t, there("exec", "--context", "work", "-c", "x + 1"), "42")
	succeeds(t, there("ls"), "work")
	succeeds(t, there("contexts", "list"), "work")
	succeeds(t, there("kernels"), "python3")
	succeeds(t, there("fs", "ls"), "n.ipynb")
	succeeds(t, there("fs", "cat", "n.ipynb"), "ran ' + 'there")
	succeeds(t, there("run", "--kernel", "builtin-python", code(t, "import os; print('ran in', os.environ['HOME'])")), "ran in "+box.home)
	succeeds(t, there("stop", "work"))
	if out := succeeds(t, there("ls")); strings.Contains(out, "work") {
		t.Error(out)
	}
}

// A kernel that was left is attached to by the name of its machine and its id.
func TestStorySSHAttach(t *testing.T) {
	box := newSSHBox(t, nil)
	nb := box.has("n.ipynb", "x = 6", "print('still', x * 7)")
	cmd := box.user("ssh", "box", "n.ipynb")
	s := start(t, cmd)
	s.see("still")
	s.keys(ctrlE)
	s.see("[1]", "idle")
	s.keys(ctrlS)
	s.see("saved")
	s.keys("q")
	s.see("k keep running")
	s.keys("k")
	if status := s.exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	id, _, _ := strings.Cut(strings.Split(succeeds(t, again(cmd, "ls", "--host", "ssh://box"), "n.ipynb"), "\n")[1], " ")
	s = start(t, again(cmd, "attach", "ssh://box/"+id))
	s.see("joined the kernel", "still")
	s.keys("G" + ctrlE)
	s.see("still 42")
	leaves(s, nb, "still 42")
}

// Where nbterm is missing it is copied after a yes; with a no nothing is.
func TestStorySSHCopies(t *testing.T) {
	box := newSSHBox(t, map[string]string{"nbterm": ""})
	nb := box.has("n.ipynb", "print('cop' + 'ied')")
	cmd := box.user("ssh", "box", "n.ipynb")
	s := start(t, cmd)
	s.see("Copy this one", "[y/N]")
	s.keys("\r")
	s.see("--install")
	if status := s.exit(); status != 3 {
		t.Errorf("status %d", status)
	}
	if _, err := os.Stat(box.path(".local/bin/nbterm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was copied: %v", err)
	}
	fails(t, again(cmd, "exec", "--host", "ssh://box", "-c", "1"), "there is no nbterm on", "--install")
	s = start(t, again(cmd, "ssh", "box", "n.ipynb"))
	s.see("[y/N]")
	s.keys("y\r")
	s.see("n.ipynb", "print")
	s.keys(ctrlE)
	s.see("copied")
	leaves(s, nb, "copied")
	if info, err := os.Stat(box.path(".local/bin/nbterm")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
}

// A machine that this program is not made for is said to be one.
func TestSSHOtherProcessor(t *testing.T) {
	box := newSSHBox(t, map[string]string{"nbterm": "", "uname": "#!/bin/sh\necho Plan9 pdp11\n"})
	fails(t, again(box.user(), "ls", "--host", "ssh://box"), "does not run on that machine (Plan9 pdp11)", "~/.local/bin")
}

// A machine that has become another one is not talked to, in ssh's own words and ours.
func TestSSHOtherKey(t *testing.T) {
	box := newSSHBox(t, nil)
	mine, err := os.ReadFile(box.server.path("mine.pub"))
	if err == nil {
		err = os.WriteFile(box.server.path("known"), append([]byte("box "), mine...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	fails(t, again(box.user(), "ls", "--host", "ssh://box"), "REMOTE HOST IDENTIFICATION HAS CHANGED", "whether it is the right machine")
}

// Ctrl-C at a question of ssh ends it all; after a yes the question is not asked again. The
// terminal is the program's then, and the shell's in the end.
func TestStorySSHAsks(t *testing.T) {
	box := newSSHBox(t, nil)
	nb := box.has("n.ipynb", "print('asked ' + 'before')")
	if err := os.WriteFile(box.server.path("known"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := box.user("ssh", "box", "n.ipynb")
	s := start(t, cmd)
	s.see("continue connecting")
	hosttest.Eventually(t, "ssh reading the answer", func() bool { return childrenSleep(s.cmd.Process.Pid) })
	s.keys(ctrlC)
	s.see("nbterm: ssh was interrupted")
	if status := s.exit(); status != 130 {
		t.Errorf("status %d", status)
	}
	s = start(t, again(cmd, "ssh", "box", "n.ipynb"))
	s.see("continue connecting")
	s.keys("yes\r")
	s.see("n.ipynb", "print")
	s.keys(ctrlE)
	s.see("asked before")
	leaves(s, nb, "asked before")
}

// childrenSleep tells whether a process has children, and all of them wait for something. A
// signal that comes between ssh's question and its reading has ssh read on.
func childrenSleep(parent int) bool {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	found := false
	for _, list := range lists {
		pids, _ := os.ReadFile(list) // of a thread that has ended there are none
		for pid := range strings.FieldsSeq(string(pids)) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			_, state, _ := strings.Cut(string(stat), ") ")
			if err != nil || !strings.HasPrefix(state, "S") {
				return false
			}
			found = true
		}
	}
	return found
}

// No ssh, and no such machine.
func TestSSHUnreachable(t *testing.T) {
	box := newSSHBox(t, nil)
	cmd := box.user()
	box.net.Refuse(true)
	fails(t, again(cmd, "ls", "--host", "ssh://box"), "ssh does not reach box")
	cmd.Env = append(cmd.Env, "NBTERM_SSH="+box.path("none"))
	fails(t, again(cmd, "ls", "--host", "ssh://box"), "there is no ssh program here", "install one")
}
