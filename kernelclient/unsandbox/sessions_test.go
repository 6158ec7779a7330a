package unsandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

func TestSessions(t *testing.T) {
	for _, form := range []string{"", "session=idkey", "session=sessionid", "session=201"} {
		c, s, _ := dial(t, unsandboxtest.Options{})
		set(t, s, form)
		x, err := c.CreateSession(t.Context(), SessionSpec{Files: []File{{"a.txt", []byte("hello")}}})
		if err != nil || !strings.HasPrefix(x.ID, "unsb-session-") {
			t.Fatalf("%s: %+v %v", form, x, err)
		}
		all, err := c.Sessions(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != x.ID || all[0].Left != 3600 {
			t.Errorf("%s: %+v %v", form, all, err)
		}
		if one, err := c.Session(t.Context(), x.ID); err != nil || one.ID != x.ID {
			t.Errorf("%s: %+v %v", form, one, err)
		}
		if err := c.DeleteSession(t.Context(), x.ID); err != nil {
			t.Error(err)
		}
		if _, err := c.Session(t.Context(), x.ID); !errors.Is(err, kernelclient.NotFound) {
			t.Errorf("%v", err)
		}
	}
}

// TestCommand: files last, processes do not.
func TestCommand(t *testing.T) {
	c, s, _ := dial(t, unsandboxtest.Options{Run: true})
	x, err := c.CreateSession(t.Context(), SessionSpec{Files: []File{{"a.txt", []byte("hello\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"cat /tmp/input/a.txt": "hello\n", "echo out; echo err >&2; exit 3": "out\n"} {
		j, err := c.Command(t.Context(), x.ID, command, 0)
		if err != nil || j.Stdout != want || (j.Exit == 3) != (want == "out\n") {
			t.Errorf("%s: %+v %v", command, j, err)
		}
	}
	set(t, s, "session=noexecute")
	if _, err := c.Command(t.Context(), x.ID, "true", 0); !errors.Is(err, kernelclient.NotFound) {
		t.Error(err)
	}
}

func TestSnapshots(t *testing.T) {
	for _, dialect := range []string{"snapshot=A", "snapshot=B"} {
		c, s, _ := dial(t, unsandboxtest.Options{})
		x, err := c.CreateSession(t.Context(), SessionSpec{})
		if err != nil {
			t.Fatal(err)
		}
		set(t, s, dialect)
		id, err := c.CreateSnapshot(t.Context(), SnapshotSpec{Session: x.ID, Name: "before", Hot: true})
		if err != nil || !strings.HasPrefix(id, "unsb-snapshot-") {
			t.Fatalf("%s: %q %v", dialect, id, err)
		}
		other, err := c.CreateSnapshot(t.Context(), SnapshotSpec{Service: "svc-1"})
		if err != nil || other == id {
			t.Errorf("%s: %q %v", dialect, other, err)
		}
		all, err := c.Snapshots(t.Context())
		i := slices.IndexFunc(all, func(s Snapshot) bool { return s.ID == id })
		if err != nil || len(all) != 2 || i < 0 || all[i].Name != "before" || !all[i].Hot || all[i].Source != x.ID {
			t.Errorf("%s: %+v %v", dialect, all, err)
		}
		if got, err := c.RestoreSnapshot(t.Context(), id); err != nil || !strings.HasPrefix(got, "unsb-session-") {
			t.Errorf("%q %v", got, err)
		}
		if got, err := c.CloneSnapshot(t.Context(), other, "service", "copy"); err != nil || !strings.HasPrefix(got, "unsb-service-") {
			t.Errorf("%q %v", got, err)
		}
		if err := errors.Join(c.LockSnapshot(t.Context(), id, true), c.LockSnapshot(t.Context(), id, false), c.DeleteSnapshot(t.Context(), id)); err != nil {
			t.Error(err)
		}
		for _, r := range s.Transcript() {
			if !r.Taken {
				t.Errorf("refused: %s %s %q", r.Method, r.Path, r.Body)
			}
		}
	}
	c, s, _ := dial(t, unsandboxtest.Options{})
	set(t, s, "snapshot=403")
	if _, err := c.CreateSnapshot(t.Context(), SnapshotSpec{Service: "svc-1"}); !errors.Is(err, kernelclient.Forbidden) {
		t.Error(err)
	}
	if _, err := c.CreateSnapshot(t.Context(), SnapshotSpec{}); !errors.Is(err, kernelclient.Invalid) {
		t.Error(err)
	}
}

// TestSudo: what destroys something may ask for a code that was mailed.
func TestSudo(t *testing.T) {
	c, s, _ := dial(t, unsandboxtest.Options{})
	id, err := c.CreateSnapshot(t.Context(), SnapshotSpec{Service: "svc-1"})
	if err != nil {
		t.Fatal(err)
	}
	set(t, s, "sudo=on")
	asked := 0
	for _, step := range []struct {
		code string
		ok   bool
	}{{"", false}, {"000000", false}, {"123456", true}} {
		c.opt.OTP = func(context.Context) (string, error) { asked++; return step.code, nil }
		if err := c.DeleteSnapshot(t.Context(), id); (err == nil) != step.ok {
			t.Errorf("%q: %v", step.code, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	c.opt.OTP = nil
	if err := c.DeleteSnapshot(t.Context(), id); !errors.Is(err, kernelclient.NotFound) && !errors.Is(err, kernelclient.Permission) {
		t.Error(err)
	}
}
