package fswatchtest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// Options says what is tested.
type Options struct {
	// New makes a file system and an empty folder in it, which is absolute and for the test
	// alone. Both are cleaned up by t.Cleanup.
	New func(t *testing.T) (fswatch.FS, fswatch.Path)
	// NoHidden says that names which begin with a dot cannot be used.
	NoHidden bool
}

// Run tests one kind of FS. What its Capabilities do not have is not asked of it, but that
// it is refused as Unsupported.
func Run(t *testing.T, opt Options) {
	for _, test := range []struct {
		name string
		run  func(*fixture)
	}{
		{"ListIsInOrder", listIsInOrder},
		{"ListGoesDeeper", listGoesDeeper},
		{"ListRefuses", listRefuses},
		{"Stat", stat},
		{"Read", read},
		{"ReadParts", readParts},
		{"ReadRefuses", readRefuses},
		{"Write", write},
		{"WriteOnlyNew", writeOnlyNew},
		{"WriteRefuses", writeRefuses},
		{"WriteFailsWhole", writeFailsWhole},
		{"WriteStopsWithItsContext", writeStops},
		{"ModesStay", modesStay},
		{"Meta", meta},
		{"Mkdir", mkdir},
		{"Move", move},
		{"MoveRefuses", moveRefuses},
		{"Remove", remove},
		{"Names", names},
		{"NamesOfBytes", namesOfBytes},
		{"FinalListing", finalListing},
		{"WatchTells", watchTells},
		{"WatchInOrder", watchInOrder},
		{"WatchDeep", watchDeep},
		{"WatchWithEntries", watchWithEntries},
		{"WatchRefuses", watchRefuses},
		{"WatchEndsOnce", watchEndsOnce},
		{"WatcherTells", watcherTells},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, dir := opt.New(t)
			test.run(&fixture{T: t, FS: f, dir: dir, caps: f.Capabilities(), opt: opt})
		})
	}
}

// fixture is one test's file system and its folder.
type fixture struct {
	*testing.T
	fswatch.FS
	dir  fswatch.Path
	caps fswatch.Capabilities
	opt  Options
}

// at is a path in the test's folder.
func (f *fixture) at(name string) fswatch.Path { return f.dir + "/" + name }

func (f *fixture) ctx() context.Context { return f.Context() }

// put writes a file that must work.
func (f *fixture) put(name, text string) fswatch.Entry {
	f.Helper()
	return f.write(name, text, fswatch.WriteOptions{})
}

func (f *fixture) write(name, text string, opt fswatch.WriteOptions) fswatch.Entry {
	f.Helper()
	entries, err := f.Write(f.ctx(), []fswatch.File{file(f.at(name), text)}, opt)
	if err != nil || len(entries) != 1 {
		f.Fatalf("write %s: %d entries, %v", name, len(entries), err)
	}
	return entries[0]
}

func file(path, text string) fswatch.File {
	return fswatch.File{Path: path, Body: strings.NewReader(text), Size: int64(len(text))}
}

func (f *fixture) mkdirs(names ...string) {
	f.Helper()
	for _, name := range names {
		if _, err := f.Mkdir(f.ctx(), f.at(name)); err != nil {
			f.Fatal(err)
		}
	}
}

// text is a file's contents.
func (f *fixture) text(name string) string {
	f.Helper()
	return f.part(name, fswatch.Range{})
}

func (f *fixture) part(name string, part fswatch.Range) string {
	f.Helper()
	r, _, err := f.Open(f.ctx(), f.at(name), part)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		f.Fatal(err)
	}
	return string(data)
}

// listing is the names in a folder and below, relative and in the listed order.
func (f *fixture) listing(name string, depth int) string {
	f.Helper()
	dir := strings.TrimSuffix(f.at(name), "/")
	entries, err := f.List(f.ctx(), dir, fswatch.ListOptions{Depth: depth})
	if err != nil {
		f.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		shown := strings.TrimPrefix(e.Path, dir+"/")
		if e.IsDir() {
			shown += "/"
		}
		all = append(all, shown)
	}
	return strings.Join(all, " ")
}

func (f *fixture) wantListing(name string, depth int, want string) {
	f.Helper()
	if got := f.listing(name, depth); got != want {
		f.Errorf("listed %q, want %q", got, want)
	}
}

// wantKind checks an error's class and that it says something.
func (f *fixture) wantKind(what string, err error, kind fswatch.Kind) {
	f.Helper()
	var typed *fswatch.Error
	if !errors.Is(err, kind) {
		f.Errorf("%s: %v, want %s", what, err, kind)
	} else if !errors.As(err, &typed) || typed.What == "" {
		f.Errorf("%s: %#v is not an error in plain words", what, err)
	}
}
