//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// TestServeE2B runs code through the interpreter's calls, with the built-in kernel or a better
// one, and ends the server.
func TestServeE2B(t *testing.T) {
	cmd := nbterm(t, "serve", "--e2b", "--listen", "127.0.0.1:0", "--e2b-port", "0", "--envd-port", "0", "--root", t.TempDir())
	cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+fileToken)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill() // the test has failed
			_ = cmd.Wait()
		}
	})
	lines := bufio.NewReader(out)
	url, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	call := func(token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSpace(url)+"/execute", strings.NewReader(`{"code": "print(6*7)"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("E2b-Traffic-Access-Token", token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := call("wrong"); status != http.StatusForbidden {
		t.Errorf("a wrong token: %d %s", status, body)
	}
	status, body := call(fileToken)
	if status != http.StatusOK || !strings.Contains(body, `"text": "42\n"`) || !strings.HasSuffix(body, "{\"type\": \"end_of_execution\"}\n") {
		t.Errorf("%d %s", status, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // by the signal, which is an exit status of its own
	ended = true
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("it ended with %d", code)
	}
	if strings.Contains(said.String(), fileToken) || strings.Contains(said.String(), "6*7") {
		t.Errorf("its log tells secrets or code: %s", &said)
	}
}
