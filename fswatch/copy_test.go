package fswatch_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
)

func read(t *testing.T, f fswatch.FS, path string) string {
	t.Helper()
	r, _, err := f.Open(t.Context(), path, fswatch.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// lying is a file system whose listing has more in it than there is.
type lying struct {
	fswatch.FS
	more fswatch.Entry
}

func (l lying) List(ctx context.Context, dir fswatch.Path, opt fswatch.ListOptions) ([]fswatch.Entry, error) {
	entries, err := l.FS.List(ctx, dir, opt)
	return append(entries, l.more), err
}

func TestCopyOfAFolder(t *testing.T) {
	from, to := memfs.New(), memfs.New()
	write(t, from, "/src/a", "in a")
	write(t, from, "/src/sub/b", strings.Repeat("b", 100_000))
	write(t, to, "/dst/old", "stays")
	pipe := fswatch.Entry{Name: "pipe", Path: "/src/pipe", Type: fswatch.TypeOther}
	var skipped []string
	done := map[string]int64{}
	err := fswatch.Copy(t.Context(), lying{from, pipe}, "/src/", to, "/dst/", fswatch.CopyOptions{
		Skip:     func(e fswatch.Entry) { skipped = append(skipped, e.Path) },
		Progress: func(p fswatch.Path, n, size int64) { done[p] = n },
	})
	if err != nil {
		t.Fatal(err)
	}
	if read(t, to, "/dst/a") != "in a" || len(read(t, to, "/dst/sub/b")) != 100_000 || read(t, to, "/dst/old") != "stays" {
		t.Error("something is missing")
	}
	if len(skipped) != 1 || skipped[0] != "/src/pipe" {
		t.Errorf("left out %q", skipped)
	}
	if done["/src/sub/b"] != 100_000 {
		t.Errorf("told %v", done)
	}
}

// A server cannot make a copy write outside of its target.
func TestCopyRefusesNamesThatLeadOut(t *testing.T) {
	for _, name := range []string{"..", "../x", "a/../../x"} {
		from, to := memfs.New(), memfs.New()
		write(t, from, "/src/a", "x")
		bad := fswatch.Entry{Name: name, Path: "/src/" + name, Type: fswatch.TypeFile}
		err := fswatch.Copy(t.Context(), lying{from, bad}, "/src", to, "/dst/sub", fswatch.CopyOptions{})
		if !errors.Is(err, fswatch.Protocol) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
