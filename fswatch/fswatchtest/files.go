package fswatchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing/iotest"

	"github.com/nbterm/nbterm/fswatch"
)

func listIsInOrder(f *fixture) {
	f.wantListing("", 1, "")
	f.mkdirs("dir")
	for _, name := range []string{"b", "B", "a b", "é", "c.ipynb"} {
		f.put(name, "x")
	}
	want := "B a b b c.ipynb dir/ é"
	if !f.opt.NoHidden {
		f.put(".hidden", "x")
		want = ".hidden " + want
	}
	f.wantListing("", 1, want)
	f.wantListing("", 0, want)
	f.wantNames(want)
}

// wantNames fails unless an FS that can tell names tells these.
func (f *fixture) wantNames(want string) {
	n, ok := f.FS.(fswatch.Naming)
	if !ok {
		return
	}
	var got []string
	err := n.Names(f.ctx(), f.at(""), func(e *fswatch.Entry) {
		if e.Type == fswatch.TypeDir {
			e.Name += "/"
		}
		got = append(got, e.Name)
	})
	if slices.Sort(got); err != nil || strings.Join(got, " ") != want {
		f.Errorf("names: %q, %v", got, err)
	}
	f.wantKind("names of what is missing", n.Names(f.ctx(), f.at("missing"), func(*fswatch.Entry) {}), fswatch.NotFound)
}

func listGoesDeeper(f *fixture) {
	f.put("a/b/c/d.txt", "deep")
	f.put("a/x.txt", "x")
	f.put("z.txt", "z")
	f.wantListing("", 1, "a/ z.txt")
	f.wantListing("", 2, "a/ a/b/ a/x.txt z.txt")
	f.wantListing("", 100, "a/ a/b/ a/b/c/ a/b/c/d.txt a/x.txt z.txt")
	f.wantListing("a", 1, "b/ x.txt")
}

func listRefuses(f *fixture) {
	f.put("file", "x")
	_, err := f.List(f.ctx(), f.at("missing"), fswatch.ListOptions{})
	f.wantKind("missing", err, fswatch.NotFound)
	_, err = f.List(f.ctx(), f.at("file"), fswatch.ListOptions{})
	f.wantKind("a file", err, fswatch.Invalid)
}

func stat(f *fixture) {
	wrote := f.put("sub/a.txt", "hello")
	e, err := f.Stat(f.ctx(), f.at("sub/a.txt"))
	if err != nil {
		f.Fatal(err)
	}
	if e.Name != "a.txt" || e.Path != f.at("sub/a.txt") || e.Type != fswatch.TypeFile || e.Size != 5 || e.Problem != "" || e.Link {
		f.Errorf("%+v", e)
	}
	if e.ModTime.IsZero() {
		f.Error("it has no time")
	}
	if wrote.Name != e.Name || wrote.Path != e.Path || wrote.Type != e.Type {
		f.Errorf("writing told %+v", wrote)
	}
	if f.caps.Modes && (e.Owner == "" || e.Group == "" || e.Mode.Perm() == 0) {
		f.Errorf("owner %q, group %q, mode %v", e.Owner, e.Group, e.Mode)
	}
	if e, err = f.Stat(f.ctx(), f.at("sub")); err != nil || !e.IsDir() || e.Name != "sub" {
		f.Errorf("%+v, %v", e, err)
	}
	_, err = f.Stat(f.ctx(), f.at("missing"))
	f.wantKind("missing", err, fswatch.NotFound)
	if there, err := fswatch.Has(f.ctx(), f.FS, f.at("missing")); there || err != nil {
		f.Errorf("exists: %v, %v", there, err)
	}
	if there, err := fswatch.Has(f.ctx(), f.FS, f.at("sub/a.txt")); !there || err != nil {
		f.Errorf("exists: %v, %v", there, err)
	}
}

func read(f *fixture) {
	big := strings.Repeat("0123456789abcdef", 20_000)
	for name, text := range map[string]string{"empty": "", "text": "line\r\nend", "bytes": "\x00\xff\xfe\x1b[0m", "big": big} {
		f.put(name, text)
		if got := f.text(name); got != text {
			f.Errorf("%s: %d bytes, want %d", name, len(got), len(text))
		}
	}
	r, e, err := f.Open(f.ctx(), f.at("big"), fswatch.Range{})
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	if e.Size != int64(len(big)) && e.Size != -1 {
		f.Errorf("size %d", e.Size)
	}
}

func readParts(f *fixture) {
	f.put("ten", "0123456789")
	f.put("empty", "")
	for part, want := range map[fswatch.Range]string{
		{}: "0123456789", {Offset: 3}: "3456789", {Offset: 3, Length: 4}: "3456", {Length: 2}: "01",
		{Offset: 8, Length: 100}: "89", {Offset: -3}: "789", {Offset: -3, Length: 1}: "7", {Offset: -100}: "0123456789",
	} {
		if got := f.part("ten", part); got != want {
			f.Errorf("%+v: %q, want %q", part, got, want)
		}
		if got := f.part("empty", part); got != "" {
			f.Errorf("%+v of nothing: %q", part, got)
		}
	}
	_, _, err := f.Open(f.ctx(), f.at("ten"), fswatch.Range{Offset: 10})
	f.wantKind("behind the end", err, fswatch.Invalid)
}

func readRefuses(f *fixture) {
	f.mkdirs("dir")
	_, _, err := f.Open(f.ctx(), f.at("dir"), fswatch.Range{})
	f.wantKind("a folder", err, fswatch.Invalid)
	_, _, err = f.Open(f.ctx(), f.at("missing"), fswatch.Range{})
	f.wantKind("missing", err, fswatch.NotFound)
}

func write(f *fixture) {
	entries, err := f.Write(f.ctx(), []fswatch.File{file(f.at("a"), "1"), file(f.at("sub/dir/b"), "22")}, fswatch.WriteOptions{})
	if err != nil || len(entries) != 2 || entries[1].Path != f.at("sub/dir/b") {
		f.Fatalf("%+v, %v", entries, err)
	}
	f.put("a", "longer than before")
	f.put("sub/dir/b", "")
	if a, b := f.text("a"), f.text("sub/dir/b"); a != "longer than before" || b != "" {
		f.Errorf("%q and %q", a, b)
	}
	unknown := fswatch.File{Path: f.at("stream"), Body: io.MultiReader(strings.NewReader("a"), iotest.OneByteReader(strings.NewReader("bc"))), Size: -1}
	if _, err := f.Write(f.ctx(), []fswatch.File{unknown}, fswatch.WriteOptions{}); err != nil || f.text("stream") != "abc" {
		f.Errorf("of unknown length: %q, %v", f.text("stream"), err)
	}
	if f.caps.Gzip {
		text := strings.Repeat("again and ", 1000)
		f.write("zipped", text, fswatch.WriteOptions{Gzip: true})
		if f.text("zipped") != text {
			f.Error("what was compressed on the way is something else")
		}
	} else {
		_, err := f.Write(f.ctx(), []fswatch.File{file(f.at("zipped"), "x")}, fswatch.WriteOptions{Gzip: true})
		f.wantKind("compressed", err, fswatch.Unsupported)
	}
	f.wantListing("sub", 2, "dir/ dir/b")
}

func writeOnlyNew(f *fixture) {
	f.mkdirs("dir")
	f.write("a", "first", fswatch.WriteOptions{New: true})
	for _, name := range []string{"a", "dir"} {
		_, err := f.Write(f.ctx(), []fswatch.File{file(f.at(name), "second")}, fswatch.WriteOptions{New: true})
		f.wantKind(name, err, fswatch.Exists)
	}
	if got := f.text("a"); got != "first" {
		f.Errorf("it became %q", got)
	}
	f.wantListing("", 1, "a dir/")
}

func writeRefuses(f *fixture) {
	f.mkdirs("dir")
	f.put("file", "x")
	for _, name := range []string{"dir", "new/", "file/below"} {
		_, err := f.Write(f.ctx(), []fswatch.File{file(f.at(name), "x")}, fswatch.WriteOptions{})
		f.wantKind(name, err, fswatch.Invalid)
	}
	if got := f.text("file"); got != "x" {
		f.Errorf("it became %q", got)
	}
}

// A body that fails, and one of another length than announced, is an error that tells, and
// files before it stay. Where writing is atomic, what was there before stays too.
func writeFailsWhole(f *fixture) {
	f.put("old", "old")
	broken := errors.New("the pipe broke")
	body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	entries, err := f.Write(f.ctx(), []fswatch.File{
		file(f.at("good"), "good"), {Path: f.at("old"), Body: body, Size: -1}, file(f.at("never"), "x"),
	}, fswatch.WriteOptions{})
	if !errors.Is(err, broken) || len(entries) != 1 {
		f.Errorf("%d entries, %v", len(entries), err)
	}
	short := fswatch.File{Path: f.at("old"), Body: strings.NewReader("too short"), Size: 100}
	if _, err := f.Write(f.ctx(), []fswatch.File{short}, fswatch.WriteOptions{}); err == nil {
		f.Error("a body that is too short is taken")
	}
	if f.caps.Atomic {
		if got := f.text("old"); got != "old" {
			f.Errorf("half a file: %q", got)
		}
		f.wantListing("", 1, "good old")
	}
}

func writeStops(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx())
	reads := 0
	body := readerFunc(func(p []byte) (int, error) {
		cancel()
		if reads++; reads > 1<<20 {
			return 0, io.EOF
		}
		return copy(p, "a"), nil
	})
	_, err := f.Write(ctx, []fswatch.File{{Path: f.at("a"), Body: body, Size: -1}}, fswatch.WriteOptions{})
	if !errors.Is(err, context.Canceled) {
		f.Error(err)
	}
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(p []byte) (int, error) { return r(p) }

func modesStay(f *fixture) {
	if !f.caps.Modes {
		f.Skip("it has no permission bits")
	}
	_, err := f.Write(f.ctx(), []fswatch.File{{Path: f.at("a"), Body: strings.NewReader("1"), Size: 1, Mode: 0o600}}, fswatch.WriteOptions{})
	if errors.Is(err, fswatch.Unsupported) {
		f.Skip("it cannot set them")
	}
	if err != nil {
		f.Fatal(err)
	}
	f.put("a", "22")
	if e, err := f.Stat(f.ctx(), f.at("a")); err != nil || e.Mode.Perm() != 0o600 {
		f.Errorf("%v, %v", e.Mode, err)
	}
}

func meta(f *fixture) {
	some := map[string]string{"one": "1", "two": "second value"}
	if !f.caps.Meta {
		_, err := f.Write(f.ctx(), []fswatch.File{file(f.at("a"), "x")}, fswatch.WriteOptions{Meta: some})
		f.wantKind("metadata", err, fswatch.Unsupported)
		return
	}
	f.write("a", "x", fswatch.WriteOptions{Meta: some})
	e, err := f.Stat(f.ctx(), f.at("a"))
	if err != nil {
		f.Fatal(err)
	}
	if e.Meta == nil {
		f.Skip("this disk keeps no metadata")
	}
	if !maps.Equal(e.Meta, some) {
		f.Errorf("%v", e.Meta)
	}
	f.write("a", "y", fswatch.WriteOptions{Meta: map[string]string{"three": ""}})
	if e, _ = f.Stat(f.ctx(), f.at("a")); !maps.Equal(e.Meta, map[string]string{"three": ""}) {
		f.Errorf("after the second write %v", e.Meta)
	}
	f.put("a", "z")
	if e, _ = f.Stat(f.ctx(), f.at("a")); len(e.Meta) != 0 {
		f.Errorf("after the third write %v", e.Meta)
	}
}

func mkdir(f *fixture) {
	for i, want := range []bool{true, false} {
		if created, err := f.Mkdir(f.ctx(), f.at("a/b/c")); created != want || err != nil {
			f.Errorf("time %d: %v, %v", i, created, err)
		}
	}
	f.put("file", "x")
	for _, name := range []string{"file", "file/below"} {
		_, err := f.Mkdir(f.ctx(), f.at(name))
		f.wantKind(name, err, fswatch.Invalid)
	}
	f.wantListing("", 3, "a/ a/b/ a/b/c/ file")
}

func move(f *fixture) {
	f.put("a", "a")
	f.put("dir/inner/x", "x")
	f.put("b", "b")
	must := func(from, to string, opt fswatch.MoveOptions) {
		f.Helper()
		e, err := f.Move(f.ctx(), f.at(from), f.at(to), opt)
		if err != nil || e.Path != f.at(to) {
			f.Errorf("%s to %s: %+v, %v", from, to, e, err)
		}
	}
	must("a", "new/place/a2", fswatch.MoveOptions{})
	must("dir", "dir2", fswatch.MoveOptions{})
	must("new/place/a2", "b", fswatch.MoveOptions{Replace: true})
	must("b", "b", fswatch.MoveOptions{})
	if got := f.text("b"); got != "a" {
		f.Errorf("it is %q", got)
	}
	f.wantListing("", 3, "b dir2/ dir2/inner/ dir2/inner/x new/ new/place/")
}

func moveRefuses(f *fixture) {
	f.put("a", "a")
	f.put("b", "b")
	f.put("dir/x", "x")
	f.mkdirs("empty")
	for _, c := range []struct {
		from, to string
		replace  bool
		kind     fswatch.Kind
	}{
		{"missing", "c", false, fswatch.NotFound},
		{"a", "b", false, fswatch.Exists},
		{"a", "empty", false, fswatch.Exists},
		{"a", "empty", true, fswatch.Exists},
		{"dir", "empty", true, fswatch.Exists},
		{"dir", "a", true, fswatch.Exists},
		{"dir", "dir/inside/itself", false, fswatch.Invalid},
	} {
		_, err := f.Move(f.ctx(), f.at(c.from), f.at(c.to), fswatch.MoveOptions{Replace: c.replace})
		f.wantKind(fmt.Sprint(c.from, " to ", c.to), err, c.kind)
	}
	f.wantListing("", 3, "a b dir/ dir/x empty/")
}

func remove(f *fixture) {
	f.put("a", "a")
	f.put("dir/inner/x", "x")
	f.put("keep", "x")
	for _, name := range []string{"a", "dir", "missing", "missing/too"} {
		if err := f.Remove(f.ctx(), f.at(name)); err != nil {
			f.Errorf("%s: %v", name, err)
		}
	}
	f.wantListing("", 3, "keep")
	f.wantKind("nothing named", f.Remove(f.ctx(), ""), fswatch.Invalid)
	f.wantKind("the root", f.Remove(f.ctx(), "/"), fswatch.Invalid)
	f.wantListing("", 3, "keep")
}

func names(f *fixture) {
	for _, name := range []string{"with space", "ünï 日本.ipynb", `quo"te's`, "percent%20+plus&amp;#?", "-dash", "semi;colon=x", `back\slash`} {
		text := "in " + name
		if e := f.put(name, text); e.Name != name {
			f.Errorf("%q is called %q", name, e.Name)
		}
		if got := f.text(name); got != text {
			f.Errorf("%q: %q", name, got)
		}
		f.wantListing("", 1, name)
		if err := f.Remove(f.ctx(), f.at(name)); err != nil {
			f.Error(err)
		}
	}
}

// Names that are no text work where any bytes do, and are refused with a reason elsewhere.
func namesOfBytes(f *fixture) {
	for _, name := range []string{"bad\xff\xfeutf8", "new\nline\ttab\x1b[31m", strings.Repeat("n", 255)} {
		_, err := f.Write(f.ctx(), []fswatch.File{file(f.at(name), "x")}, fswatch.WriteOptions{})
		if !f.caps.AnyBytes && name[0] == 'b' {
			f.wantKind("bad UTF-8", err, fswatch.Unsupported)
			_, err = f.Stat(f.ctx(), f.at(name))
			f.wantKind("bad UTF-8", err, fswatch.Unsupported)
			continue
		}
		if err != nil || f.text(name) != "x" {
			f.Errorf("%q: %v", name, err)
			continue
		}
		f.wantListing("", 1, name)
		if err := f.Remove(f.ctx(), f.at(name)); err != nil {
			f.Error(err)
		}
	}
	_, err := f.Stat(f.ctx(), f.at(strings.Repeat("n", 256)))
	f.wantKind("256 bytes", err, fswatch.Invalid)
	_, err = f.Stat(f.ctx(), f.at("nul\x00byte"))
	f.wantKind("a NUL byte", err, fswatch.Invalid)
}

// After the same changes there are the same files everywhere.
func finalListing(f *fixture) {
	f.put("src/main.py", "print(1)")
	f.put("src/old.py", "old")
	f.put("data/a.csv", "1,2")
	f.mkdirs("empty", "src/pkg")
	for _, step := range []func() error{
		func() error {
			_, err := f.Move(f.ctx(), f.at("src/old.py"), f.at("src/pkg/new.py"), fswatch.MoveOptions{})
			return err
		},
		func() error {
			_, err := f.Move(f.ctx(), f.at("data"), f.at("src/data"), fswatch.MoveOptions{})
			return err
		},
		func() error { return f.Remove(f.ctx(), f.at("empty")) },
		func() error { f.put("src/data/b.csv", "3,4"); return nil },
		func() error { return f.Remove(f.ctx(), f.at("src/data/a.csv")) },
	} {
		if err := step(); err != nil {
			f.Fatal(err)
		}
	}
	f.wantListing("", 9, "src/ src/data/ src/data/b.csv src/main.py src/pkg/ src/pkg/new.py")
	if got := f.text("src/pkg/new.py") + f.text("src/data/b.csv"); got != "old3,4" {
		f.Errorf("%q", got)
	}
}
