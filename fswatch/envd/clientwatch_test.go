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
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

// badWay is a client, its server's folder and the way between them.
func badWay(t *testing.T) (*FS, string, *relay.Relay) {
	t.Helper()
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, Token: testToken})
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	way := relay.New(t, h.Listener.Addr().String())
	f, err := New(Options{URL: "http://" + way.Addr(), AccessToken: testToken})
	must(t, err)
	f.ping = time.Second
	t.Cleanup(func() { must(t, f.Close()) })
	return f, home, way
}

// waitFor takes events until there is one.
func waitFor(t *testing.T, s fswatch.Stream, op fswatch.Op, name string) {
	t.Helper()
	for {
		events, err := s.Next(t.Context())
		must(t, err)
		for _, e := range events {
			if e.Op == op && e.Name == name {
				return
			}
		}
	}
}

func touch(t *testing.T, name string) {
	t.Helper()
	must(t, os.WriteFile(name, nil, 0o644))
}

func TestWatchOutlivesConnections(t *testing.T) {
	f, home, way := badWay(t)
	s, err := f.Watch(t.Context(), home, fswatch.WatchOptions{Recursive: true})
	must(t, err)
	touch(t, home+"/a")
	waitFor(t, s, fswatch.OpCreate, "a")
	way.Cut()
	waitFor(t, s, fswatch.OpResync, ".")
	touch(t, home+"/b")
	waitFor(t, s, fswatch.OpCreate, "b")
	must(t, s.Close())
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// A connection that says nothing any more is given up.
func TestWatchBehindASilentWall(t *testing.T) {
	f, home, way := badWay(t)
	s, err := f.Watch(t.Context(), home, fswatch.WatchOptions{})
	must(t, err)
	way.Stall()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for way.Carried() < 2 { // it tries anew, and waits for the beginning
		<-tick.C
	}
	way.Resume()
	waitFor(t, s, fswatch.OpResync, ".")
	touch(t, home+"/b")
	waitFor(t, s, fswatch.OpCreate, "b")
}

// Frames come in pieces, several in one, and slowly.
func TestSplitFrames(t *testing.T) {
	f, home, way := badWay(t)
	way.Split(3)
	s, err := f.Watch(t.Context(), home, fswatch.WatchOptions{Entries: true})
	must(t, err)
	for i := range 20 {
		touch(t, fmt.Sprintf("%s/n%02d", home, i))
	}
	waitFor(t, s, fswatch.OpCreate, "n19")
	list, err := f.List(t.Context(), "", fswatch.ListOptions{})
	if err != nil || len(list) != 20 {
		t.Error(len(list), err)
	}
	text := strings.Repeat("in pieces ", 1000)
	_, err = f.Write(t.Context(), []fswatch.File{{Path: "big", Body: strings.NewReader(text), Size: -1}}, fswatch.WriteOptions{Gzip: true})
	must(t, err)
	r, _, err := f.Open(t.Context(), "big", fswatch.Range{})
	must(t, err)
	defer r.Close()
	if got, err := io.ReadAll(r); string(got) != text {
		t.Error(len(got), err)
	}
}

// A transfer that is cut is a lost connection, not a short file.
func TestCutTransfer(t *testing.T) {
	f, home, way := badWay(t)
	must(t, os.WriteFile(home+"/big", make([]byte, 64<<20), 0o644))
	r, _, err := f.Open(t.Context(), "big", fswatch.Range{})
	must(t, err)
	defer r.Close()
	must1(r.Read(make([]byte, 10)))
	way.Cut()
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, fswatch.Disconnect) {
		t.Error(err)
	}
	way.Refuse(true)
	if _, err := f.Stat(t.Context(), "big"); !errors.Is(err, fswatch.Disconnect) {
		t.Error(err)
	}
}

func TestWatchedFolderComesBack(t *testing.T) {
	f, s := newPair(t, Options{})
	dir := s.tree.real + "/d"
	must(t, os.Mkdir(dir, 0o755))
	w, err := f.Watch(t.Context(), dir, fswatch.WatchOptions{})
	must(t, err)
	must(t, os.Remove(dir))
	waitFor(t, w, fswatch.OpRemove, ".")
	must(t, os.Mkdir(dir, 0o755))
	waitFor(t, w, fswatch.OpCreate, ".")
	touch(t, dir+"/x")
	waitFor(t, w, fswatch.OpCreate, "x")
}

// Where no stream gets through, events are fetched.
func TestWatchWithoutStreams(t *testing.T) {
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for name, refuse := range map[string]http.HandlerFunc{
		"404": http.NotFound,
		"415": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnsupportedMediaType) },
		"held back": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/connect+json")
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/WatchDir") {
					refuse(w, r)
					return
				}
				s.ServeHTTP(w, r)
			}))
			defer h.Close()
			f, err := New(Options{URL: h.URL, Request: time.Second})
			must(t, err)
			defer f.Close()
			f.poll = 10 * time.Millisecond
			w, err := f.Watch(t.Context(), home, fswatch.WatchOptions{})
			must(t, err)
			if mode, why := w.Mode(); mode != fswatch.ModePoll || why == nil {
				t.Error(mode, why)
			}
			touch(t, home+"/"+name)
			waitFor(t, w, fswatch.OpCreate, name)
			must(t, w.Close())
		})
	}
}

func TestWatchErrors(t *testing.T) {
	f, s := newPair(t, Options{})
	touch(t, s.tree.real+"/file")
	for path, kind := range map[string]fswatch.Kind{"zz": fswatch.NotFound, "file": fswatch.Invalid, "/etc": fswatch.Invalid} {
		if _, err := f.Watch(t.Context(), path, fswatch.WatchOptions{}); !errors.Is(err, kind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	stranger, err := New(Options{URL: f.opt.URL, AccessToken: "wrong"})
	must(t, err)
	defer stranger.Close()
	for what, do := range map[string]func() error{
		"watch": func() error { _, err := stranger.Watch(t.Context(), "/x", fswatch.WatchOptions{}); return err },
		"stat":  func() error { _, err := stranger.Stat(t.Context(), "/x"); return err },
		"list":  func() error { _, err := stranger.List(t.Context(), "/x", fswatch.ListOptions{}); return err },
	} {
		if err := do(); !errors.Is(err, fswatch.Unauthenticated) || strings.Contains(err.Error(), "wrong") || strings.Contains(err.Error(), testToken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Watch(ctx, "", fswatch.WatchOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A pane's watcher sees a remote folder as it sees a local one, over a connection that breaks.
func TestPaneWatcher(t *testing.T) {
	f, home, way := badWay(t)
	w := fswatch.NewWatcher(f)
	defer w.Close()
	w.Want([]fswatch.Path{home})
	change := func() {
		t.Helper()
		for {
			c, err := w.Next(t.Context())
			must(t, err)
			if slices.Contains(c.Dirty, home) {
				return
			}
		}
	}
	change() // it is watched
	touch(t, home+"/a")
	change()
	way.Cut()
	change() // who knows what was missed
	touch(t, home+"/b")
	change()
}

// failing answers WatchDir with a beginning and an error, as often as it is said, and then
// as the server does.
func failing(s http.Handler, times int, code, message string, started bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if times <= 0 || !strings.HasSuffix(r.URL.Path, "/WatchDir") {
			s.ServeHTTP(w, r)
			return
		}
		times--
		w.Header().Set("Content-Type", "application/connect+json")
		if started {
			_, _ = w.Write([]byte("\x00\x00\x00\x00\x0c{\"start\":{}}"))
		}
		end := fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, code, message)
		_, _ = w.Write(append([]byte{2, 0, 0, 0, byte(len(end))}, end...))
	})
}

// Events that the service lost are a reason to look again, not an end.
func TestWatchAfterOverflow(t *testing.T) {
	home := tempDir(t)
	h := httptest.NewServer(failing(newServer(t, ServerOptions{Root: home, NoAuth: true}), 1, "internal", errOverflow.Error(), true))
	t.Cleanup(h.Close)
	f, err := New(Options{URL: h.URL})
	must(t, err)
	defer f.Close()
	w, err := f.Watch(t.Context(), home, fswatch.WatchOptions{})
	must(t, err)
	waitFor(t, w, fswatch.OpResync, ".")
	touch(t, home+"/a")
	waitFor(t, w, fswatch.OpCreate, "a")
}

// A token that is refused in the middle ends the watch, with the reason.
func TestWatchThatIsRefused(t *testing.T) {
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	h := httptest.NewServer(failing(failing(s, 1, "unauthenticated", "no more", false), 1, "internal", errOverflow.Error(), true))
	t.Cleanup(h.Close)
	f, err := New(Options{URL: h.URL})
	must(t, err)
	defer f.Close()
	w, err := f.Watch(t.Context(), home, fswatch.WatchOptions{})
	must(t, err)
	for range 2 {
		if _, err := w.Next(t.Context()); !errors.Is(err, fswatch.Unauthenticated) {
			t.Error(err)
		}
	}
}

// A network mount, which the service will not watch, is listed again and again.
func TestWatchOfNetworkMount(t *testing.T) {
	home := tempDir(t)
	h := httptest.NewServer(failing(newServer(t, ServerOptions{Root: home, NoAuth: true}), 1, "invalid_argument", "cannot watch path on network filesystem: x", false))
	t.Cleanup(h.Close)
	f, err := New(Options{URL: h.URL})
	must(t, err)
	defer f.Close()
	w, err := f.Watch(t.Context(), home, fswatch.WatchOptions{})
	must(t, err)
	defer w.Close()
	if mode, why := w.Mode(); mode != fswatch.ModePoll || why == nil {
		t.Error(mode, why)
	}
	touch(t, home+"/a")
	waitFor(t, w, fswatch.OpCreate, "a")
}
