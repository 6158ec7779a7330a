//go:build unix

package jupyter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

func TestFolderIn(t *testing.T) {
	for reply, want := range map[string]string{
		`{"user_expressions":{"nbterm":{"status":"ok","data":{"text/plain":"'2f61ff'"}}}}`:           "/a\xff",
		`{"user_expressions":{"nbterm":{"status":"error","ename":"FileNotFoundError","evalue":""}}}`: "",
		`{"user_expressions":{"nbterm":{"status":"ok","data":{"text/plain":"'2'"}}}}`:                "",
		`{"user_expressions":{"nbterm":{"status":"ok","data":{}}}}`:                                  "",
		`{"user_expressions":{}}`: "",
		`{}`:                      "",
		`[]`:                      "",
	} {
		if got, err := folderIn("question", []byte(reply)); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v", reply, got, err)
		}
	}
}

// Only a kernel of Python is asked.
func TestFolderOfAnotherLanguage(t *testing.T) {
	var m Message
	withKernel(t, answers("execute", `{"status":"ok"}`, &m), func(t *testing.T, d *driver, _ *sink) {
		_, err := d.Folder(t.Context())
		if !errors.Is(err, kernelclient.Unsupported) || m.Header.Type == "execute_request" {
			t.Errorf("%v, asked %q", err, m.Header.Type)
		}
	})
}

func TestIPykernelTellsItsFolder(t *testing.T) {
	d, s := openReal(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "it's \"é\"\n")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out := execute(t, d, "a", "import os\nos.chdir("+string(quote(dir))+")"); out.Reason != event.Done {
		t.Fatalf("%+v", out)
	}
	before := s.story()
	got, err := d.(kernelclient.Folder).Folder(t.Context())
	if err != nil || got != dir {
		t.Errorf("%q %v, not %q", got, err, dir)
	}
	if told := strings.TrimPrefix(s.story(), before); told != "" {
		t.Errorf("it was told as\n%s", told)
	}
	if out := execute(t, d, "b", "os.rmdir(os.getcwd())"); out.Reason != event.Done || out.Count != 2 {
		t.Errorf("%+v", out)
	}
	if got, err := d.(kernelclient.Folder).Folder(t.Context()); err == nil {
		t.Errorf("a folder that is gone: %q", got)
	}
}
