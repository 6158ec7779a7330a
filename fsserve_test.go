//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const fileToken = "a-token-of-the-test"

// fileServerOf starts `nbterm fs serve` for a folder and returns its address.
func fileServerOf(t *testing.T, root string, args ...string) (*exec.Cmd, string, *bytes.Buffer) {
	t.Helper()
	cmd := nbterm(t, append([]string{"fs", "serve", "--root", root, "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+fileToken)
	out, said := begun(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended as it should
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, said.String())
	}
	return cmd, strings.TrimSpace(line), said
}

// begun starts a program, and returns what it prints and, once it has ended, has said.
func begun(t *testing.T, cmd *exec.Cmd) (out io.Reader, said *bytes.Buffer) {
	t.Helper()
	said = &bytes.Buffer{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return out, said
}

// TestFileServer works on the files of one program with another.
func TestFileServer(t *testing.T) {
	root := t.TempDir()
	server, url, _ := fileServerOf(t, root)
	fs := func(token string, args ...string) (string, error) {
		cmd := nbterm(t, append([]string{"fs", "--envd", url}, args...)...)
		cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+token)
		cmd.Stdin = strings.NewReader("from afar\n")
		text, err := cmd.CombinedOutput()
		if strings.Contains(string(text), fileToken) {
			t.Errorf("%v tells the token", args)
		}
		return string(text), err
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"mkdir", "a/b"}, ""},
		{[]string{"put", "-", "a/b/c.txt"}, ""},
		{[]string{"ls", "-R"}, "a/\na/b/\na/b/c.txt\n"},
		{[]string{"cat", "--range", "5-8", "a/b/c.txt"}, "afar"},
		{[]string{"mv", "a/b/c.txt", "d.txt"}, ""},
	} {
		if text, err := fs(fileToken, step.args...); err != nil || text != step.want {
			t.Errorf("%v: %q %v", step.args, text, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, "d.txt")); string(text) != "from afar\n" {
		t.Errorf("%q %v", text, err)
	}
	if text, err := fs("wrong", "ls"); err == nil || !strings.Contains(text, "check the access token") {
		t.Errorf("a wrong token: %q %v", text, err)
	}
	address, err := fs(fileToken, "url", "d.txt", "--expires", "600")
	if err != nil {
		t.Fatal(address, err)
	}
	answer, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); string(text) != "from afar\n" {
		t.Errorf("under its address there is %q", text)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); server.ProcessState.ExitCode() != 143 {
		t.Error(err)
	}
}

func TestFileServerWithoutToken(t *testing.T) {
	_, url, said := fileServerOf(t, t.TempDir(), "--no-auth-loopback")
	answer, err := http.Get(url + "/envs")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || !strings.Contains(said.String(), "no token is asked for") {
		t.Error(answer.Status, said.String())
	}
	out, err := nbterm(t, "fs", "serve", "--listen", "0.0.0.0:0", "--no-auth-loopback").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "reached by other machines") {
		t.Errorf("%q %v", out, err)
	}
}
