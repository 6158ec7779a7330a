//go:build unix

package envd

import (
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
)

// Another file takes the place of one as the service makes them; a file with permissions of
// its own, or a link, keeps what it is.
func TestWriteMovesWhereNothingElseChanges(t *testing.T) {
	f, s := newPair(t, Options{})
	dir := s.tree.real
	must(t, os.WriteFile(dir+"/usual", []byte("old"), 0o644))
	must(t, os.WriteFile(dir+"/own", []byte("old"), 0o644))
	must(t, os.Chmod(dir+"/usual", 0o644)) // whatever the umask
	must(t, os.Chmod(dir+"/own", 0o600))
	must(t, os.Symlink("own", dir+"/link"))
	for _, c := range []struct {
		name string
		mode os.FileMode
		same bool
	}{{"usual", 0o644, false}, {"own", 0o600, true}, {"link", 0o600, true}} {
		before := must1(os.Stat(dir + "/" + c.name))
		_, err := f.Write(t.Context(), []fswatch.File{{Path: dir + "/" + c.name, Body: strings.NewReader("new " + c.name), Size: -1}}, fswatch.WriteOptions{})
		must(t, err)
		after := must1(os.Stat(dir + "/" + c.name))
		if same := os.SameFile(before, after); same != c.same || after.Mode() != c.mode {
			t.Errorf("%s: the same file: %v, %v", c.name, same, after.Mode())
		}
		if data := must1(os.ReadFile(dir + "/" + c.name)); string(data) != "new "+c.name {
			t.Errorf("%s: %q", c.name, data)
		}
	}
	if list := must1(os.ReadDir(dir)); len(list) != 3 {
		t.Errorf("something is left: %v", list)
	}
}
