//go:build unix

package localfs

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
)

// many makes a folder with so many files.
func many(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		f, err := os.Create(dir + "/img_" + strconv.Itoa(i) + ".png")
		if err != nil {
			tb.Fatal(err)
		}
		_ = f.Close()
	}
	return dir
}

// A folder of 100,000 files: budget 1 s whole, of which names and types are to be there in
// 100 ms.
func BenchmarkList(b *testing.B) {
	dir := many(b, 100_000)
	f, err := New(Options{Root: dir})
	if err != nil {
		b.Fatal(err)
	}
	for _, quick := range []bool{true, false} {
		name := "whole"
		if quick {
			name = "quick"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				entries, err := f.List(b.Context(), dir, fswatch.ListOptions{Quick: quick})
				if err != nil || len(entries) != 100_000 {
					b.Fatalf("%d entries, %v", len(entries), err)
				}
			}
		})
	}
}

// Watching 20,000 folders: what it takes to want them all, and the memory they hold.
func BenchmarkWant(b *testing.B) {
	dir := b.TempDir()
	dirs := make([]fswatch.Path, 20_000)
	for i := range dirs {
		dirs[i] = dir + "/d" + strconv.Itoa(i)
		if err := os.Mkdir(dirs[i], 0o755); err != nil {
			b.Fatal(err)
		}
	}
	f, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		before := heap()
		w := fswatch.NewWatcher(f)
		w.Want(dirs)
		for seen := 0; seen < len(dirs); {
			c, err := w.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			seen += len(c.Dirty)
		}
		if mode, why := w.Mode(); mode != fswatch.ModePush {
			b.Skip(why)
		}
		b.ReportMetric(float64(heap()-before)/1e6, "MB")
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
