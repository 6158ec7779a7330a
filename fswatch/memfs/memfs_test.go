package memfs

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/fswatchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	fswatchtest.Run(t, fswatchtest.Options{New: func(t *testing.T) (fswatch.FS, fswatch.Path) {
		f := New()
		if _, err := f.Mkdir(t.Context(), "/test"); err != nil {
			t.Fatal(err)
		}
		return f, "/test"
	}})
}
