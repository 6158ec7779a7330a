package envd

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ask sends one request straight to a server. Headers are pairs.
func ask(s http.Handler, method, target, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// call makes a unary JSON call and returns its status, error code and answer.
func call(t *testing.T, s http.Handler, method, body string, headers ...string) (int, string, map[string]any) {
	t.Helper()
	r := ask(s, "POST", "/filesystem.Filesystem/"+method, body, append([]string{"Content-Type", "application/json"}, headers...)...)
	var m map[string]any
	data := plainBody(t, r)
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%s %s: %s %q", method, body, r.Status, data)
	}
	code, _ := m["code"].(string)
	return r.StatusCode, code, m
}

func quote(s string) string { return string(must1(json.Marshal(s))) }

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func pathOf(p string) string { return `{"path":` + quote(p) + `}` }

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

func TestProtocol(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	stat, body := "/filesystem.Filesystem/Stat", pathOf(home+"/demo/hello.txt")
	for _, c := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		contains                   string
	}{
		{"only a type", "POST", stat, body, []string{"Content-Type", "application/json"}, 200, "hello.txt"},
		{"with a charset", "POST", stat, body, []string{"Content-Type", "application/json; charset=utf-8"}, 200, "hello.txt"},
		{"version 2", "POST", stat, body, []string{"Content-Type", "application/json", "Connect-Protocol-Version", "2"}, 400, "invalid_argument"},
		{"stream type", "POST", stat, body, []string{"Content-Type", "application/connect+json"}, 415, ""},
		{"unary type on a stream", "POST", "/filesystem.Filesystem/WatchDir", body, []string{"Content-Type", "application/json"}, 415, ""},
		{"no type", "POST", stat, body, nil, 415, ""},
		{"get", "GET", stat, "", nil, 405, ""},
		{"unknown method", "POST", "/filesystem.Filesystem/Nope", body, []string{"Content-Type", "application/json"}, 404, "404 page not found"},
		{"processes", "POST", "/process.Process/Start", body, []string{"Content-Type", "application/connect+json"}, 404, ""},
		{"unknown field", "POST", stat, `{"paths":1,` + body[1:], []string{"Content-Type", "application/json"}, 200, "hello.txt"},
		{"no body", "POST", stat, "", []string{"Content-Type", "application/json"}, 400, "unmarshal message:"},
		{"negative depth", "POST", "/filesystem.Filesystem/ListDir", `{"depth":-1}`, []string{"Content-Type", "application/json"}, 400, "unmarshal message:"},
		{"br", "POST", stat, body, []string{"Content-Type", "application/json", "Content-Encoding", "br"}, 501, "unimplemented"},
		{"gzip", "POST", stat, gzipped(body), []string{"Content-Type", "application/json", "Content-Encoding", "gzip"}, 200, "hello.txt"},
		{"no time", "POST", stat, body, []string{"Content-Type", "application/json", "Connect-Timeout-Ms", "0"}, 504, "deadline_exceeded"},
		{"bad time", "POST", stat, body, []string{"Content-Type", "application/json", "Connect-Timeout-Ms", "x"}, 400, "invalid_argument"},
		{"head", "HEAD", "/files?path=/x", "", nil, 405, ""},
		{"put", "PUT", "/files?path=/x", "", nil, 405, ""},
		{"delete", "DELETE", "/files?path=/x", "", nil, 405, ""},
		{"head of health", "HEAD", "/health", "", nil, 405, ""},
		{"http/2 without tls", "PRI", "/health", "", nil, 405, ""},
	} {
		r := ask(s, c.method, c.target, c.body, c.headers...)
		if data := plainBody(t, r); r.StatusCode != c.status || !strings.Contains(string(data), c.contains) {
			t.Errorf("%s: %s %q", c.name, r.Status, data)
		}
		if r.StatusCode == 415 && r.Header.Get("Accept-Post") == "" {
			t.Errorf("%s: no Accept-Post", c.name)
		}
	}
	if r := ask(s, "POST", stat, body, "Content-Type", "application/json", "Accept-Encoding", "gzip"); r.Header.Get("Content-Encoding") != "gzip" {
		t.Error("not compressed")
	}
}

func TestUsers(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for _, c := range []struct {
		user string
		want int
	}{{"user", 200}, {s.me, 200}, {"ghost", 401}, {"", 401}} {
		r := httptest.NewRequest("POST", "http://localhost/filesystem.Filesystem/Stat", strings.NewReader(`{}`))
		r.Header.Set("Content-Type", "application/json")
		r.SetBasicAuth(c.user, "whatever")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%q: %d", c.user, w.Code)
		}
		for target, fine := range map[string]int{"/health": 204, "/files?path=demo/hello.txt": 200} {
			want := fine
			if c.want == 401 {
				want = 401
			}
			if got := ask(s, "GET", target, "", "Authorization", r.Header.Get("Authorization")).StatusCode; got != want {
				t.Errorf("%q %s: %d", c.user, target, got)
			}
		}
	}
	for _, auth := range []string{"Bearer x", "Basic !!"} {
		if code, _, _ := call(t, s, "Stat", `{}`, "Authorization", auth); code != 200 {
			t.Errorf("%s: %d", auth, code)
		}
	}
	stream := ask(s, "POST", "/filesystem.Filesystem/WatchDir", "\x00\x00\x00\x00\x02{}", "Content-Type", "application/connect+json", "Authorization", "Basic Z2hvc3Q6")
	if data := plainBody(t, stream); stream.StatusCode != 200 || data[0] != 2 || !strings.Contains(string(data), "unauthenticated") {
		t.Errorf("stream: %s %q", stream.Status, data)
	}
}

func TestNoTokenNoServer(t *testing.T) {
	if _, err := NewServer(ServerOptions{Root: t.TempDir()}); err == nil {
		t.Error("a server without a token")
	}
}

func TestToken(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, Token: testToken})
	calls := []struct {
		method, target, body string
		open                 bool
	}{
		{"GET", "/health", "", true},
		{"GET", "/envs", "", false},
		{"GET", "/metrics", "", false},
		{"GET", "/files/", "", false},
		{"GET", "/files?path=demo/hello.txt", "", false},
		{"POST", "/files?path=demo/new", "x", false},
		{"POST", "/files/compose", "{}", false},
		{"POST", "/filesystem.Filesystem/Stat", "{}", false},
		{"POST", "/filesystem.Filesystem/WatchDir", "{}", false},
	}
	for _, c := range calls {
		for _, token := range []string{"", "wrong", testToken + " ", testToken[1:]} {
			r := ask(s, c.method, c.target, c.body, "Content-Type", "application/json", "X-Access-Token", token)
			data := string(plainBody(t, r))
			if c.open != (r.StatusCode != 401) {
				t.Errorf("%s %s with %q: %s %s", c.method, c.target, token, r.Status, data)
			}
			if strings.Contains(data, testToken) {
				t.Error("the token is told")
			}
		}
		if r := ask(s, c.method, c.target, c.body, "Content-Type", "application/json", "X-Access-Token", testToken); r.StatusCode == 401 {
			t.Errorf("%s %s is refused", c.method, c.target)
		}
	}
	for body, want := range map[string]int{`{}`: 401, `{"accessToken":"other"}`: 401, `{"accessToken":"` + testToken + `"}`: 204, ``: 400, `{`: 400} {
		r := ask(s, "POST", "/init", body)
		if r.StatusCode != want || r.Header.Get("X-Envd-Version") != serverVersion {
			t.Errorf("init %s: %s", body, r.Status)
		}
	}
}

// A page of somebody else's must not get a browser to call, whatever name it made point here.
func TestForeignPages(t *testing.T) {
	s := newServer(t, ServerOptions{Root: t.TempDir(), Token: testToken, Hosts: []string{"box.example"}, Origins: []string{"https://lab.example"}})
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:49983", "", 204},
		{"localhost:1", "", 204},
		{"[::1]:49983", "", 204},
		{"box.example", "", 204},
		{"evil.example", "", 403},
		{"localhost.evil.example:49983", "", 403},
		{"127.0.0.1:49983", "http://127.0.0.1:49983", 204},
		{"127.0.0.1:49983", "http://127.0.0.1:8888", 403},
		{"127.0.0.1:49983", "https://evil.example", 403},
		{"127.0.0.1:49983", "null", 403},
		{"127.0.0.1:49983", "https://lab.example", 204},
	} {
		r := httptest.NewRequest("GET", "http://x/health", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s from %q: %d", c.host, c.origin, w.Code)
		}
	}
	preflight := []string{"Origin", "https://lab.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-access-token"}
	r := ask(s, "OPTIONS", "/filesystem.Filesystem/Stat", "", preflight...)
	if r.StatusCode != 204 || r.Header.Get("Access-Control-Allow-Origin") != "*" || r.Header.Get("Access-Control-Max-Age") != "7200" {
		t.Error(r.Status, r.Header)
	}
}

func TestSetup(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	if r := ask(s, "POST", "/init", `{"defaultUser":"ghost"}`); r.StatusCode != 400 {
		t.Error(r.Status)
	}
	if r := ask(s, "POST", "/init", `{"defaultUser":"user","defaultWorkdir":`+quote(home+"/demo/sub")+`,"envVars":{"A":"b"},"timestamp":"2020-01-01T00:00:00Z"}`); r.StatusCode != 204 {
		t.Error(r.Status)
	}
	if r := ask(s, "GET", "/envs", ""); string(plainBody(t, r)) != `{"A":"b","E2B_SANDBOX":"false"}` {
		t.Error("other variables")
	}
	_, _, empty := call(t, s, "Stat", `{}`)
	_, _, relative := call(t, s, "Stat", pathOf("demo"))
	if got := fmt.Sprint(entryOf(empty)["path"], entryOf(relative)["path"]); got != home+"/demo/sub "+home+"/demo" && got != home+"/demo/sub"+home+"/demo" {
		t.Error(got)
	}
	var u usage
	if err := json.Unmarshal(plainBody(t, ask(s, "GET", "/metrics", "")), &u); err != nil || u.CPUs < 1 || u.Time == 0 {
		t.Error(u, err)
	}
}

func entryOf(answer map[string]any) map[string]any {
	e, _ := answer["entry"].(map[string]any)
	return e
}

func TestStatAndList(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	must(t, os.Symlink("self", d+"/self"))
	must(t, os.Symlink(d+"/link-file", d+"/chain"))
	must(t, os.Symlink("/etc/passwd", d+"/out"))
	mkfifo(t, d+"/pipe")
	must(t, os.WriteFile(d+"/\xff.txt", nil, 0o600))
	must(t, os.WriteFile(d+"/ü \"q\"\n.txt", []byte("x"), 0o600))
	must(t, os.Chmod(d+"/void", 0o777|os.ModeSticky))
	for _, c := range []struct{ path, code, kind, perm, target string }{
		{"~", "", "FILE_TYPE_DIRECTORY", "d", ""},
		{"~/demo/hello.txt", "", "FILE_TYPE_FILE", "-", ""},
		{"./demo/hello.txt", "", "FILE_TYPE_FILE", "-", ""},
		{"", "", "FILE_TYPE_DIRECTORY", "d", ""},
		{"~x", "invalid_argument", "", "", ""},
		{"../x", "invalid_argument", "", "", ""},
		{"/etc/passwd", "invalid_argument", "", "", ""},
		{"/", "invalid_argument", "", "", ""},
		{d + "/../../..", "invalid_argument", "", "", ""},
		{d + "/sub/../hello.txt", "", "FILE_TYPE_FILE", "-", ""},
		{d + "/sub/", "", "FILE_TYPE_DIRECTORY", "d", ""},
		{d + "/link-dir/deep/..", "", "FILE_TYPE_DIRECTORY", "d", ""},
		{d + "/zz", "not_found", "", "", ""},
		{d + "/hello.txt/", "internal", "", "", ""},
		{d + "/hello.txt/x", "internal", "", "", ""},
		{d + "/" + strings.Repeat("n", 256), "internal", "", "", ""},
		{d + "/a\x00b", "internal", "", "", ""},
		{d + "/chain", "", "FILE_TYPE_FILE", "L", d + "/hello.txt"},
		{d + "/self", "", "", "L", d + "/self"},
		{d + "/out", "", "", "L", d + "/out"},
		{d + "/out/x", "invalid_argument", "", "", ""},
		{d + "/pipe", "", "", "p", ""},
		{d + "/void", "", "FILE_TYPE_DIRECTORY", "dt", ""},
	} {
		_, code, got := call(t, s, "Stat", pathOf(c.path))
		e := entryOf(got)
		kind, _ := e["type"].(string)
		perm, _ := e["permissions"].(string)
		target, _ := e["symlinkTarget"].(string)
		if code != c.code || kind != c.kind || !strings.HasPrefix(perm, c.perm) || target != c.target {
			t.Errorf("%q: %v", c.path, got)
		}
		if strings.HasPrefix(c.path, "/") && code == "" && e["path"] != c.path {
			t.Errorf("%q came back as %q", c.path, e["path"])
		}
	}
	for _, c := range []struct {
		path  string
		depth int
		code  string
		names string
	}{
		{d, 0, "", "chain empty.txt hello.txt link-broken link-dir link-file out pipe self sub void ü \"q\"\n.txt"},
		{d + "/sub", 2, "", "b.ipynb deep c.txt"},
		{d + "/sub", 4000000000, "", "b.ipynb deep c.txt"},
		{d + "/link-dir", 1, "", "b.ipynb deep"},
		{d + "/void", 1, "", ""},
		{d + "/hello.txt", 1, "invalid_argument", ""},
		{d + "/zz", 1, "not_found", ""},
		{d + "/link-broken", 1, "not_found", ""},
		{d + "/self", 1, "failed_precondition", ""},
		{d + "/hello.txt/x", 1, "internal", ""},
		{"/etc", 1, "invalid_argument", ""},
		{d + "/out", 1, "invalid_argument", ""},
	} {
		_, code, got := call(t, s, "ListDir", fmt.Sprintf(`{"path":%s,"depth":%d}`, quote(c.path), c.depth))
		var names []string
		list, _ := got["entries"].([]any)
		for _, e := range list {
			names = append(names, e.(map[string]any)["name"].(string))
		}
		if code != c.code || strings.Join(names, " ") != c.names {
			t.Errorf("%s: %s %q", c.path, code, names)
		}
	}
}

func TestMakeMoveRemove(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	must(t, os.Symlink(t.TempDir(), d+"/out"))
	must(t, os.WriteFile(d+"/f", []byte("f"), 0o640))
	move := func(from, to string) string {
		return fmt.Sprintf(`{"source":%s,"destination":%s}`, quote(from), quote(to))
	}
	for _, c := range []struct{ method, body, code string }{
		{"MakeDir", pathOf(d + "/n/a/b"), ""},
		{"MakeDir", pathOf(d + "/n/a/b"), "already_exists"},
		{"MakeDir", pathOf(d + "/link-dir"), "already_exists"},
		{"MakeDir", pathOf(""), "already_exists"},
		{"MakeDir", pathOf(d + "/link-broken"), "internal"},
		{"MakeDir", pathOf(d + "/hello.txt"), "invalid_argument"},
		{"MakeDir", pathOf(d + "/hello.txt/x"), "internal"},
		{"MakeDir", pathOf(d + "/out/x"), "invalid_argument"},
		{"MakeDir", pathOf("/tmp/nowhere-at-all"), "invalid_argument"},
		{"Move", move(d+"/zz", d+"/made/yy"), "not_found"},
		{"ListDir", pathOf(d + "/made"), ""},
		{"Move", move(d+"/f", d+"/f"), ""},
		{"Move", move(d+"/f", d+"/empty.txt"), ""},
		{"Move", move(d+"/empty.txt", d+"/void"), "internal"},
		{"Move", move(d+"/void", d+"/hello.txt"), "internal"},
		{"Move", move(d+"/sub", d+"/sub/deep/in"), "internal"},
		{"Move", move(d+"/hello.txt", d+"/out/x"), "invalid_argument"},
		{"Move", move("/etc/passwd", d+"/x"), "invalid_argument"},
		{"Move", move(home, home+"x"), "invalid_argument"},
		{"Remove", pathOf(""), "invalid_argument"},
		{"Remove", pathOf("/"), "invalid_argument"},
		{"Remove", pathOf(home), "invalid_argument"},
		{"Remove", pathOf(home + "/"), "invalid_argument"},
		{"Remove", pathOf(home + "/demo/.."), "invalid_argument"},
		{"Remove", pathOf("~"), "invalid_argument"},
		{"Remove", pathOf(filepath.Dir(home)), "invalid_argument"},
		{"Remove", pathOf("/etc/passwd"), "invalid_argument"},
		{"Remove", pathOf(d + "/void/."), "internal"},
		{"Remove", pathOf(d + "/hello.txt/x"), "internal"},
		{"Remove", pathOf(d + "/none"), ""},
		{"Remove", pathOf(d + "/out"), ""},
		{"Remove", pathOf(d + "/link-dir"), ""},
		{"Remove", pathOf(d + "/n"), ""},
	} {
		if _, code, got := call(t, s, c.method, c.body); code != c.code {
			t.Errorf("%s %s: %v", c.method, c.body, got)
		}
	}
	if _, err := os.Stat(d + "/sub/b.ipynb"); err != nil {
		t.Error("the target of a link was removed", err)
	}
	if data, err := os.ReadFile(d + "/empty.txt"); string(data) != "f" {
		t.Error(data, err)
	}
}
