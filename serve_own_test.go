//go:build linux

package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// box is another machine, as far as its home goes, where `nbterm serve` runs.
type box struct {
	t    *testing.T
	cmd  *exec.Cmd // of the server
	home *exec.Cmd // where it runs
	root string
	at   string // its address, as --host takes it
	said bytes.Buffer
	more []string
}

func newBox(t *testing.T, more ...string) *box {
	t.Helper()
	b := &box{t: t, home: nbterm(t), root: t.TempDir(), more: more}
	t.Cleanup(func() {
		if b.cmd != nil {
			b.end(syscall.SIGKILL)
		}
	})
	b.start()
	return b
}

// start starts the server.
func (b *box) start() {
	b.t.Helper()
	b.cmd = exec.Command(b.home.Path, append([]string{"serve", "--listen", "127.0.0.1:0", "--root", b.root}, b.more...)...)
	b.cmd.Dir, b.cmd.Env, b.cmd.Stderr = b.home.Dir, append(b.home.Env, "NBTERM_TOKEN="+fileToken), &b.said
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = b.cmd.Wait()
		b.t.Fatal(err, b.said.String())
	}
	b.at = strings.TrimSpace(line)
}

// end ends the server and returns its status.
func (b *box) end(with syscall.Signal) int {
	_ = b.cmd.Process.Signal(with)
	_ = b.cmd.Wait() // by the signal
	code := b.cmd.ProcessState.ExitCode()
	b.cmd = nil
	return code
}

// user is somebody at another machine.
func (b *box) user(token string) *user {
	u := &user{b.t, nbterm(b.t)}
	u.Env = append(u.Env, "NBTERM_TOKEN="+token)
	return u
}

// fails runs the program, which is to fail.
func (u *user) fails(status int, says string, args ...string) {
	u.t.Helper()
	c := u.command(args...)
	out, _ := c.CombinedOutput() // its status is looked at
	if c.ProcessState.ExitCode() != status || !strings.Contains(string(out), says) || strings.Contains(string(out), fileToken) {
		u.t.Errorf("%v: status %d, %s", args, c.ProcessState.ExitCode(), out)
	}
}

// A machine's kernels and files are used from another one. Runs outlive their clients and
// the server, which nobody ends from afar, and nothing outside its root is given away.
func TestServeOwnFace(t *testing.T) {
	b := newBox(t, "--max-contexts", "1")
	u := b.user(fileToken)
	host := func(args ...string) []string { return append(args, "--host", b.at) }
	root, err := filepath.EvalSymlinks(b.root)
	if err != nil {
		t.Fatal(err)
	}
	u.says(root+" 42\n", host("exec", "-c", "import os; print(os.getcwd(), 6*7)")...)

	began, gate, done := filepath.Join(root, "began"), filepath.Join(root, "gate"), filepath.Join(root, "done")
	c := u.command(host("exec", "--context", "work", "--kernel", "python3", "-c",
		fmt.Sprintf("import os, time\nopen(%q, 'w')\nwhile not os.path.exists(%q): time.sleep(0.01)\nx = 41\nopen(%q, 'w')", began, gate, done))...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	seen(t, began)
	_ = c.Process.Kill()
	_ = c.Wait() // killed
	b.end(syscall.SIGKILL)
	b.start()
	if out, err := u.command(host("ls", "--json")...).Output(); err != nil || !strings.Contains(string(out), `"name":"work"`) || strings.Contains(string(out), `"dead"`) {
		t.Errorf("%v %s", err, out)
	}
	put(t, gate, "")
	seen(t, done)
	u.says("42\n", host("exec", "--context", "work", "-c", "x + 1")...)

	u.fails(3, "takes no more", host("exec", "-c", "1")...)
	other := b.user("wrong")
	other.fails(3, "does not take this token", host("exec", "-c", "1")...)
	other.fails(3, "does not take this token", host("fs", "ls")...)

	put(t, filepath.Join(root, "a.txt"), "from afar\n")
	outside := filepath.Join(t.TempDir(), "outside.txt")
	put(t, outside, "not for you")
	if err := os.Symlink(outside, filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	u.says("from afar\n", host("fs", "cat", "a.txt")...)
	for _, path := range []string{outside, "../" + filepath.Base(filepath.Dir(outside)) + "/outside.txt", root + "/../../../../etc/passwd"} {
		u.fails(2, "outside of the folder", host("fs", "cat", path)...)
	}

	u.fails(2, "leads nowhere", host("fs", "cat", "link.txt")...)

	u.says("", host("stop", "--all")...)
	u.says("nbterm: nothing runs in the host process\n", host("ls")...) // it is there to say so
	if status := b.end(syscall.SIGTERM); status != 143 {
		t.Errorf("it ended with %d", status)
	}
	u.fails(3, "cannot be reached", host("ls")...)
	if said := b.said.String(); strings.Contains(said, fileToken) || strings.Contains(said, "x + 1") || !strings.Contains(said, "runs as you") {
		t.Errorf("it says %s", said)
	}
	for _, home := range []string{b.home.Dir, u.Dir} {
		noToken(t, home)
	}
}

// noToken checks that no file of a folder has the token in it.
func noToken(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(fileToken)) {
			t.Errorf("%s has the token in it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestServeOwnFaceTLS speaks TLS with a certificate of the user's own making, to a host that
// the config file names.
func TestServeOwnFaceTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfSigned(t, cert, key)
	b := newBox(t, "--tls-cert", cert, "--tls-key", key)
	u := b.user("")
	config := filepath.Join(u.Dir, ".config", "nbterm")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(u.Dir, "token")
	put(t, token, fileToken+"\n")
	put(t, filepath.Join(config, "config.toml"), fmt.Sprintf("[hosts.box]\nurl = %q\ntoken_file = %q\nca_file = %q\n", b.at, token, cert))
	if !strings.HasPrefix(b.at, "nbterm+https://") {
		t.Errorf("it is at %s", b.at)
	}
	u.says("42\n", "exec", "--host", "box", "--kernel", "builtin-python", "-c", "6*7")
	u.says("42\n", "exec", "--host", b.at, "--insecure", "--kernel", "builtin-python", "-c", "6*7") // another spelling of the same host
	u.fails(3, "its certificate is for another name", "exec", "--host", strings.Replace(b.at, "127.0.0.1", "localhost", 1), "--token-file", token, "-c", "1")
	u.fails(3, "", "exec", "--host", strings.Replace(b.at, "https", "http", 1), "--token-file", token, "-c", "1")
	if status := b.end(syscall.SIGINT); status != 130 {
		t.Errorf("it ended with %d", status)
	}
}

// selfSigned writes a certificate for 127.0.0.1, and its key.
func selfSigned(t *testing.T, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	put(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	put(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

// A notebook that lies on another machine is opened and run there. The program that shows it
// is killed meanwhile; the next one has all that came, and saves it where it lies.
func TestStoryNotebookElsewhere(t *testing.T) {
	b := newBox(t)
	gate, nb := filepath.Join(t.TempDir(), "go"), filepath.Join(b.root, "n.ipynb")
	put(t, nb, get(t, code(t, fmt.Sprintf("import os, time\nprint('early', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint('late in', os.getcwd())", gate), "print('next', 6 * 7)")))
	u := b.user(fileToken)
	u.Env = slices.DeleteFunc(u.Env, func(kv string) bool { return strings.HasPrefix(kv, "NBTERM_NO_HOST=") })
	s := start(t, u.command("--kernel", "builtin-python", b.at+nb))
	s.see("n.ipynb", "late")
	s.keys("R")
	s.see("early\n")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	_ = s.cmd.Wait() // it was killed
	put(t, gate, "")
	s = start(t, u.command("attach", "--host", b.at)) // the only one there is
	s.see("joined the kernel", "next 42", "on 127.0.0.1")
	s.keys("s")
	waitFile(t, s, nb, "next 42")
	s.keys("q")
	s.see("k keep running", "x stop the kernel")
	s.keys("x")
	if status := s.exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	if got := outputs(t, nb); got[0] != "early\nlate in "+b.root+"\n" || got[1] != "next 42\n" {
		t.Errorf("saved %q", got)
	}
	u.says("[]\n", "ls", "--json", "--host", b.at)
}
