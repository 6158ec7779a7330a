package bridge

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

// TestAnotherUser has another user's program stand at the socket, and call at it: nothing is
// said to either.
func TestAnotherUser(t *testing.T) {
	python := "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		python = "/usr/local/bin/python3"
	}
	if _, err := os.Stat(python); err != nil || os.Getuid() != 0 {
		t.Skip("only root can be another user, who needs a Python that everybody can start")
	}
	dir, err := os.MkdirTemp("", "nbt") // the other user has to reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // this is what is tried
		t.Fatal(err)
	}
	as := func(code string) (*bufio.Reader, func()) {
		cmd := exec.Command(python, "-c", "import socket, sys\nx = socket.socket(socket.AF_UNIX)\n"+code, filepath.Join(dir, "theirs"), filepath.Join(dir, "ours"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Stderr = os.Stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(out), func() {
			_ = stdin.Close()
			_ = cmd.Wait() // what it did has been read
		}
	}
	out, end := as("x.bind(sys.argv[1]); x.listen(); print('up', flush=True); sys.stdin.read()")
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := dialSocket(t.Context(), filepath.Join(dir, "theirs")); !errors.Is(err, kernelclient.Permission) {
		t.Errorf("another user's socket: %v", err)
	}
	end()

	s, err := listenAt(filepath.Join(dir, "ours"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Chmod(s.path, 0o777); err != nil { //nolint:gosec // as if nothing else kept them out
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 1)
	go func() { // ends when s is closed
		if c, err := s.Accept(); err == nil {
			accepted <- c
		}
	}()
	out, end = as("x.connect(sys.argv[2]); print(x.recv(1) == b'', flush=True)")
	defer end()
	if said, err := out.ReadString('\n'); err != nil || said != "True\n" || len(accepted) > 0 {
		t.Errorf("another user's call: %q %v, %d let in", said, err, len(accepted))
	}
}
