//go:build unix

package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// The shell tells where its cells have gone, whatever the folder is called and whatever else
// they changed, and no cell sees that it was asked.
func TestShellTellsItsFolder(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string) {
		k := openShell(t, shell)
		folder := k.Driver.(kernelclient.Folder).Folder
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		odd := filepath.Join(root, "it's \"odd\" \xff\n")
		if err := os.Mkdir(odd, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(odd, filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			code, want string
			end        event.Reason
		}{
			{"cd '" + root + "'; pwd() { echo mine; }; set -u", root, event.Done},
			{"cd link", odd, event.Done},
			{"set -x; exec >/dev/null; set -- a b; false", odd, event.Failed},
			{"cd /; [ $# = 2 ] && [ $1$2 = ab ]", "/", event.Done},
			{"set -e; cd '" + root + "' && mkdir gone && cd gone && rmdir ../gone", "", event.Done},
			{"cd /", "/", event.Done},
		} {
			if out, _ := k.cell(t, c.code); out.Reason != c.end || out.Count != i+1 {
				t.Fatalf("%s: %+v", c.code, out)
			}
			got, err := folder(t.Context())
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%s: %q %v", c.code, got, err)
			}
		}
		if out, _ := k.cell(t, "exit 0"); out.Reason != event.Done {
			t.Errorf("%+v", out)
		}
		if _, err := folder(t.Context()); !errors.Is(err, kernelclient.Gone) {
			t.Errorf("of a shell that ended: %v", err)
		}
	})
}
