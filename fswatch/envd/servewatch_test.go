package envd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// web serves a server on loopback and makes a bare client of it.
func web(t *testing.T, s http.Handler, as ...connect.ClientOption) (envdpb.FilesystemClient, *httptest.Server) {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return envdpb.NewFilesystemClient(h.Client(), h.URL, as...), h
}

// watching opens a watch and takes its first message.
func watching(t *testing.T, c envdpb.FilesystemClient, req *envdpb.WatchDirRequest, headers ...string) *connect.ServerStreamForClient[envdpb.WatchDirResponse] {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := connect.NewRequest(req)
	for i := 0; i < len(headers); i += 2 {
		r.Header().Set(headers[i], headers[i+1])
	}
	st, err := c.WatchDir(ctx, r)
	must(t, err)
	t.Cleanup(func() {
		cancel()
		_ = st.Close()
	})
	if !st.Receive() || st.Msg().GetStart() == nil {
		t.Fatal("no start:", st.Err())
	}
	return st
}

// nextEvent is the next event in a few words; equal ones that follow each other count once.
func nextEvent(t *testing.T, st *connect.ServerStreamForClient[envdpb.WatchDirResponse], last string) string {
	t.Helper()
	for st.Receive() {
		e := st.Msg().GetFilesystem()
		if word := strings.TrimPrefix(e.GetType().String(), "EVENT_TYPE_") + " " + e.GetName(); e != nil && word != last {
			return word
		}
	}
	t.Fatal("the stream ended:", st.Err())
	return ""
}

// frame is a line of a capture of a stream.
type frame struct {
	After   string
	Message struct {
		Filesystem struct{ Name, Type string }
		Error      struct{ Code string }
	}
}

func frames(t *testing.T, name string) (list []frame) {
	t.Helper()
	f, err := os.Open("testdata/captures/watch/" + name + ".frames.jsonl")
	must(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one frame
		must(t, json.Unmarshal(lines.Bytes(), &one))
		list = append(list, one)
	}
	return list
}

// happen does in a folder what a capture says was done.
func happen(t *testing.T, dir, what string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	aside := filepath.Join(filepath.Dir(dir), "aside")
	switch what {
	case "create new.txt (empty)":
		must(t, os.WriteFile(in("new.txt"), nil, 0o644))
	case "append to new.txt":
		must(t, os.WriteFile(in("new.txt"), []byte("x"), 0o644))
	case "chmod 600 new.txt":
		must(t, os.Chmod(in("new.txt"), 0o600))
	case "rename new.txt to ren.txt":
		must(t, os.Rename(in("new.txt"), in("ren.txt")))
	case "remove ren.txt":
		must(t, os.Remove(in("ren.txt")))
	case "mkdir sub":
		must(t, os.Mkdir(in("sub"), 0o755))
	case "write sub/inner.txt":
		must(t, os.WriteFile(in("sub/inner.txt"), []byte("x"), 0o644))
	case "atomic save of old.txt (temp file + rename)":
		must(t, os.WriteFile(in(".old.tmp"), []byte("x"), 0o644))
		must(t, os.Rename(in(".old.tmp"), in("old.txt")))
	case "move old.txt out of the tree":
		must(t, os.Rename(in("old.txt"), aside))
	case "move it back in":
		must(t, os.Rename(aside, in("old.txt")))
	case "remove the watched tree":
		must(t, os.RemoveAll(dir))
	case "rename the watched directory":
		must(t, os.Rename(dir, aside))
	default:
		t.Fatalf("nobody knows how to %s", what)
	}
}

// What happens is told in the words and the order of the captures.
func TestEventsAsCaptured(t *testing.T) {
	for _, name := range []string{"watch-basic", "watch-recursive", "watch-entry", "watch-dir-removed", "watch-dir-renamed"} {
		t.Run(name, func(t *testing.T) {
			home := tempDir(t)
			dir := filepath.Join(home, "w")
			must(t, os.MkdirAll(dir, 0o755))
			must(t, os.WriteFile(dir+"/old.txt", []byte("old"), 0o644))
			if name == "watch-dir-removed" {
				must(t, os.Mkdir(dir+"/dir", 0o755))
			}
			c, _ := web(t, newServer(t, ServerOptions{Root: home, NoAuth: true}), connect.WithProtoJSON())
			st := watching(t, c, &envdpb.WatchDirRequest{Path: dir, Recursive: name == "watch-recursive", IncludeEntry: name == "watch-entry"})
			var done, last string
			want := map[string]bool{}
			for _, f := range frames(t, name)[1:] {
				if f.After != done {
					done = f.After
					happen(t, dir, done)
				}
				word := strings.TrimPrefix(f.Message.Filesystem.Type, "EVENT_TYPE_") + " " + f.Message.Filesystem.Name
				if name == "watch-dir-removed" && !strings.HasSuffix(word, " .") { // contents go in any order
					want[word] = true
					last = nextEvent(t, st, last)
					continue
				}
				got := nextEvent(t, st, last)
				if got != word {
					t.Fatalf("after %q: %s, want %s", done, got, word)
				}
				last = got
				kind := st.Msg().GetFilesystem().GetType()
				ends := kind == envdpb.EventType_EVENT_TYPE_REMOVE || kind == envdpb.EventType_EVENT_TYPE_RENAME
				if entry := st.Msg().GetFilesystem().GetEntry(); name == "watch-entry" && (entry == nil) != ends {
					t.Errorf("%s: entry %v", got, entry)
				}
			}
		})
	}
}

func TestWatchRefuses(t *testing.T) {
	home := demo(t)
	c, _ := web(t, newServer(t, ServerOptions{Root: home, NoAuth: true}), connect.WithProtoJSON())
	for path, code := range map[string]connect.Code{
		home + "/demo/zz": connect.CodeNotFound, home + "/demo/hello.txt": connect.CodeInvalidArgument, "/etc": connect.CodeInvalidArgument,
	} {
		st, err := c.WatchDir(t.Context(), connect.NewRequest(&envdpb.WatchDirRequest{Path: path}))
		must(t, err)
		if st.Receive() || connect.CodeOf(st.Err()) != code {
			t.Errorf("%s: %v", path, st.Err())
		}
		_ = st.Close()
		if _, err := c.CreateWatcher(t.Context(), connect.NewRequest(&envdpb.CreateWatcherRequest{Path: path})); connect.CodeOf(err) != code {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestKeepaliveInterval(t *testing.T) {
	for header, want := range map[string]time.Duration{"1": time.Second, "50": 50 * time.Second, "0": defaultKeepalive, "-5": defaultKeepalive, "abc": defaultKeepalive, "": defaultKeepalive, "99999999999999999999": defaultKeepalive} {
		if got := keepalive(header); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestKeepalive(t *testing.T) {
	c, _ := web(t, newServer(t, ServerOptions{Root: t.TempDir(), NoAuth: true}))
	st := watching(t, c, &envdpb.WatchDirRequest{}, "Keepalive-Ping-Interval", "1")
	if !st.Receive() || st.Msg().GetKeepalive() == nil {
		t.Error(st.Msg(), st.Err())
	}
}

func TestWatchWithDeadline(t *testing.T) {
	c, _ := web(t, newServer(t, ServerOptions{Root: t.TempDir(), NoAuth: true}))
	st := watching(t, c, &envdpb.WatchDirRequest{}, "Connect-Timeout-Ms", "300")
	if st.Receive() || connect.CodeOf(st.Err()) != connect.CodeDeadlineExceeded {
		t.Error(st.Err())
	}
}

// Closing the server tells those who watch; clients that go away let go of the watch.
func TestWatchesEnd(t *testing.T) {
	s := newServer(t, ServerOptions{Root: t.TempDir(), NoAuth: true})
	ended := make(chan struct{}, 2)
	c, _ := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		ended <- struct{}{}
	}))
	ctx, cancel := context.WithCancel(t.Context())
	st, err := c.WatchDir(ctx, connect.NewRequest(&envdpb.WatchDirRequest{}))
	must(t, err)
	if !st.Receive() {
		t.Fatal(st.Err())
	}
	cancel()
	_ = st.Close()
	<-ended
	other := watching(t, c, &envdpb.WatchDirRequest{})
	must(t, s.Close())
	if other.Receive() || connect.CodeOf(other.Err()) != connect.CodeUnavailable {
		t.Error(other.Err())
	}
	<-ended
}

func TestPolling(t *testing.T) {
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	_, _, got := call(t, s, "CreateWatcher", `{"path":"","include_entry":true}`)
	id, _ := got["watcherId"].(string)
	if len(id) != 21 || id[0] != 'w' {
		t.Fatal(got)
	}
	ask := `{"watcherId":"` + id + `"}`
	must(t, os.WriteFile(home+"/p.txt", []byte("x"), 0o600))
	var seen []string
	for len(seen) < 2 {
		_, code, got := call(t, s, "GetWatcherEvents", ask)
		if code != "" {
			t.Fatal(got)
		}
		list, _ := got["events"].([]any)
		for _, e := range list {
			m := e.(map[string]any)
			seen = append(seen, fmt.Sprint(m["type"], m["name"], m["entry"] != nil))
		}
	}
	if seen[0] != "EVENT_TYPE_CREATEp.txttrue" || seen[1] != "EVENT_TYPE_WRITEp.txttrue" {
		t.Error(seen)
	}
	if _, code, got := call(t, s, "RemoveWatcher", ask); code != "" {
		t.Error(got)
	}
	for _, method := range []string{"GetWatcherEvents", "RemoveWatcher"} {
		for _, body := range []string{ask, `{}`} {
			if _, code, got := call(t, s, method, body); code != "not_found" {
				t.Errorf("%s: %v", method, got)
			}
		}
	}
}

// quietStream is a watch where nothing happens but what the test puts in.
type quietStream struct{ *fswatch.Queue }

func (quietStream) Mode() (fswatch.Mode, error) { return fswatch.ModePush, nil }
func (quietStream) Close() error                { return nil }

func TestForgottenPollers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ps pollers
		defer ps.closeAll()
		id := ps.add(&watch{Stream: quietStream{fswatch.NewQueue()}})
		p, err := ps.find(id, false)
		must(t, err)
		for range 3 { // asked in time, it lives
			time.Sleep(pollerLife - time.Second)
			if _, err := p.events(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(pollerLife + time.Second)
		for range 2 {
			if _, err := p.events(); connect.CodeOf(err) != connect.CodeInternal {
				t.Error(err)
			}
		}
	})
}

func TestLostEvents(t *testing.T) {
	q := fswatch.NewQueue()
	var ps pollers
	defer ps.closeAll()
	p, err := ps.find(ps.add(&watch{Stream: quietStream{q}}), false)
	must(t, err)
	q.Put(fswatch.Event{Op: fswatch.OpCreate, Name: "a"}, fswatch.Event{Op: fswatch.OpResync, Name: "."})
	for range 2 {
		if _, err := p.events(); connect.CodeOf(err) != connect.CodeInternal || !strings.Contains(err.Error(), "overflow") {
			t.Error(err)
		}
	}
}

// Every protocol of the library reaches the same service.
func TestProtocols(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for name, as := range map[string][]connect.ClientOption{
		"binary": nil, "json": {connect.WithProtoJSON()}, "grpc-web": {connect.WithGRPCWeb()}, "gzip": {connect.WithSendGzip()},
	} {
		c, _ := web(t, s, as...)
		answer, err := c.Stat(t.Context(), connect.NewRequest(&envdpb.StatRequest{Path: "demo/hello.txt"}))
		if err != nil || answer.Msg.GetEntry().GetSize() != 12 {
			t.Errorf("%s: %v %v", name, answer, err)
		}
		if _, err := c.Stat(t.Context(), connect.NewRequest(&envdpb.StatRequest{Path: "zz"})); connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
		watching(t, c, &envdpb.WatchDirRequest{})
	}
}

// However the folder is named, names in it are plain.
func TestWatchedNames(t *testing.T) {
	home := demo(t)
	c, _ := web(t, newServer(t, ServerOptions{Root: home, NoAuth: true}))
	for i, path := range []string{home + "/demo/sub/", home + "/demo/./sub", home + "/demo/link-dir", "demo/sub", "~/demo/sub"} {
		st := watching(t, c, &envdpb.WatchDirRequest{Path: path, Recursive: true})
		name := fmt.Sprintf("deep/n%d", i)
		must(t, os.WriteFile(home+"/demo/sub/"+name, nil, 0o644))
		if got := nextEvent(t, st, ""); got != "CREATE "+name {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// A name that is no text cannot be told, and nothing else is lost by it.
func TestUntellableNames(t *testing.T) {
	home := tempDir(t)
	c, _ := web(t, newServer(t, ServerOptions{Root: home, NoAuth: true}))
	st := watching(t, c, &envdpb.WatchDirRequest{IncludeEntry: true})
	must(t, os.WriteFile(home+"/\xff", nil, 0o644))
	must(t, os.WriteFile(home+"/b", nil, 0o644))
	if got := nextEvent(t, st, ""); got != "CREATE b" {
		t.Error(got)
	}
}

// FuzzCalls looks for a request that ends the server or gets out.
func FuzzCalls(f *testing.F) {
	f.Add("Stat", "application/json", `{"path":"../x"}`)
	f.Add("Remove", "application/proto", "\x0a\x02..")
	f.Add("Move", "application/json", `{"source":"a","destination":"/tmp/x"}`)
	f.Add("WatchDir", "application/connect+json", "\x00\x00\x00\x00\x02{}")
	f.Add("WatchDir", "application/connect+proto", "\x01\xff\xff\xff\xff")
	home := must1(filepath.EvalSymlinks(f.TempDir()))
	must1(0, os.Mkdir(home+"/root", 0o755))
	s := must1(NewServer(ServerOptions{Root: home + "/root", NoAuth: true}))
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, method, kind, body string) {
		if strings.Trim(method, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return
		}
		ask(s, "POST", "/filesystem.Filesystem/"+method, body, "Content-Type", kind, "Connect-Timeout-Ms", "1")
		if list, err := os.ReadDir(home); err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
	})
}
