package e2bface

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// made is a sandbox as its maker is told of it.
type made struct{ SandboxID, EnvdAccessToken, TrafficAccessToken string }

func (r *rig) sandbox(body string) (b made) {
	r.t.Helper()
	w := r.call("POST", "/v2/sandboxes", body)
	if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil || w.Code != http.StatusCreated {
		r.t.Fatal(w.Code, w.Body)
	}
	synctest.Wait()
	return b
}

// TestSandboxEnds ends one at its time, puts another's off, and kills a third that runs code.
func TestSandboxEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		status := func(b made) int {
			return r.call("GET", "/health", "", "E2b-Sandbox-Id", b.SandboxID, "E2b-Traffic-Access-Token", b.TrafficAccessToken).Code
		}
		short, long, unset := r.sandbox(`{"timeout": 10}`), r.sandbox(`{"timeout": 10}`), r.sandbox(`{}`)
		for path, code := range map[string]int{"/sandboxes/" + long.SandboxID + "/timeout": 204, "/v2/sandboxes/" + short.SandboxID + "/connect": 200} {
			seconds := map[int]string{204: `{"timeout": 400}`, 200: `{"timeout": 1}`}[code] // who joins never shortens it
			if w := r.call("POST", path, seconds); w.Code != code {
				t.Error(path, w.Code, w.Body)
			}
		}
		for _, step := range []struct {
			wait time.Duration
			want [3]int
		}{{9 * time.Second, [3]int{200, 200, 200}}, {2 * time.Second, [3]int{502, 200, 200}}, {lifetime, [3]int{502, 200, 502}}, {lifetime, [3]int{502, 502, 502}}} {
			time.Sleep(step.wait)
			synctest.Wait()
			if got := [3]int{status(short), status(long), status(unset)}; got != step.want {
				t.Errorf("after %s: %v, not %v", step.wait, got, step.want)
			}
		}
		if w := r.call("GET", "/v2/sandboxes", ""); w.Body.String() != "[]" {
			t.Error(w.Body)
		}
		if left, err := filepath.Glob(r.face.opt.Sandboxes + "/*"); err != nil || len(left) > 0 {
			t.Errorf("%v is left: %v", left, err)
		}
		if w := r.call("POST", "/sandboxes", `{"timeout": "soon"}`); w.Code != http.StatusUnprocessableEntity {
			t.Error(w.Code)
		}
	})
}

// TestSandboxKilled breaks its streams off: they get no end.
func TestSandboxKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		b := r.sandbox(`{}`)
		var all sync.WaitGroup
		for _, code := range []string{"sleep 1h", "waiting"} {
			all.Go(func() {
				w := r.call("POST", "/execute", `{"code": "`+code+`"}`, "E2b-Sandbox-Id", b.SandboxID)
				if strings.Contains(w.Body.String(), "end") {
					t.Errorf("%s ended: %s", code, w.Body)
				}
			})
			synctest.Wait()
		}
		if w := r.call("DELETE", "/sandboxes/"+b.SandboxID, ""); w.Code != http.StatusNoContent {
			t.Error(w.Code)
		}
		all.Wait()
		for path, want := range map[string]int{"": 404, "/connect": 404, "/pause": 404} {
			if w := r.call("POST", "/sandboxes/"+b.SandboxID+path, "{}"); w.Code != want {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		if w := r.call("POST", "/sandboxes/"+r.sandbox(`{}`).SandboxID+"/pause", ""); w.Code != http.StatusNotImplemented {
			t.Error(w.Code)
		}
	})
}

// TestSandboxesAreApart gives each contexts, a folder, variables and tokens of its own.
func TestSandboxesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer r.done()
		a, b := r.sandbox(`{"envVars": {"WHO": "a"}}`), r.sandbox(`{"envVars": {"WHO": "b"}}`)
		r.mu.Lock()
		specs := r.specs[len(r.specs)-2:]
		r.mu.Unlock()
		for i, who := range []string{"WHO=a", "WHO=b"} {
			if !slices.Contains(specs[i].Env, who) || specs[i].Dir == specs[1-i].Dir || !strings.HasPrefix(specs[i].Dir, r.face.opt.Sandboxes) {
				t.Errorf("%+v", specs[i])
			}
			if fi, err := os.Stat(specs[i].Dir); err != nil || fi.Mode().Perm() != 0o700 {
				t.Errorf("%v %v", fi, err)
			}
		}
		q := func(b, tokens made) int {
			return r.call("GET", "/contexts", "", "Authorization", "", "E2b-Sandbox-Id", b.SandboxID, "E2b-Traffic-Access-Token", tokens.TrafficAccessToken).Code
		}
		if got := []int{q(a, a), q(b, b), q(a, b), q(b, a), q(a, made{})}; !slices.Equal(got, []int{200, 200, 403, 403, 403}) {
			t.Error(got)
		}
	})
}
