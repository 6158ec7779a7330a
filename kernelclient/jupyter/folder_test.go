//go:build unix

package jupyter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

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

// A shell is asked by code, of which nobody else hears, however late it speaks.
func TestFolderOfAShell(t *testing.T) {
	shell := func(k *fakeKernel) {
		k.onInfo = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.say(Shell, m, "kernel_info_reply", `{"status":"ok","language_info":{"name":"bash"}}`)
			k.status(m, "idle")
		}
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.input(m)
			k.reply(m, "ok") // on a channel of its own, and quicker
			k.say(IOPub, m, "stream", `{"name":"stderr","text":"20"}`)
			k.stream(m, " 2f 61\n")
			k.stream(m, " ff 0a\n")
			k.status(m, "idle")
			k.stream(m, " 2f\n")
		}
	}
	withKernel(t, shell, func(t *testing.T, d *driver, s *sink) {
		before := s.story()
		if got, err := d.Folder(t.Context()); err != nil || got != "/a\xff" {
			t.Errorf("%q %v", got, err)
		}
		synctest.Wait()
		if told := strings.TrimPrefix(s.story(), before); told != "" {
			t.Errorf("it was told as\n%s", told)
		}
		d.kernel().onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.reply(m, "error"); k.status(m, "idle") }
		if got, err := d.Folder(t.Context()); err == nil {
			t.Errorf("where it fails: %q", got)
		}
		d.kernel().onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.reply(m, "ok"); k.status(m, "idle") }
		if got, err := d.Folder(t.Context()); !errors.Is(err, kernelclient.Unsupported) {
			t.Errorf("where nothing comes: %q %v", got, err)
		}
	})
}

// No kernel of another language is asked.
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
