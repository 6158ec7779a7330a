//go:build unix

package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// cloudCode is what code does in the sandboxes of these tests: "say X", "is X", "fail",
// "wait", "sh".
func cloudCode(x wire.Execution) e2btest.Script {
	word, rest, _ := strings.Cut(x.Code, " ")
	return func(s *e2btest.Stream) {
		s.Send(wire.Count{N: s.Count})
		switch word {
		case "say":
			s.Send(wire.Output{Name: "stdout", Text: rest + "\n"}, wire.Output{Name: "stderr", Text: "aside\n"})
		case "is":
			s.Send(wire.Result{Text: rawjson.Quote(rest), JSON: rawjson.Value(`{"a": 1.0}`), Main: true})
		case "fail":
			s.Send(wire.Error{Name: "ValueError", Value: "no", Traceback: "here"})
		case "wait":
			s.Send(wire.Output{Name: "stdout", Text: "on\n"})
			<-s.Gone()
		}
		s.Send(wire.End{})
	}
}

// serveFiles serves a folder as the file service of sandboxes until a script ends.
func serveFiles(t *testing.T, env *testscript.Env, dir string) (url string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := envd.NewServer(envd.ServerOptions{Root: dir, NoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	env.Defer(func() {
		_ = s.Close()
		web.Close()
	})
	return web.URL
}

// TestE2BScripts runs the real commands against a cloud of this test's own. "boxes N" says
// how many sandboxes there must be. $FILES is a file service over the folder sandbox.
func TestE2BScripts(t *testing.T) { e2bScripts(t, "testdata/e2b") }

// TestE2BFiles runs those about the files of sandboxes.
func TestE2BFiles(t *testing.T) { e2bScripts(t, "testdata/e2bfiles") }

func e2bScripts(t *testing.T, dir string) {
	cloud := e2btest.New(t)
	cloud.Run = cloudCode
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			for k, dir := range map[string]string{"HOME": "home", "XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "conf", "XDG_STATE_HOME": "state"} {
				env.Setenv(k, filepath.Join(env.WorkDir, dir))
			}
			for _, kv := range append(cloud.Env(), "E2B_DEBUG=", "NBTERM_LOG=", "NBTERM_TOKEN=", "NBTERM_NO_HOST=") {
				k, v, _ := strings.Cut(kv, "=")
				env.Setenv(k, v)
			}
			env.Setenv("BOX", cloud.Add().ID)
			sandbox := filepath.Join(env.WorkDir, "sandbox")
			env.Setenv("FILES", serveFiles(t, env, sandbox))
			return os.MkdirAll(filepath.Join(env.WorkDir, "run"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"boxes": func(ts *testscript.TestScript, _ bool, args []string) {
				if have, _ := json.Marshal(len(cloud.Boxes())); string(have) != args[0] {
					ts.Fatalf("there are %s sandboxes", have)
				}
			},
		},
	})
}
