//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// TestPeerE2BFiles lets E2B's own SDKs work on a folder that nbterm serves.
func TestPeerE2BFiles(t *testing.T) {
	if os.Getenv("NBTERM_TEST_PEER") != "e2b-files" {
		t.Skip("make test-peers GROUP=e2b-files sets up its peers")
	}
	scripts, err := filepath.Abs("testdata/peers/e2b")
	if err != nil {
		t.Fatal(err)
	}
	sdk, err := filepath.Abs(".cache/js-e2b")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	_, url, said := fileServerOf(t, root)
	_, open, _ := fileServerOf(t, root, "--no-auth-loopback")
	env := append(os.Environ(), "URL="+url, "TOKEN="+fileToken, "ROOT="+root, "SDK="+sdk, "SMALL="+fullDisk(t, root))
	for name, cmd := range map[string]*exec.Cmd{
		"javascript":                 exec.Command("node", filepath.Join(scripts, "files.mjs")),
		"javascript without a token": exec.Command("node", filepath.Join(scripts, "debug.mjs")),
		"python":                     exec.Command(hosttest.Python(t), filepath.Join(scripts, "files.py")),
	} {
		cmd.Env = env
		if name == "javascript without a token" {
			cmd.Env = append(env[:len(env):len(env)], "E2B_DEBUG=true", "E2B_SANDBOX_URL="+open)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s\nthe server said: %s", name, err, out, said)
		}
		t.Logf("%s: %s", name, out)
	}
}

// fullDisk is a folder in root with hardly any space, "" where this user may not make one.
func fullDisk(t *testing.T, root string) string {
	t.Helper()
	dir := filepath.Join(root, "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Log("there is no small disk:", err)
		return ""
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
