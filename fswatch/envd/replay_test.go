package envd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// replay is a service that gives captured answers, byte by byte, and a client of it. The
// last element of a request's path chooses.
func replay(t *testing.T, binary bool, answers map[string]string) *FS {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the answer is lost in a reset
		name, ok := answers[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
		if !ok {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		data, err := os.ReadFile("testdata/captures/" + name + ".response.http")
		if err != nil {
			t.Error(err)
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write(data)
		_ = conn.Close()
	}))
	t.Cleanup(h.Close)
	f, err := New(Options{URL: h.URL, Root: "/home/user", Binary: binary})
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

// Every captured answer is understood.
func TestClientReplaysCalls(t *testing.T) {
	stat := func(f *FS) (any, error) { return f.Stat(t.Context(), "x") }
	list := func(f *FS) (any, error) {
		l, err := f.List(t.Context(), "x", fswatch.ListOptions{})
		var names []string
		for _, e := range l {
			names = append(names, e.Name)
		}
		return names, err
	}
	mkdir := func(f *FS) (any, error) { return f.Mkdir(t.Context(), "x") }
	move := func(f *FS) (any, error) { return f.rename(t.Context(), "x", "y") }
	remove := func(f *FS) (any, error) { return nil, f.Remove(t.Context(), "x") }
	for _, c := range []struct {
		call, name string
		do         func(*FS) (any, error)
		kind       error
		want       string
	}{
		{"Stat", "rpc/stat-file", stat, nil, "hello.txt file -rw-r--r-- 12 user"},
		{"Stat", "rpc/stat-relative", stat, nil, "hello.txt file -rw-r--r-- 12 user"},
		{"Stat", "rpc/stat-symlink-file", stat, nil, "link-file file Lrw-r--r-- 9 user → /home/user/demo/hello.txt"},
		{"Stat", "rpc/stat-symlink-dir", stat, nil, "link-dir dir Lrwxr-xr-x 3 user → /home/user/demo/sub"},
		{"Stat", "rpc/stat-symlink-broken", stat, nil, "link-broken  L--------- 8 user → /home/user/demo/link-broken"},
		{"Stat", "rpc/stat-notfound", stat, fswatch.NotFound, ""},
		{"Stat", "rpc/stat-through-file", stat, fswatch.Invalid, ""},
		{"Stat", "rpc/stat-tilde-user", stat, fswatch.Invalid, ""},
		{"Stat", "rpc/stat-unknown-user", stat, fswatch.Unauthenticated, ""},
		{"Stat", "rpc/rpc-bad-json", stat, fswatch.Invalid, ""},
		{"Stat", "rpc/rpc-unknown-method", stat, fswatch.Unsupported, ""},
		{"Stat", "rpc/rpc-bad-content-type", stat, fswatch.Disconnect, ""},
		{"Stat", "server/rpc-no-token", stat, fswatch.Unauthenticated, ""},
		{"Stat", "server/rpc-with-token", stat, nil, "demo dir drwxr-xr-x 220 user"},
		{"ListDir", "rpc/list-depth1", list, nil, "[empty.txt hello.txt link-broken link-dir link-file sub void]"},
		{"ListDir", "rpc/list-depth2", list, nil, "[b.ipynb deep c.txt]"},
		{"ListDir", "rpc/list-empty", list, nil, "[]"},
		{"ListDir", "rpc/list-gzip", list, nil, "[b.ipynb deep]"},
		{"ListDir", "rpc/list-via-symlink", list, nil, "[b.ipynb deep]"},
		{"ListDir", "rpc/list-on-file", list, fswatch.Invalid, ""},
		{"ListDir", "rpc/list-notfound", list, fswatch.NotFound, ""},
		{"MakeDir", "rpc/makedir", mkdir, nil, "true"},
		{"MakeDir", "rpc/makedir-exists", mkdir, nil, "false"},
		{"MakeDir", "rpc/makedir-on-file", mkdir, fswatch.Invalid, ""},
		{"Move", "rpc/move", move, nil, "moved file -rw-r--r-- 1 root"},
		{"Move", "rpc/move-notfound", move, fswatch.NotFound, ""},
		{"Move", "rpc/move-cross-device", move, fswatch.Unsupported, ""},
		{"Remove", "rpc/remove-dir", remove, nil, "<nil>"},
		{"Remove", "rpc/remove-missing", remove, nil, "<nil>"},
		{"CreateWatcher", "watch/poll-5-gone", func(f *FS) (any, error) {
			_, err := f.rpc.CreateWatcher(t.Context(), connect.NewRequest(&envdpb.CreateWatcherRequest{}))
			return nil, refused(t.Context(), "x", err)
		}, fswatch.NotFound, ""},
	} {
		answers := map[string]string{"Stat": "server/rpc-with-token"}
		answers[c.call] = c.name
		got, err := c.do(replay(t, false, answers))
		if e, ok := got.(fswatch.Entry); ok {
			got = fmt.Sprintf("%s %s %s %d %s", e.Name, e.Type, e.Mode, e.Size, e.Owner)
			if e.Link {
				got = fmt.Sprint(got, " → ", e.Target)
			}
		}
		if c.kind != nil && !errors.Is(err, c.kind) || c.kind == nil && (err != nil || fmt.Sprint(got) != c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	f := replay(t, true, map[string]string{"Stat": "rpc/stat-file-proto"})
	if e, err := f.Stat(t.Context(), "x"); err != nil || e.Name != "hello.txt" || e.Size != 12 || e.ModTime.IsZero() {
		t.Error(e, err)
	}
	f = replay(t, true, map[string]string{"Stat": "rpc/stat-notfound-proto"})
	if _, err := f.Stat(t.Context(), "x"); !errors.Is(err, fswatch.NotFound) {
		t.Error(err)
	}
}

func TestClientReplaysFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		part fswatch.Range
		kind error
		want string
	}{
		{"files-get", fswatch.Range{}, nil, "hello world\n"},
		{"files-get-empty", fswatch.Range{}, nil, ""},
		{"files-get-range", fswatch.Range{Length: 5}, nil, "hello"},
		{"files-get", fswatch.Range{Offset: 6, Length: 3}, nil, "wor"}, // a server that knows no ranges
		{"files-get-range-bad", fswatch.Range{Offset: 100}, fswatch.Invalid, ""},
		{"files-get-notfound", fswatch.Range{}, fswatch.NotFound, ""},
		{"files-get-dir", fswatch.Range{}, fswatch.Invalid, ""},
		{"files-get-unknown-user", fswatch.Range{}, fswatch.Unauthenticated, ""},
		{"files-get-not-acceptable", fswatch.Range{}, fswatch.Failed, ""},
		{"files-get-not-modified", fswatch.Range{}, fswatch.Failed, ""},
		{"../server/files-no-signature", fswatch.Range{}, fswatch.Unauthenticated, ""},
		{"../server/files-signed-expired", fswatch.Range{}, fswatch.Unauthenticated, ""},
		{"../server/files-signed", fswatch.Range{}, nil, "hello world\n"},
	} {
		f := replay(t, false, map[string]string{"Stat": "rpc/stat-file", "files": "files/" + c.name})
		r, e, err := f.Open(t.Context(), "x", c.part)
		if c.kind != nil {
			if !errors.Is(err, c.kind) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		must(t, err)
		text, err := io.ReadAll(r)
		r.Close()
		if string(text) != c.want || err != nil || len(c.want) > 0 && e.Size != 12 {
			t.Errorf("%s: %q of %d, %v", c.name, text, e.Size, err)
		}
	}
	for name, kind := range map[string]error{
		"octet": nil, "gzip": nil, "multipart": nil, "multipart-two": nil,
		"no-path": fswatch.Invalid, "dir": fswatch.Invalid, "bad-type": fswatch.Invalid, "no-space": fswatch.NoSpace,
	} {
		f := replay(t, false, map[string]string{"files": "files/files-post-" + name})
		err := f.post(t.Context(), "/x", "application/octet-stream", strings.NewReader("x"), 1, fswatch.WriteOptions{})
		if kind == nil && err != nil || kind != nil && !errors.Is(err, kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The captured streams, as they came over the wire.
func TestClientReplaysWatches(t *testing.T) {
	for _, name := range []string{"watch-basic", "watch-recursive", "watch-entry", "watch-keepalive", "watch-deadline", "watch-dir-removed", "watch-dir-renamed"} {
		f := replay(t, false, map[string]string{"WatchDir": "watch/" + name})
		s := &stream{Queue: fswatch.NewQueue(), f: f, dir: "/x", ctx: t.Context()}
		c, err := s.connect(t.Context())
		must(t, err)
		var want, got []string
		for _, fr := range frames(t, name) {
			if fr.Message.Filesystem.Name != "" {
				want = append(want, fr.Message.Filesystem.Type+" "+fr.Message.Filesystem.Name)
			}
		}
		for {
			events, err := c.next(t.Context())
			for _, e := range events {
				got = append(got, e.GetType().String()+" "+e.GetName())
			}
			if err != nil {
				break
			}
		}
		c.close()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, kind := range map[string]fswatch.Kind{"watch/watch-missing": fswatch.NotFound, "watch/watch-on-file": fswatch.Invalid, "server/watch-no-token": fswatch.Unauthenticated} {
		f := replay(t, false, map[string]string{"WatchDir": name})
		if _, err := f.Watch(t.Context(), "/x", fswatch.WatchOptions{}); !errors.Is(err, kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := replay(t, true, map[string]string{"WatchDir": "watch/watch-proto"})
	s := &stream{Queue: fswatch.NewQueue(), f: f, dir: "/x", ctx: t.Context()}
	c, err := s.connect(t.Context())
	must(t, err)
	defer c.close()
	if events, err := c.next(t.Context()); err != nil || events[0].GetEntry().GetName() == "" {
		t.Error(events, err)
	}
}

func TestClientReplaysPolling(t *testing.T) {
	f := replay(t, false, map[string]string{"CreateWatcher": "watch/poll-1-create", "GetWatcherEvents": "watch/poll-2-events", "RemoveWatcher": "watch/poll-4-remove"})
	f.poll = 1
	w, err := f.Watch(t.Context(), "/x", fswatch.WatchOptions{}) // the service does not know WatchDir
	must(t, err)
	waitFor(t, w, fswatch.OpCreate, "p.txt")
	waitFor(t, w, fswatch.OpWrite, "p.txt")
	must(t, w.Close())
}

// An envd too old for plain bytes gets a form, from the second upload on at once.
func TestFallsBackToForms(t *testing.T) {
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	refused := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && r.URL.Path == "/files" && !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			refused++
			_, _ = io.Copy(io.Discard, r.Body)
			fail(w, http.StatusInternalServerError, errors.New("error parsing multipart form: request Content-Type isn't multipart/form-data"))
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer h.Close()
	f, err := New(Options{URL: h.URL})
	must(t, err)
	defer f.Close()
	for _, name := range []string{"a", "b"} {
		_, err := f.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("text"), Size: 4}}, fswatch.WriteOptions{})
		must(t, err)
		if got, err := os.ReadFile(home + "/" + name); string(got) != "text" {
			t.Errorf("%q %v", got, err)
		}
	}
	if refused != 1 {
		t.Errorf("plain bytes were sent %d times", refused)
	}
	zip := fswatch.WriteOptions{Gzip: true}
	if _, err := f.Write(t.Context(), []fswatch.File{{Path: "c", Body: strings.NewReader("text"), Size: 4}}, zip); !errors.Is(err, fswatch.Unsupported) {
		t.Error(err)
	}
}

// What a file is besides its contents stays.
func TestOverwritingKeeps(t *testing.T) {
	f, s := newPair(t, Options{})
	home := s.tree.real
	must(t, os.WriteFile(home+"/secret", []byte("old"), 0o600))
	must(t, os.WriteFile(home+"/plain", []byte("old"), 0o644))
	must(t, os.Symlink("plain", home+"/link"))
	for _, name := range []string{"secret", "link"} {
		_, err := f.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader("new"), Size: 3}}, fswatch.WriteOptions{})
		must(t, err)
	}
	if info, err := os.Lstat(home + "/secret"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if to, err := os.Readlink(home + "/link"); to != "plain" {
		t.Error(to, err)
	}
	for _, name := range []string{"secret", "plain"} {
		if got, err := os.ReadFile(home + "/" + name); string(got) != "new" {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

// Several new files go in one request.
func TestManyFilesAtOnce(t *testing.T) {
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	posts := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && r.URL.Path == "/files" {
			posts++
		}
		s.ServeHTTP(w, r)
	}))
	defer h.Close()
	f, err := New(Options{URL: h.URL})
	must(t, err)
	defer f.Close()
	var files []fswatch.File
	for _, name := range []string{"a", "d/b", "c"} {
		files = append(files, fswatch.File{Path: name, Body: strings.NewReader(name), Size: int64(len(name))})
	}
	list, err := f.Write(t.Context(), files, fswatch.WriteOptions{})
	if err != nil || len(list) != 3 || posts != 1 {
		t.Error(list, err, posts)
	}
	if got, err := os.ReadFile(home + "/d/b"); string(got) != "d/b" {
		t.Error(string(got), err)
	}
}

func TestComposing(t *testing.T) {
	f, s := newPair(t, Options{User: "user"})
	home := s.tree.real
	must(t, os.WriteFile(home+"/1", []byte("one "), 0o644))
	must(t, os.WriteFile(home+"/2", []byte("two"), 0o644))
	if e, err := f.Compose(t.Context(), []fswatch.Path{"1", home + "/2"}, "d/both"); err != nil || e.Size != 7 {
		t.Error(e, err)
	}
	for _, c := range []struct {
		sources []fswatch.Path
		to      fswatch.Path
		kind    fswatch.Kind
	}{
		{nil, "x", fswatch.Invalid}, {[]fswatch.Path{"1"}, "x", fswatch.NotFound}, {[]fswatch.Path{"d"}, "x", fswatch.Invalid}, {[]fswatch.Path{"d/both"}, "d/both", fswatch.Invalid},
	} {
		if _, err := f.Compose(t.Context(), c.sources, c.to); !errors.Is(err, c.kind) {
			t.Errorf("%v: %v", c.sources, err)
		}
	}
	h := httptest.NewServer(http.NotFoundHandler())
	defer h.Close()
	old, err := New(Options{URL: h.URL, Root: "/"})
	must(t, err)
	defer old.Close()
	if _, err := old.Compose(t.Context(), []fswatch.Path{"1"}, "x"); !errors.Is(err, fswatch.Unsupported) {
		t.Error(err)
	}
}

func TestSignedAddresses(t *testing.T) {
	f, s := newPair(t, Options{User: "user"})
	must(t, os.WriteFile(s.tree.real+"/a b", []byte("text"), 0o644))
	signed, err := f.SignedURL(t.Context(), "a b", Read, expiry(4102444800))
	must(t, err)
	r, err := http.Get(signed)
	must(t, err)
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); string(text) != "text" || strings.Contains(signed, testToken) {
		t.Error(r.Status, string(text), err)
	}
	open, err := New(Options{URL: f.opt.URL})
	must(t, err)
	defer open.Close()
	if _, err := open.SignedURL(t.Context(), "/x", Read, expiry(0)); !errors.Is(err, fswatch.Unauthenticated) {
		t.Error(err)
	}
}

// FuzzFrames looks for bytes of a stream that a client cannot stand.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x0c{\"start\":{}}\x02\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\x00\x00\x00\x0c{\"start\":{}}\x00\x00\x00\x00\x21{\"filesystem\":{\"name\":\"a\",\"type\":1}}"))
	f.Add([]byte("\x01\xff\xff\xff\xff"))
	var body []byte
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/connect+json")
		_, _ = w.Write(body)
	}))
	f.Cleanup(h.Close)
	c := must1(New(Options{URL: h.URL, Root: "/"}))
	f.Cleanup(func() { c.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		body = data
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &stream{Queue: fswatch.NewQueue(), f: c, dir: "/x", ctx: ctx}
		feed, err := s.connect(ctx)
		if err != nil {
			return
		}
		defer feed.close()
		for err == nil {
			_, err = feed.next(ctx)
		}
	})
}
