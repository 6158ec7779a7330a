//go:build unix

package hosts

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// hostProcess runs a host process, in this one, until the returned func is called.
func hostProcess(t *testing.T, p bridge.Place, again Target) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error, 1)
	go func() {
		done <- bridge.Process{Place: p, Ready: w, Server: bridge.Options{
			Host: func(a bridge.Surroundings) (kernelclient.Host, error) {
				target, err := FromWire(a.Target)
				if err != nil {
					return nil, err
				}
				return Open(target, Options{Env: a.Env, Dir: a.Dir, Log: a.Log, Outlive: true})
			},
			Adopt: func(ctx context.Context, l bridge.Left) (kernelclient.Context, kernelclient.Host, error) {
				return Adopt(ctx, again, Options{Env: l.Env, Outlive: true}, kernelclient.Adoption{Info: l.Info, Start: l.Spec, Log: l.Log})
			},
		}}.Run(ctx)
	}()
	if n, err := r.Read(make([]byte, 8)); n == 0 {
		t.Fatal(err, <-done)
	}
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func client(t *testing.T, p bridge.Place, target Target) *bridge.Client {
	t.Helper()
	c, err := bridge.Connect(t.Context(), bridge.ClientOptions{Place: p, Env: []string{"NO_PROXY=*"}, Target: target.Wire()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A run on another host outlives the program that began it, and its context the host
// process. The token is in no file.
func TestFarRunOutlivesTheTerminal(t *testing.T) {
	release := make(chan struct{})
	server := e2btest.New(t)
	server.Run = func(x wire.Execution) e2btest.Script {
		return func(s *e2btest.Stream) {
			s.Send(wire.Count{N: s.Count}, wire.Output{Name: "stdout", Text: x.Code + " begun\n"})
			select {
			case <-release:
			case <-s.Gone():
			}
			s.Send(wire.Output{Name: "stdout", Text: "over\n"}, wire.End{})
		}
	}
	a, _, err := Parse("e2b+" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target := Target{Address: a, Settings: Settings{Token: "hush-hush"}}
	dir, err := os.MkdirTemp("", "nbt") // sockets demand short paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p := bridge.In(filepath.Join(dir, "state"), filepath.Join(dir, "run"))
	if err := os.Mkdir(p.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	end := hostProcess(t, p, target)

	first := client(t, p, target)
	k := hosttest.Follow(t, first, kernelclient.StartSpec{Kernel: "python", Session: "/n.ipynb", StartupTimeout: time.Minute})
	k.SubmitAs("x", "work")
	k.Wait("its beginning", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok && e.Exec == "x" })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	close(release)

	second := client(t, p, target)
	infos, err := second.Contexts(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Host != a.URL || infos[0].Path != "/n.ipynb" {
		t.Fatalf("%+v %v", infos, err)
	}
	attach := func(c *bridge.Client) *hosttest.Client {
		k, err := c.Attach(t.Context(), infos[0].ID)
		return hosttest.Joined(t, k, err)
	}
	if done, got := attach(second).Ended("x"); done.Reason != event.Done || hosttest.Words(got) != "stdout:work begun\nover\n" {
		t.Errorf("%+v %q", done, hosttest.Words(got))
	}
	hosttest.Eventually(t, "the run's end to be on disk", func() bool {
		files, _ := filepath.Glob(filepath.Join(p.Contexts(), "*", "journal-*"))
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(`"reason":"done"`)) {
				return true
			}
		}
		return false
	})
	end()

	end = hostProcess(t, p, target)
	defer end()
	third := client(t, p, target)
	again := attach(third)
	if _, got := again.Ended("x"); hosttest.Words(got) != "stdout:work begun\nover\n" {
		t.Errorf("the next host process has %q", hosttest.Words(got))
	}
	if done, got := again.Do("more"); done.Reason != event.Done || !strings.Contains(hosttest.Words(got), "more begun") {
		t.Errorf("%+v %q", done, hosttest.Words(got))
	}
	scan(t, dir, "hush-hush")
}

// scan fails if a file has what is secret in it.
func scan(t *testing.T, dir, secret string) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		read++
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s has the token in it", path)
		}
		return err
	})
	if err != nil || read == 0 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
