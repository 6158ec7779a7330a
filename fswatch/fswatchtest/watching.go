package fswatchtest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// watch begins a watch that ends with the test.
func (f *fixture) watch(opt fswatch.WatchOptions) *watched {
	f.Helper()
	s, err := f.Watch(f.ctx(), f.dir, opt)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	return &watched{Stream: s, f: f}
}

type watched struct {
	fswatch.Stream
	f   *fixture
	all []fswatch.Event
}

// until reads events until one is as asked for.
func (w *watched) until(what string, good func(fswatch.Event) bool) {
	w.f.Helper()
	ctx, cancel := context.WithTimeout(w.f.ctx(), patience)
	defer cancel()
	for seen := 0; ; {
		for ; seen < len(w.all); seen++ {
			if good(w.all[seen]) {
				return
			}
		}
		events, err := w.Next(ctx)
		if err != nil {
			w.f.Fatalf("%s: %v after %s", what, err, shown(w.all))
		}
		w.all = append(w.all, events...)
	}
}

func (w *watched) untilOp(op fswatch.Op, name string) {
	w.f.Helper()
	w.until(string(op)+" "+name, func(e fswatch.Event) bool { return e.Op == op && e.Name == name })
}

func shown(events []fswatch.Event) string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = string(e.Op) + " " + e.Name
	}
	return strings.Join(all, ", ")
}

func watchTells(f *fixture) {
	f.put("there", "x")
	f.put("sub/inside", "x")
	w := f.watch(fswatch.WatchOptions{})
	f.put("new", "text")
	w.untilOp(fswatch.OpCreate, "new")
	f.mkdirs("dir")
	w.untilOp(fswatch.OpCreate, "dir")
	if err := f.Remove(f.ctx(), f.at("there")); err != nil {
		f.Fatal(err)
	}
	w.untilOp(fswatch.OpRemove, "there")
	if _, err := f.Move(f.ctx(), f.at("new"), f.at("newer"), fswatch.MoveOptions{}); err != nil {
		f.Fatal(err)
	}
	w.untilOp(fswatch.OpCreate, "newer")
	w.until("the old name goes", func(e fswatch.Event) bool {
		return e.Name == "new" && (e.Op == fswatch.OpRename || e.Op == fswatch.OpRemove)
	})
	f.put("sub/other", "x")
	f.put("last", "x")
	w.untilOp(fswatch.OpCreate, "last")
	for _, e := range w.all {
		if strings.Contains(e.Name, "/") {
			f.Errorf("a watch of one folder tells %s %s", e.Op, e.Name)
		}
	}
}

func watchInOrder(f *fixture) {
	if !f.caps.Ordered {
		f.Skip("events have no order here")
	}
	w := f.watch(fswatch.WatchOptions{Recursive: f.caps.Recursive})
	f.mkdirs("d")
	f.put("one", "1")
	f.put("two", "2")
	if _, err := f.Move(f.ctx(), f.at("one"), f.at("three"), fswatch.MoveOptions{}); err != nil {
		f.Fatal(err)
	}
	if err := f.Remove(f.ctx(), f.at("two")); err != nil {
		f.Fatal(err)
	}
	f.put("end", "")
	w.untilOp(fswatch.OpCreate, "end")
	var got []string
	for _, e := range w.all { // where a file is written aside first is its own affair, and how often it is told as written
		if !strings.HasPrefix(e.Name, ".") && (e.Op == fswatch.OpCreate || e.Op == fswatch.OpRemove || e.Op == fswatch.OpRename) {
			got = append(got, string(e.Op)+" "+e.Name)
		}
	}
	want := []string{"create d", "create one", "create two", "rename one", "create three", "remove two", "create end"}
	if !slices.Equal(got, want) {
		f.Errorf("told %q\nwant %q", got, want)
	}
}

func watchDeep(f *fixture) {
	if !f.caps.Recursive {
		_, err := f.Watch(f.ctx(), f.dir, fswatch.WatchOptions{Recursive: true})
		f.wantKind("recursive", err, fswatch.Unsupported)
		return
	}
	f.mkdirs("old/deep")
	w := f.watch(fswatch.WatchOptions{Recursive: true})
	f.put("old/deep/x", "x")
	w.untilOp(fswatch.OpCreate, "old/deep/x")
	f.mkdirs("a/b/c")
	w.untilOp(fswatch.OpCreate, "a/b/c")
	f.put("a/b/c/file", "x")
	w.untilOp(fswatch.OpCreate, "a/b/c/file")
	if _, err := f.Move(f.ctx(), f.at("a"), f.at("z"), fswatch.MoveOptions{}); err != nil {
		f.Fatal(err)
	}
	w.untilOp(fswatch.OpCreate, "z")
	f.put("z/b/c/after", "x")
	w.untilOp(fswatch.OpCreate, "z/b/c/after")
	if err := f.Remove(f.ctx(), f.at("z")); err != nil {
		f.Fatal(err)
	}
	w.untilOp(fswatch.OpRemove, "z/b/c/after")
	w.untilOp(fswatch.OpRemove, "z")
	for _, name := range []string{"a/b/c", "a/b/c/file"} {
		if n := w.count(fswatch.OpCreate, name); n != 1 {
			f.Errorf("create %s was told %d times: %s", name, n, shown(w.all))
		}
	}
}

func (w *watched) count(op fswatch.Op, name string) (n int) {
	for _, e := range w.all {
		if e.Op == op && e.Name == name {
			n++
		}
	}
	return n
}

func watchWithEntries(f *fixture) {
	if !f.caps.Entries {
		f.Skip("events have no entries here")
	}
	w := f.watch(fswatch.WatchOptions{Entries: true})
	f.put("a", "12345")
	w.until("its size", func(e fswatch.Event) bool { return e.Name == "a" && e.Entry != nil && e.Entry.Size == 5 })
	if err := f.Remove(f.ctx(), f.at("a")); err != nil {
		f.Fatal(err)
	}
	w.untilOp(fswatch.OpRemove, "a")
	for _, e := range w.all {
		if e.Entry != nil && (e.Op == fswatch.OpRemove || e.Op == fswatch.OpRename || e.Entry.Name != e.Name) {
			f.Errorf("%s %s has the entry %+v", e.Op, e.Name, e.Entry)
		}
	}
}

func watchRefuses(f *fixture) {
	f.put("file", "x")
	_, err := f.Watch(f.ctx(), f.at("missing"), fswatch.WatchOptions{})
	f.wantKind("missing", err, fswatch.NotFound)
	_, err = f.Watch(f.ctx(), f.at("file"), fswatch.WatchOptions{})
	f.wantKind("a file", err, fswatch.Invalid)
}

// A watch ends once; after it was closed there is nothing more and no error but io.EOF.
func watchEndsOnce(f *fixture) {
	s, err := f.Watch(f.ctx(), f.dir, fswatch.WatchOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.put("a", "x")
	for range 2 {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	}
	for range 3 {
		for err = nil; err == nil; {
			_, err = s.Next(f.ctx())
		}
		if !errors.Is(err, io.EOF) {
			f.Error(err)
		}
	}
}

// watcherTells checks the dirty folders on top of it.
func watcherTells(f *fixture) {
	f.mkdirs("one", "two", "three")
	w := fswatch.NewWatcher(f.FS)
	defer w.Close()
	w.Want([]fswatch.Path{f.at("one"), f.at("two"), f.at("later")})
	f.dirty(w, f.at("one"), f.at("two"))
	f.put("three/x", "x")
	f.put("two/x", "x")
	if got := f.dirty(w, f.at("two")); slices.Contains(got, f.at("three")) {
		f.Errorf("told %q", got)
	}
	f.mkdirs("later")
	f.dirty(w, f.at("later"))
	f.put("later/x", "x")
	f.dirty(w, f.at("later"))
	if err := w.Close(); err != nil {
		f.Error(err)
	}
	if _, err := w.Next(f.ctx()); !errors.Is(err, io.EOF) {
		f.Error(err)
	}
}

// dirty waits until all of these were told and returns everything that was.
func (f *fixture) dirty(w fswatch.Watcher, dirs ...fswatch.Path) []fswatch.Path {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.ctx(), patience)
	defer cancel()
	var all []fswatch.Path
	for {
		change, err := w.Next(ctx)
		if err != nil {
			f.Fatalf("%v after %q, waiting for %q", err, all, dirs)
		}
		all = append(all, change.Dirty...)
		if !slices.ContainsFunc(dirs, func(d fswatch.Path) bool { return !slices.Contains(all, d) }) {
			return all
		}
	}
}
