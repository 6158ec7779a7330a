//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/isolate"
)

// served is a running `nbterm serve --e2b` on free ports.
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	client *http.Client
	code   string // address of the interpreter
	files  string // of the file service
	own    string // of the server's own face

	mu    sync.Mutex
	said  bytes.Buffer // guarded by mu
	ended chan struct{}
}

// Write takes what the server says on stderr.
func (s *served) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Write(b)
}

// words is what it has said by now.
func (s *served) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

func serveE2B(t *testing.T, flags ...string) *served {
	t.Helper()
	args := append([]string{"serve", "--e2b", "--listen", "127.0.0.1:0", "--e2b-port", "0", "--envd-port", "0", "--root", t.TempDir()}, flags...)
	s := &served{t: t, cmd: nbterm(t, args...), client: http.DefaultClient, ended: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, "NBTERM_TOKEN="+fileToken)
	s.cmd.Stderr = s
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.ended:
		default:
			s.stop(syscall.SIGTERM)
		}
	})
	lines := bufio.NewReader(out)
	for _, to := range []*string{&s.code, &s.files, &s.own} {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err, s.words())
		}
		*to = strings.TrimSpace(line)
	}
	return s
}

// execute asks for code to be run; the caller closes the answer's body.
func (s *served) execute(token, code string) *http.Response {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.code+"/execute", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("E2b-Traffic-Access-Token", token)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// run is execute to its end.
func (s *served) run(token, code string) (int, string) {
	s.t.Helper()
	resp := s.execute(token, code)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// stop ends the server by a signal and returns its exit status.
func (s *served) stop(sig syscall.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // by the signal, which is an exit status of its own
	close(s.ended)
	return s.cmd.ProcessState.ExitCode()
}

// TestServeE2B runs code through the interpreter's calls, with the built-in kernel or a better
// one, and ends the server.
func TestServeE2B(t *testing.T) {
	s := serveE2B(t)
	if status, body := s.run("wrong", "print(6*7)"); status != http.StatusForbidden {
		t.Errorf("a wrong token: %d %s", status, body)
	}
	status, body := s.run(fileToken, "import os; print(6*7, os.environ.get('NBTERM_TOKEN'))")
	if status != http.StatusOK || !strings.Contains(body, `"text": "42 None\n"`) || !strings.HasSuffix(body, "{\"type\": \"end_of_execution\"}\n") {
		t.Errorf("%d %s", status, body)
	}
	if code := s.stop(syscall.SIGTERM); code != 143 {
		t.Errorf("it ended with %d", code)
	}
	if said := s.words(); strings.Contains(said, fileToken) || strings.Contains(said, "6*7") || !strings.Contains(said, "runs as you") {
		t.Errorf("its log tells secrets or code: %s", said)
	}
}

// TestServeIsolated has code look around in its box; on a machine that allows none it is
// refused at the start.
func TestServeIsolated(t *testing.T) {
	bwrap, err := isolate.Find()
	if err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err := (&isolate.Box{Bwrap: bwrap}).Try(t.Context()); err != nil {
		out, err := nbterm(t, "serve", "--e2b", "--listen", "127.0.0.1:0", "--isolate").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "kernels cannot be isolated here: ") {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Skip("no box is to be had here; that is refused")
	}
	beside := filepath.Join(t.TempDir(), "beside")
	if err := os.WriteFile(beside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveE2B(t, "--isolate", "--isolate-offline", "--max-memory", "300")
	status, body := s.run(fileToken, `import os, socket
open("made", "w").close()
print(os.path.exists("`+beside+`"))
try:
    socket.create_connection(("127.0.0.1", `+s.code[strings.LastIndex(s.code, ":")+1:]+`), 5)
except OSError as e:
    print("cut off")
try:
    bytearray(400 << 20)
except MemoryError:
    print("too much")`)
	if status != http.StatusOK || !strings.Contains(body, `False\ncut off\ntoo much\n`) {
		t.Errorf("%d %s\n%s", status, body, s.words())
	}
	if code := s.stop(syscall.SIGTERM); code != 143 || !strings.Contains(s.words(), "in bubblewrap") {
		t.Errorf("it ended with %d: %s", code, s.words())
	}
}
