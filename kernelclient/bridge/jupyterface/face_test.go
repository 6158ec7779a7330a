package jupyterface

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

func TestToken(t *testing.T) {
	s := fake(t)
	for _, c := range []struct {
		path, auth string
		want       int
	}{
		{"/api/kernels", "token " + testToken, 200},
		{"/api/kernels", "Token " + testToken, 200},
		{"/api/kernels", "Bearer " + testToken, 200},
		{"/api/kernels", "Basic " + testToken, 403},
		{"/api/kernels", "token " + testToken + "x", 403},
		{"/api/kernels", "token", 403},
		{"/api/kernels", "", 403},
		{"/api/kernels?token=" + testToken, "", 200},
		{"/api/kernels?token=", "", 403},
		{"/api", "", 403},
		{"/api/", "Bearer " + testToken, 200},
		{"/tree", "", 302},
		{"/tree?token=" + testToken, "", 200},
		{"/login", "", 200},
		{"/hub/api", "token " + testToken, 404},
		{"/api/terminals", "token " + testToken, 404},
		{"/api/kernels/no/channels", "", 403},
		{"/api/contents", "", 403},
	} {
		h := http.Header{}
		if c.auth != "" {
			h.Set("Authorization", c.auth)
		}
		status, answer, header := s.askAs("GET", c.path, "", h)
		if status != c.want || strings.Contains(answer, testToken) || strings.Contains(header.Get("Location"), testToken) || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s with %q: %d, not %d: %s", c.path, c.auth, status, c.want, answer)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("it is open to everybody")
	}
}

// TestForeignPage: a page of another origin that knows the token opens no websocket.
func TestForeignPage(t *testing.T) {
	s := fake(t)
	id := s.start()
	_, resp, err := websocket.Dial(t.Context(), s.url+"/api/kernels/"+id+"/channels?token="+testToken, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", resp, err)
	}
}

func TestSpecs(t *testing.T) {
	s := fake(t)
	m := s.json("GET", "/api/kernelspecs", "", 200)
	specs := m["kernelspecs"].(map[string]any)
	if len(specs) != 3 || m["default"] != "python3" {
		t.Errorf("%v", m)
	}
	python := specs["python3"].(map[string]any)["spec"].(map[string]any)
	if python["language"] != "python" || python["display_name"] != "Python" || python["argv"] == nil {
		t.Errorf("%v", python)
	}
	s.json("GET", "/api/kernelspecs/fake", "", 200)
	s.json("GET", "/api/kernelspecs/gone", "", 404)
	s.json("GET", "/kernelspecs/fake/kernel.json", "", 404)
}

func TestKernelCalls(t *testing.T) {
	s := fake(t, func(o *Options) { o.MaxKernels = 2 })
	if err := os.Mkdir(filepath.Join(s.root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	id := s.json("POST", "/api/kernels", `{"path":"sub/x.ipynb","env":{"B":"2","A":"1"}}`, 201)["id"].(string)
	if start := s.starts[0]; start.Dir != filepath.Join(s.root, "sub") || strings.Join(start.Env, " ") != "A=1 B=2" || start.Kernel != "builtin-python" {
		t.Errorf("%+v", start)
	}
	m := s.json("GET", "/api/kernels/"+id, "", 200)
	if m["execution_state"] != "idle" || m["name"] != "python3" || m["connections"] != 0.0 {
		t.Errorf("%v", m)
	}
	if status, body := s.ask("POST", "/api/kernels/"+id+"/interrupt", ""); status != 204 || body != "" || len(s.last().interrupts) != 1 {
		t.Errorf("%d %s", status, body)
	}
	if again := s.json("POST", "/api/kernels/"+id+"/restart", "", 200); again["id"] != id || len(s.launched) != 2 || !isClosed(s.launched[0].died) {
		t.Errorf("%v, %d processes", again, len(s.launched))
	}
	s.json("POST", "/api/kernels", `{"name":"none"}`, 404)
	s.json("POST", "/api/kernels", `{"name":`, 400)
	s.start()
	s.json("POST", "/api/kernels", ``, 429)
	if status, _ := s.ask("DELETE", "/api/kernels/"+id, ""); status != 204 {
		t.Error(status)
	}
	if m := s.json("GET", "/api/kernels/"+id, "", 404); m["message"] != "Kernel does not exist: "+id {
		t.Errorf("%v", m)
	}
	if m := s.json("GET", "/api/status", "", 200); m["kernels"] != 1.0 {
		t.Errorf("%v", m)
	}
	s.mu.Lock()
	s.broken = errors.New("no room")
	s.mu.Unlock()
	if m := s.json("POST", "/api/kernels", ``, 500); m["message"] != "no room" {
		t.Errorf("%v", m)
	}
	if m := s.json("GET", "/api/status", "", 200); m["kernels"] != 1.0 {
		t.Errorf("what did not start is there: %v", m)
	}
}

func TestSessions(t *testing.T) {
	s := fake(t)
	m := s.json("POST", "/api/sessions", `{"path":"a/b.ipynb","name":"b","type":"notebook","kernel":{"name":"fake"}}`, 201)
	id, first := m["id"].(string), m["kernel"].(map[string]any)["id"].(string)
	if m["notebook"].(map[string]any)["path"] != "a/b.ipynb" || s.starts[0].Session != filepath.Join(s.root, "a/b.ipynb") || s.starts[0].Dir != s.root {
		t.Errorf("%v %+v", m, s.starts)
	}
	if again := s.json("POST", "/api/sessions", `{"path":"a/b.ipynb","type":"notebook","kernel":{"name":"fake"}}`, 201); again["id"] != id {
		t.Errorf("%v", again)
	}
	s.json("POST", "/api/sessions", `{"type":"notebook"}`, 400)
	if m := s.json("POST", "/api/sessions", `{"path":"c","type":"notebook","kernel":{"name":"none"}}`, 501); !strings.Contains(m["message"].(string), "none") {
		t.Errorf("%v", m)
	}
	m = s.json("PATCH", "/api/sessions/"+id, `{"path":"c.ipynb","kernel":{"name":"fake"}}`, 200)
	second := m["kernel"].(map[string]any)["id"].(string)
	if m["path"] != "c.ipynb" || m["name"] != "b" || second == first {
		t.Errorf("%v", m)
	}
	s.json("GET", "/api/kernels/"+first, "", 404)
	old := s.json("POST", "/api/sessions", `{"notebook":{"path":"old.ipynb"},"kernel":{"id":"`+second+`"}}`, 201)
	if status, _ := s.ask("DELETE", "/api/sessions/"+id, ""); status != 204 {
		t.Error(status)
	}
	s.json("GET", "/api/kernels/"+second, "", 200) // the other session has it
	if status, _ := s.ask("DELETE", "/api/sessions/"+old["id"].(string), ""); status != 204 {
		t.Error(status)
	}
	s.json("GET", "/api/kernels/"+second, "", 404)
	s.json("GET", "/api/sessions/"+id, "", 404)
	if _, all := s.ask("GET", "/api/sessions", ""); strings.TrimSpace(all) != "[]" {
		t.Error(all)
	}
}

// TestSaysNothingSecret: neither the token nor code is in the log.
func TestSaysNothingSecret(t *testing.T) {
	s := fake(t)
	id := s.start()
	c := s.dial(id, "one")
	c.run("m1", "say hush-hush")
	c.idle()
	c.send(jupyter.Message{Channel: jupyter.IOPub, Header: jupyter.Header{ID: "x", Type: "stream"}, Content: []byte(`{"text":"hush-hush"}`)})
	c.run("m2", "die")
	c.until(jupyter.IOPub, "status")
	s.ask("GET", "/api/kernels?token="+url.QueryEscape(testToken)+"x", "")
	if err := s.face.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log := s.log.String(); strings.Contains(log, testToken) || strings.Contains(log, "hush") || !strings.Contains(log, "a kernel ended") {
		t.Error(log)
	}
}
