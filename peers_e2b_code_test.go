//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

const (
	// compatPage is what the SDKs found, as it is in the tree. It is written anew where
	// NBTERM_TEST_UPDATE is set.
	compatPage = "docs/e2b-compat.md"
	// e2bKey is a token in the form that the SDKs ask of a key.
	e2bKey = "e2b_0123456789abcdef0123456789abcdef01234567"
)

// peerSDK is one of E2B's SDKs.
type peerSDK struct{ name, script, flavour string }

var peerSDKs = [3]peerSDK{
	{"Python", "code.py", "sync"},
	{"Python, asyncio", "code.py", "async"},
	{"JavaScript", "code.mjs", ""},
}

// behaviour is what a script found of one.
type behaviour struct {
	Name   string `json:"name"`
	Result string `json:"result"`
}

// TestPeerE2BCode lets E2B's own SDKs run code in what nbterm serves: without the control
// plane, which they call debug mode, and with it and tokens. It keeps the page of what they
// found true.
func TestPeerE2BCode(t *testing.T) {
	if os.Getenv("NBTERM_TEST_PEER") != "e2b" {
		t.Skip("make test-peers GROUP=e2b sets up its peers")
	}
	t.Parallel()
	var found [2][len(peerSDKs)][]behaviour
	t.Run("modes", func(t *testing.T) {
		for i, mode := range []string{"debug", "sandbox"} {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				env := codeServer(t, mode)
				for j, sdk := range peerSDKs {
					t.Run(sdk.name, func(t *testing.T) {
						if mode == "sandbox" { // in debug mode they share all contexts
							t.Parallel()
						}
						found[i][j] = sdk.run(t, env)
					})
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	page := append(compatOf(found), deviationsOf(readCaptures(t))...)
	if os.Getenv("NBTERM_TEST_UPDATE") != "" {
		if err := os.WriteFile(compatPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(compatPage); err != nil || !bytes.Equal(have, page) {
		t.Errorf("%s is not what the SDKs found (%v): NBTERM_TEST_UPDATE=1 make test-peers GROUP=e2b writes it", compatPage, err)
	}
}

// codeServer serves code until the test ends, and returns the environment in which SDKs find it.
func codeServer(t *testing.T, mode string) []string {
	t.Helper()
	python := hosttest.Python(t)
	root, scratch := t.TempDir(), t.TempDir()
	args := []string{"serve", "--e2b", "--listen", "127.0.0.1:0", "--e2b-port", "0", "--envd-port", "0", "--root", root}
	if mode == "debug" {
		args = append(args, "--no-auth-loopback")
	}
	cmd := nbterm(t, args...)
	venv := filepath.Dir(filepath.Dir(python))
	cmd.Env = append(cmd.Env, "VIRTUAL_ENV="+venv, "JUPYTER_PATH="+filepath.Join(venv, "share/jupyter"))
	if mode != "debug" {
		cmd.Env = append(cmd.Env, "NBTERM_TOKEN="+e2bKey)
	}
	out, said := begun(t, cmd)
	var url string
	_, err := fmt.Fscanln(out, &url)
	go func() { _, _ = io.Copy(io.Discard, out) }() // until the server ends
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // by the signal
		if t.Failed() {
			t.Logf("the server said: %s", said)
		}
		if strings.Contains(said.String(), e2bKey) {
			t.Error("the server's log has its token")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "MODE="+mode, "E2B_SANDBOX_URL="+url, "ROOT="+root, "SCRATCH="+scratch)
	if mode == "debug" {
		return append(env, "E2B_DEBUG=true")
	}
	return append(env, "E2B_API_URL="+url, "E2B_API_KEY="+e2bKey)
}

// run lets the SDK look at all behaviours. One that it does not find is a failure.
func (p peerSDK) run(t *testing.T, env []string) []behaviour {
	t.Helper()
	sdk, err := filepath.Abs(".cache/js-e2b")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join("testdata/peers/e2b", p.script)
	cmd := exec.Command(hosttest.Python(t), script)
	if strings.HasSuffix(script, ".mjs") {
		cmd = exec.Command("node", script)
	}
	cmd.Env = append(env[:len(env):len(env)], "FLAVOUR="+p.flavour, "SDK="+sdk)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
	}
	var all []behaviour
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var b behaviour
		if err := lines.Decode(&b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v in %s", p.name, err, out)
		}
		if b.Result == "no" {
			t.Errorf("%s: not so: %s", p.name, b.Name)
		}
		all = append(all, b)
	}
	if t.Failed() {
		t.Logf("%s: %s", p.name, &said)
	}
	return all
}

// compatOf is the page.
func compatOf(found [2][len(peerSDKs)][]behaviour) []byte {
	var b bytes.Buffer
	b.WriteString(`# E2B's SDKs and nbterm serve

What E2B's own SDKs find when they run code in ` + "`nbterm serve --e2b`" + `. ` + "`make test-peers GROUP=e2b`" + `
makes this page with the versions in .ci/setup and testdata/peers/e2b, and fails where it differs.
*debug* is ` + "`--no-auth-loopback`" + ` and the SDKs' debug mode, which has one sandbox; *tokens* is with the
control plane. A – is what a mode does not have. Kernels: ipykernel, bash_kernel and Deno.

| behaviour |`)
	for _, mode := range []string{"debug", "tokens"} {
		for _, sdk := range peerSDKs {
			fmt.Fprintf(&b, " %s, %s |", sdk.name, mode)
		}
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", 2*len(peerSDKs)) + "\n")
	for n, first := range found[0][0] {
		fmt.Fprintf(&b, "| %s |", first.Name)
		for _, mode := range found {
			for _, all := range mode {
				result := "missing"
				if n < len(all) && all[n].Name == first.Name {
					result = all[n].Result
				}
				fmt.Fprintf(&b, " %s |", result)
			}
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// deviationsOf is the part of the page that says where we answer otherwise than E2B's server.
func deviationsOf(all []capture) []byte {
	var b bytes.Buffer
	b.WriteString(`
## Where the bytes differ

What E2B's own server sent was captured; asked the same, nbterm sends the same bytes, apart from
ids, times, counts, ports, folders, the places in libraries that tracebacks name, the bytes of pictures,
and how output is cut into pieces. ` + "`make test-peers GROUP=e2b`" + ` compares them all. These differ, and why:

| capture | why |
| --- | --- |
`)
	for _, c := range all {
		if why := c.Deviates + c.Cannot; why != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", c.Name, why)
		}
	}
	return b.Bytes()
}
