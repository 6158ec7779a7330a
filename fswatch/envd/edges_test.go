package envd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

func TestOddTimesAndOwners(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	file := home + "/demo/hello.txt"
	for seconds, want := range map[int64]any{0: nil, -86400: "1969-12-31T00:00:00Z", 1e9: "2001-09-09T01:46:40Z"} {
		must(t, os.Chtimes(file, time.Unix(seconds, 0), time.Unix(seconds, 0)))
		if _, _, got := call(t, s, "Stat", pathOf(file)); entryOf(got)["modifiedTime"] != want {
			t.Errorf("%d: %v", seconds, got)
		}
	}
	if os.Chown(file, 54321, 54322) != nil {
		t.Skip("only root gives files away")
	}
	if _, _, got := call(t, s, "Stat", pathOf(file)); entryOf(got)["owner"] != "54321" || entryOf(got)["group"] != "54322" {
		t.Error(got)
	}
	// Who writes over a file owns it from then on, and its mode stays.
	must(t, os.Chmod(file, 0o640))
	if r := ask(s, "POST", files("path", file), "x", "Content-Type", "application/octet-stream"); r.StatusCode != 200 {
		t.Error(r.Status)
	}
	if _, _, got := call(t, s, "Stat", pathOf(file)); entryOf(got)["owner"] != "root" || entryOf(got)["permissions"] != "-rw-r-----" {
		t.Error(got)
	}
}

func TestManyEntries(t *testing.T) {
	home := tempDir(t)
	const n = 20_000
	touch(t, home+"/one")
	for i := range n - 1 {
		must(t, os.Link(home+"/one", fmt.Sprintf("%s/%05d", home, i)))
	}
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	_, _, got := call(t, s, "ListDir", `{}`)
	if list, _ := got["entries"].([]any); len(list) != n {
		t.Error(len(list))
	}
}

// Who may not read a folder sees it, and all else around it.
func TestUnreadableFolders(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	home := tempDir(t)
	must(t, os.MkdirAll(home+"/a/b", 0o755))
	must(t, os.WriteFile(home+"/secret", nil, 0))
	must(t, os.Mkdir(home+"/shut", 0))
	must(t, os.WriteFile(home+"/z", nil, 0o644))
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	if _, _, got := call(t, s, "ListDir", `{"depth":3}`); len(got["entries"].([]any)) != 5 {
		t.Error(got)
	}
	for _, path := range []string{"shut", "shut/x"} {
		method := map[bool]string{true: "ListDir", false: "Stat"}[path == "shut"]
		if _, code, got := call(t, s, method, pathOf(path)); code != "internal" || !strings.HasSuffix(got["message"].(string), "permission denied") {
			t.Error(got)
		}
	}
	if r := ask(s, "GET", files("path", "secret"), ""); r.StatusCode != 500 || !strings.Contains(string(plainBody(t, r)), "permission denied") {
		t.Error(r.Status)
	}
	c, _ := web(t, s)
	st := watching(t, c, &envdpb.WatchDirRequest{Recursive: true})
	must(t, os.WriteFile(home+"/a/b/n", nil, 0o644))
	if got := nextEvent(t, st, ""); got != "CREATE a/b/n" {
		t.Error(got)
	}
}

// Folders that are made, or get another name, are watched from then on.
func TestNewFoldersAreWatched(t *testing.T) {
	home := tempDir(t)
	c, _ := web(t, newServer(t, ServerOptions{Root: home, NoAuth: true}))
	st := watching(t, c, &envdpb.WatchDirRequest{Recursive: true})
	last := ""
	want := func(word string) {
		t.Helper()
		for last != word { // a chmod or the like may come between
			last = nextEvent(t, st, last)
		}
	}
	must(t, os.MkdirAll(home+"/a/b/c", 0o755))
	want("CREATE a")
	want("CREATE a/b")
	want("CREATE a/b/c")
	must(t, os.WriteFile(home+"/a/b/c/f", []byte("x"), 0o644))
	want("CREATE a/b/c/f")
	must(t, os.Rename(home+"/a/b", home+"/a/z"))
	want("RENAME a/b")
	want("CREATE a/z")
	must(t, os.WriteFile(home+"/a/z/c/g", nil, 0o644))
	want("CREATE a/z/c/g")
	must(t, os.RemoveAll(home+"/a"))
	want("REMOVE a")
}

// Messages of a stream are compressed only for who says that it takes that.
func TestCompressedFrames(t *testing.T) {
	s := newServer(t, ServerOptions{Root: t.TempDir(), NoAuth: true})
	for _, headers := range [][]string{nil, {"Accept-Encoding", "gzip"}, {"Connect-Accept-Encoding", "gzip"}} {
		all := append([]string{"Content-Type", "application/connect+json", "Connect-Timeout-Ms", "50"}, headers...)
		r := ask(s, "POST", "/filesystem.Filesystem/WatchDir", "\x00\x00\x00\x00\x02{}", all...)
		data, err := io.ReadAll(r.Body)
		compressed := len(headers) > 0 && headers[0] == "Connect-Accept-Encoding"
		if err != nil || len(data) == 0 || (data[0] == 1) != compressed || (r.Header.Get("Connect-Content-Encoding") == "gzip") != compressed {
			t.Errorf("%v: %q %v", headers, data, r.Header)
		}
	}
}

// An upload that breaks off leaves a file, and a server that goes on.
func TestBrokenUpload(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	_, h := web(t, s)
	body, write := io.Pipe()
	go func() {
		_, _ = io.WriteString(write, "half")
		write.CloseWithError(io.ErrUnexpectedEOF)
	}()
	r, err := http.NewRequest("POST", h.URL+files("path", home+"/demo/half"), body)
	must(t, err)
	r.Header.Set("Content-Type", "application/octet-stream")
	if answer, err := h.Client().Do(r); err == nil {
		answer.Body.Close()
		t.Error(answer.Status)
	}
	if got := ask(s, "GET", "/health", ""); got.StatusCode != 204 {
		t.Error(got.Status)
	}
}
