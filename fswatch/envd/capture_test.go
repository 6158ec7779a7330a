package envd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// capturedHome is where the captures were taken; the tests serve a folder of their own.
const capturedHome = "/home/user"

// captured reads a request or answer that was seen on the wire, with home in place of the
// home folder.
func capturedRequest(t *testing.T, name, home string) *http.Request {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/captures", name+".request.http"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(data, []byte("\r\n\r\n"))
	head = bytes.ReplaceAll(head, []byte(capturedHome), []byte(home))
	head = bytes.ReplaceAll(head, []byte(url.QueryEscape(capturedHome)), []byte(url.QueryEscape(home)))
	if !bytes.Contains(bytes.ToLower(head), []byte("transfer-encoding: chunked")) {
		body = bytes.ReplaceAll(body, []byte(capturedHome), []byte(home))
	}
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\r\n\r\n"), bytes.NewReader(body))))
	if err != nil {
		t.Fatal(name, err)
	}
	if r.ContentLength >= 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return r
}

func capturedAnswer(t *testing.T, name, home string) (*http.Response, []byte) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/captures", name+".response.http"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := http.ReadResponse(bufio.NewReader(f), nil)
	if err != nil {
		t.Fatal(name, err)
	}
	return r, bytes.ReplaceAll(plainBody(t, r), []byte(capturedHome), []byte(home))
}

func plainBody(t *testing.T, r *http.Response) []byte {
	t.Helper()
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		body = z
	}
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// demo is the tree that was served when the captures were taken.
func demo(t *testing.T) string {
	t.Helper()
	home := tempDir(t)
	for _, d := range []string{"demo/sub/deep", "demo/void"} {
		must(t, os.MkdirAll(filepath.Join(home, d), 0o755))
	}
	for name, text := range map[string]string{
		"hello.txt": "hello world\n", "empty.txt": "", "sub/b.ipynb": `{"cells": []}`, "sub/deep/c.txt": "c",
	} {
		must(t, os.WriteFile(filepath.Join(home, "demo", name), []byte(text), 0o644))
	}
	for name, target := range map[string]string{"link-file": "hello.txt", "link-dir": "sub", "link-broken": "nowhere!"} {
		must(t, os.Symlink(target, filepath.Join(home, "demo", name)))
	}
	return home
}

// tempDir is a new folder by its name without links.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newServer makes a server and ends it with the test.
func newServer(t *testing.T, opts ServerOptions) *Server {
	t.Helper()
	s, err := NewServer(opts)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// replayed are the captures in the order in which they were taken. An error's words differ
// here and there; its code does not.
var replayed = []string{
	"rpc/stat-file", "rpc/stat-symlink-file", "rpc/stat-symlink-dir", "rpc/stat-symlink-broken", "rpc/stat-notfound",
	"rpc/stat-through-file", "rpc/stat-tilde-user", "rpc/stat-relative", "rpc/stat-unknown-user", "rpc/list-depth1",
	"rpc/list-depth2", "rpc/list-empty", "rpc/list-via-symlink", "rpc/list-on-file", "rpc/list-notfound", "rpc/list-gzip",
	"rpc/makedir", "rpc/makedir-exists", "rpc/makedir-on-file", "rpc/move", "rpc/move-notfound", "rpc/remove-dir",
	"rpc/remove-missing", "rpc/rpc-bad-content-type", "rpc/rpc-unknown-method", "rpc/rpc-bad-json",
	"files/files-get", "files/files-get-empty", "files/files-get-range", "files/files-get-range-bad", "files/files-get-gzip",
	"files/files-get-notfound", "files/files-get-dir", "files/files-get-unknown-user", "files/files-get-not-acceptable",
	"files/files-get-not-modified", "files/files-post-multipart", "files/files-post-multipart-two", "files/files-post-octet",
	"files/files-post-gzip", "files/files-post-no-path", "files/files-post-dir", "files/files-post-bad-type",
	"server/health", "watch/poll-1-create",
}

func TestServerAnswersAsCaptured(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for _, name := range replayed {
		switch name {
		case "rpc/move":
			must(t, os.WriteFile(filepath.Join(home, "demo/mv"), []byte("m"), 0o644))
		case "watch/poll-1-create":
			must(t, os.Mkdir(filepath.Join(home, "demo/w"), 0o755))
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, capturedRequest(t, name, home))
		compareAnswer(t, name, home, w.Result())
	}
}

func compareAnswer(t *testing.T, name, home string, got *http.Response) {
	t.Helper()
	want, wantBody := capturedAnswer(t, name, home)
	body := plainBody(t, got)
	if got.StatusCode != want.StatusCode {
		t.Errorf("%s: %s %s, want %s %s", name, got.Status, body, want.Status, wantBody)
		return
	}
	for _, h := range []string{"Accept-Ranges", "Content-Disposition", "Content-Range", "Content-Encoding", "X-Envd-Version", "Cache-Control", "Accept-Post"} {
		if got.Header.Get(h) != want.Header.Get(h) {
			t.Errorf("%s: %s is %q, want %q", name, h, got.Header.Get(h), want.Header.Get(h))
		}
	}
	if kind := want.Header.Get("Content-Type"); kind != "" && !strings.HasPrefix(kind, "text/plain") && got.Header.Get("Content-Type") != kind {
		t.Errorf("%s: type %q, want %q", name, got.Header.Get("Content-Type"), kind)
	}
	var a, b any
	if json.Unmarshal(wantBody, &a) != nil {
		if string(body) != string(wantBody) {
			t.Errorf("%s: %q, want %q", name, body, wantBody)
		}
		return
	}
	if err := json.Unmarshal(body, &b); err != nil {
		t.Errorf("%s: %v in %q", name, err, body)
		return
	}
	if a, b = masked(a), masked(b); !reflect.DeepEqual(a, b) {
		t.Errorf("%s:\n%v, want\n%v", name, b, a)
	}
}

// masked is JSON without what differs between machines and moments.
func masked(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case map[string]any:
		for _, key := range []string{"modifiedTime", "owner", "group", "message", "watcherId"} {
			delete(v, key)
		}
		if v["type"] == "FILE_TYPE_DIRECTORY" && v["symlinkTarget"] == nil {
			delete(v, "size")
		}
		for key := range v {
			v[key] = masked(v[key])
		}
	}
	return v
}

// The token as envd takes it: given by /init, asked from then on.
func TestTokenAsCaptured(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for _, name := range []string{
		"server/init", "server/init", "server/health", "server/rpc-no-token", "server/watch-no-token", "server/rpc-with-token",
		"server/files-no-signature", "server/files-signed-expired",
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, capturedRequest(t, name, home))
		if name == "server/files-signed-expired" { // signed for another folder: never valid here
			if w.Code != http.StatusUnauthorized {
				t.Error(w.Code)
			}
			continue
		}
		compareAnswer(t, name, home, w.Result())
	}
}

// What the JavaScript SDK sends is taken. Two of its files in one form have their captured
// paths inside, which lead nowhere here.
func TestServerTakesTheSDKsRequests(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, Token: testToken})
	for _, c := range []struct {
		name string
		want int
		file string // what it has then
	}{
		{"makedir", 409, ""},
		{"list-user", 200, ""},
		{"list-no-user", 200, ""},
		{"stat", 404, ""},
		{"write-text", 200, `a b"c.txt=hello`},
		{"read", 200, ""},
		{"write-gzip-metadata", 200, "g.txt="},
		{"read-gzip", 200, ""},
		{"write-octet-stream", 200, "o.txt="},
		{"write-stream", 200, "st=stream"},
		{"move", 404, ""},
		{"remove", 200, ""},
		{"write-two-files", 400, ""},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, capturedRequest(t, "sdk-js/"+c.name, home))
		if w.Code != c.want {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		if name, text, ok := strings.Cut(c.file, "="); ok {
			if got, err := os.ReadFile(filepath.Join(home, "demo", name)); err != nil || !strings.HasPrefix(string(got), text) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}
