package fswatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeFS is folders whose reports a test makes up.
type fakeFS struct {
	FS
	*Notices
	mu     sync.Mutex
	refuse map[Path]error   // why Add refuses
	files  map[Path][]Entry // what List says
	lists  int
}

func newFake() *fakeFS {
	return &fakeFS{Notices: NewNotices(), refuse: map[Path]error{}, files: map[Path][]Entry{}}
}

func (f *fakeFS) Capabilities() Capabilities { return Capabilities{} }

// reporting is a fakeFS that is its own Notifier.
type reporting struct{ *fakeFS }

func (r reporting) Notifier() (Notifier, error) { return notes(r), nil }

type notes struct{ *fakeFS }

func (f notes) Remove(dir Path) { f.Drop(dir) }
func (f notes) Close() error    { return nil }

func (f notes) Add(dir Path) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refuse[dir]; err != nil {
		return false, err
	}
	return true, nil
}

func (f *fakeFS) List(_ context.Context, dir Path, _ ListOptions) ([]Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists++
	return f.files[dir], nil
}

func (f *fakeFS) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// told is a Change and when it came.
type told struct {
	Change
	at time.Duration
}

// bubble runs a test of a Watcher in made-up time, on an FS that reports or is to be polled.
// next returns the next change.
func bubble(t *testing.T, reports bool, test func(f *fakeFS, w Watcher, next func() told)) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		f := newFake()
		fs := FS(f)
		if reports {
			fs = reporting{f}
		}
		w := NewWatcher(fs)
		defer w.Close()
		test(f, w, func() told {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			c, err := w.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return told{c, time.Since(began)}
		})
	})
}

func (c told) is(t *testing.T, at time.Duration, dirs ...Path) {
	t.Helper()
	if c.at != at || !slices.Equal(c.Dirty, dirs) {
		t.Errorf("%q at %v, want %q at %v", c.Dirty, c.at, dirs, at)
	}
}

func TestChangesAreToldSoonAndStormsSeldom(t *testing.T) {
	bubble(t, true, func(f *fakeFS, w Watcher, next func() told) {
		w.Want([]Path{"/a", "/b"})
		next().is(t, 0, "/a", "/b") // watched from now on
		time.Sleep(time.Minute)     // made-up time
		f.Put(Notice{Dir: "/b"})
		next().is(t, time.Minute+50*time.Millisecond, "/b")

		storm := time.Now()
		for time.Since(storm) < 3*time.Second { // calm was just 50 ms, so nothing is told at once
			f.Put(Notice{Dir: "/a"})
			time.Sleep(10 * time.Millisecond)
		}
		f.Put(Notice{Dir: "/b"})
		var all []told
		for len(all) == 0 || !slices.Contains(all[len(all)-1].Dirty, "/b") {
			all = append(all, next())
		}
		if len(all) > 3 { // what was told while nobody asked came as one
			t.Errorf("told %v", all)
		}
	})
}

func TestPaceOfAStorm(t *testing.T) {
	var p pace
	begin := time.Now()
	var due time.Time
	var flushed []time.Duration
	for at := time.Duration(0); at < 3500*time.Millisecond; at += 10 * time.Millisecond {
		now := begin.Add(at)
		if !due.IsZero() && !now.Before(due) {
			flushed = append(flushed, at)
			p.told()
			due = time.Time{}
		}
		if at < 3*time.Second {
			due = p.change(now)
		}
	}
	if got, want := fmt.Sprint(flushed), "[50ms 1.05s 2.05s 3.05s]"; got != want && got != "[50ms 1.05s 2.05s 3.05s 3.2s]" {
		t.Errorf("told at %v, want %v", got, want)
	}
	if d := p.change(begin.Add(10 * time.Second)); d != begin.Add(10*time.Second+soon) {
		t.Errorf("after calm it is told at %v", d.Sub(begin))
	}
}

func TestLostReportsAreAResync(t *testing.T) {
	bubble(t, true, func(f *fakeFS, w Watcher, next func() told) {
		w.Want([]Path{"/a", "/b"})
		next()
		f.Put(Notice{All: true})
		c := next()
		if !c.Resync || len(c.Dirty) != 2 {
			t.Errorf("%+v", c)
		}
	})
}

// A folder that the system refuses is listed every two seconds, the others are not, and as
// soon as there is room it is reported again.
func TestRefusedFolderIsPolled(t *testing.T) {
	limit := errors.New("no room")
	bubble(t, true, func(f *fakeFS, w Watcher, next func() told) {
		f.set(func() { f.refuse["/b"] = limit })
		w.Want([]Path{"/a", "/b"})
		seen := map[Path]bool{}
		for !seen["/b"] || !seen["/a"] {
			for _, d := range next().Dirty {
				seen[d] = true
			}
		}
		if mode, why := w.Mode(); mode != ModePoll || why != limit {
			t.Errorf("%v, %v", mode, why)
		}
		f.set(func() { f.files["/b"] = []Entry{{Name: "new", Type: TypeFile}} })
		c := next()
		if !slices.Equal(c.Dirty, []Path{"/b"}) || c.at > 3*time.Second {
			t.Errorf("%+v", c)
		}
		f.set(func() { f.refuse = nil })
		w.Want([]Path{"/b"})
		if c := next(); !slices.Equal(c.Dirty, []Path{"/b"}) {
			t.Errorf("%+v", c)
		}
		if mode, why := w.Mode(); mode != ModePush || why != nil {
			t.Errorf("%v, %v", mode, why)
		}
		lists := 0
		f.set(func() { lists = f.lists })
		time.Sleep(time.Minute)
		f.set(func() { lists = f.lists - lists })
		if lists != 0 {
			t.Errorf("it was listed %d times though it is reported", lists)
		}
	})
}

// What is missing, or may not be read, is watched as soon as that is possible.
func TestMissingFolderComesBack(t *testing.T) {
	bubble(t, true, func(f *fakeFS, w Watcher, next func() told) {
		f.set(func() { f.refuse["/a"] = &Error{Kind: NotFound, What: "/a is missing"} })
		w.Want([]Path{"/a"})
		next().is(t, 0, "/a") // that it is missing is news
		if mode, why := w.Mode(); mode != ModePush || why != nil {
			t.Errorf("%v, %v", mode, why)
		}
		time.Sleep(29 * time.Second)
		f.set(func() { delete(f.refuse, "/a") })
		next().is(t, 30*time.Second, "/a")
		f.Put(Notice{Dir: "/a", Err: &Error{Kind: NotFound, What: "gone"}})
		if c := next(); len(c.Dirty) != 1 {
			t.Errorf("%+v", c)
		}
		next().is(t, 32*time.Second, "/a") // and there it was again
	})
}

func TestClosedWatcherTellsNothing(t *testing.T) {
	bubble(t, true, func(f *fakeFS, w Watcher, next func() told) {
		w.Want([]Path{"/a"})
		next()
		for range 2 {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.Next(context.Background()); err != io.EOF {
			t.Error(err)
		}
	})
}

func TestWithoutReportsAllIsPolled(t *testing.T) {
	bubble(t, false, func(f *fakeFS, w Watcher, next func() told) {
		if mode, why := w.Mode(); mode != ModePoll || why != nil {
			t.Errorf("%v, %v", mode, why)
		}
		w.Want([]Path{"/a", "/b"})
		for seen := 0; seen < 2; {
			seen += len(next().Dirty)
		}
		f.set(func() { f.files["/a"] = []Entry{{Name: "x", Type: TypeFile, Size: 1}} })
		if c := next(); !slices.Equal(c.Dirty, []Path{"/a"}) {
			t.Errorf("%+v", c)
		}
		f.set(func() { f.files["/a"] = []Entry{{Name: "x", Type: TypeFile, Size: 2}} })
		if c := next(); !slices.Equal(c.Dirty, []Path{"/a"}) {
			t.Errorf("%+v", c)
		}
	})
}
