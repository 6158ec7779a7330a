package treelist

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/tui/tree"
)

// The first rows of 100,000 entries are to be there after 100 ms, all after a second.
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
	for _, c := range []struct {
		name  string
		quick bool
	}{{"first rows", true}, {"whole", false}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				l, _ := r.Read(b.Context(), Ask{Dir: dir, Quick: c.quick})
				t := tree.New(dir)
				t.SetHeight(50)
				t.Set(dir, l)
				if t.Len() != 100_000 {
					b.Fatal(t.Len())
				}
			}
		})
	}
}
