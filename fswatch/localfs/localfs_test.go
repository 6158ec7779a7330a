package localfs

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/fswatchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, opt Options) *FS {
	t.Helper()
	f, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestConformance(t *testing.T) {
	for name, confined := range map[string]bool{"whole disk": false, "confined": true} {
		t.Run(name, func(t *testing.T) {
			fswatchtest.Run(t, fswatchtest.Options{New: func(t *testing.T) (fswatch.FS, fswatch.Path) {
				dir := t.TempDir()
				return open(t, Options{Root: dir, Confined: confined}), dir
			}})
		})
	}
}
