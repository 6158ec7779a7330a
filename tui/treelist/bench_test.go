//go:build unix

package treelist

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/tui/tree"
)

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The first rows of 100,000 entries are to be there after 100 ms, all after a second. Beside
// them stands what the standard library takes to read and sort the names alone: processor
// time, because on a busy machine the clock tells of others.
func BenchmarkHundredThousand(b *testing.B) {
	dir := b.TempDir()
	for i := range 100_000 {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("img_%06d.png", i)))
		if err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
	}
	files, err := localfs.New(localfs.Options{Root: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer files.Close()
	r := New(files, dir)
	read := func(quick bool) func() {
		return func() {
			l, _ := r.Read(b.Context(), Ask{Dir: dir, Quick: quick})
			t := tree.New(dir)
			t.SetHeight(50)
			t.Set(dir, l)
			if t.Len() != 100_000 {
				b.Fatal(t.Len())
			}
		}
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"os.ReadDir", func() {
			if _, err := os.ReadDir(dir); err != nil {
				b.Fatal(err)
			}
		}},
		{"first rows", read(true)},
		{"whole", read(false)},
	} {
		b.Run(c.name, func(b *testing.B) {
			start := cpu(b)
			for range b.N {
				c.do()
			}
			b.ReportMetric(float64((cpu(b)-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
