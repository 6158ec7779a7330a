//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	osuser "os/user"
	"path/filepath"
	"strings"
	"testing"
)

// sshServer is a real sshd on a free loopback port, with keys and settings of its own.
type sshServer struct {
	dir      string
	listener *net.TCPListener
}

// startSSH accepts connections and gives each to an sshd, as inetd does. settings are lines
// of its configuration.
func startSSH(t *testing.T, settings ...string) *sshServer {
	t.Helper()
	sshd := "/usr/sbin/sshd"
	if _, err := os.Stat(sshd); err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("there is no sshd (Debian: openssh-server)")
		}
		t.Skip("there is no sshd (Debian: openssh-server)")
	}
	if os.Getuid() == 0 { // where sshd puts its unprivileged half; its service would make it
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &sshServer{dir: t.TempDir()}
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v %s", err, out)
		}
	}
	config := fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n",
		s.path("host"), s.path("mine.pub"))
	config = strings.Join(append(settings, config), "\n") // of a setting that comes twice the first counts
	if err := os.WriteFile(s.path("config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s.listener = l
	ended := make(chan struct{})
	go s.serve(sshd, ended)
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
		if log, err := os.ReadFile(s.path("log")); t.Failed() {
			t.Logf("sshd: %s %v", log, err)
		}
	})
	return s
}

func (s *sshServer) path(name string) string { return filepath.Join(s.dir, name) }

// serve ends when the listener is closed and every sshd has ended.
func (s *sshServer) serve(sshd string, ended chan<- struct{}) {
	defer close(ended)
	var all []*exec.Cmd
	for {
		conn, err := s.listener.AcceptTCP()
		if err != nil {
			break
		}
		cmd := exec.Command(sshd, "-i", "-f", s.path("config"), "-E", s.path("log"))
		if file, err := conn.File(); err == nil {
			cmd.Stdin, cmd.Stdout = file, file
			if cmd.Start() == nil {
				all = append(all, cmd)
			}
			_ = file.Close()
		}
		_ = conn.Close()
	}
	for _, cmd := range all {
		_ = cmd.Wait() // the story says how it went
	}
}

// over is cmd, run at the other end of an SSH connection with a terminal.
func (s *sshServer) over(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	me, err := osuser.Current()
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"cd", quoted(cmd.Dir), "&&", "exec", "env", "-i"}
	for _, kv := range append(cmd.Env, "TERM=xterm-256color") {
		words = append(words, quoted(kv))
	}
	for _, arg := range append([]string{cmd.Path}, cmd.Args[1:]...) {
		words = append(words, quoted(arg))
	}
	port := fmt.Sprint(s.listener.Addr().(*net.TCPAddr).Port)
	ssh := exec.Command("ssh", "-tt", "-F", "none", "-i", s.path("mine"), "-p", port, "-l", me.Username,
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes",
		"127.0.0.1", strings.Join(words, " "))
	ssh.Env, ssh.Dir = cmd.Env, cmd.Dir
	return ssh
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// The connection drops three times in the middle of a run. What was printed while nobody
// watched is there each time, and the file in the end has every line once.
func TestStorySSHDrops(t *testing.T) {
	server := startSSH(t)
	gate := filepath.Join(t.TempDir(), "go")
	nb := code(t, fmt.Sprintf("import os, time\nfor n in range(4):\n    print('part', n, flush=True)\n    while n < 3 and not os.path.exists(%q + str(n)): time.sleep(0.01)\nprint('all ' + 'over')", gate))
	cmd := outliving(t, "--kernel", "python3", nb)
	s := start(t, server.over(t, cmd))
	s.see("n.ipynb", "range(4)")
	s.keys("R")
	for n := range 3 {
		s.see(fmt.Sprint("part ", n))
		if err := s.cmd.Process.Kill(); err != nil { // as a laptop that is closed
			t.Fatal(err)
		}
		<-s.done
		_ = s.cmd.Wait() // it was killed
		if err := os.WriteFile(gate+fmt.Sprint(n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s = start(t, server.over(t, again(cmd, nb)))
	}
	s.see("joined the kernel", "all over")
	s.keys("s")
	waitFile(t, s, nb, "all over")
	s.keys("q")
	s.see("x stop the kernel")
	s.keys("x")
	if status := s.exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	if got := outputs(t, nb); got[0] != "part 0\npart 1\npart 2\npart 3\nall over\n" {
		t.Errorf("saved %q", got)
	}
}
