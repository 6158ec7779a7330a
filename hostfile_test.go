package main

import (
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/tui"
)

// serviceOver serves a folder as sandboxes serve theirs, and returns its address.
func serviceOver(t *testing.T, dir, token string) string {
	t.Helper()
	s, err := envd.NewServer(envd.ServerOptions{Root: dir, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		_ = s.Close()
		web.Close()
	})
	return web.URL
}

func serviceFiles(t *testing.T, dir string) fswatch.FS {
	t.Helper()
	files, err := envd.New(envd.Options{URL: serviceOver(t, dir, "let-in"), AccessToken: "let-in"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

func TestNotebookAmongTheFilesOfAHost(t *testing.T) {
	for name, files := range map[string]fswatch.FS{"in memory": memfs.New(), "file service": serviceFiles(t, t.TempDir())} {
		root, err := files.Root(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		dir := strings.TrimSuffix(root, "/") + "/work"
		h := hostFile{files, dir + "/a.ipynb"}
		if _, _, err := h.Get(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		first, err := h.Put([]byte("one"))
		if err != nil {
			t.Fatal(name, err)
		}
		second, err := h.Put([]byte("number two"))
		if err != nil {
			t.Fatal(name, err)
		}
		data, stamp, err := h.Get()
		if string(data) != "number two" || err != nil || stamp != second || first == second {
			t.Errorf("%s: %q %v %v %v", name, data, stamp, second, err)
		}
		list, err := files.List(t.Context(), dir, fswatch.ListOptions{})
		if err != nil || len(list) != 1 {
			t.Errorf("%s: something is left beside it: %v %v", name, list, err)
		}
		if _, err := (hostFile{files, dir}).Stat(); !errors.Is(err, diskfile.ErrDirectory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const hostNotebook = `{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`

// --envd alone shows the files of that service, while code runs here. A notebook of it is
// told of other programs' changes by the service, and another one can be made beside it.
func TestTreeOfAFileServiceAlone(t *testing.T) {
	t.Setenv("NBTERM_TOKEN", "let-in")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "far.ipynb")
	if err := os.WriteFile(path, []byte(hostNotebook), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &common{envd: serviceOver(t, dir, "let-in"), hosted: hostFlags{url: "local"}}
	var opt tui.Options
	closeFiles, err := c.treeOf(&opt, "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFiles()
	if opt.FindFiles == nil || c.hosted.url != "local" {
		t.Fatalf("the tree is of this machine, or code is to run on %s", c.hosted.url)
	}
	there, err := opt.FindFiles(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer there.FS.Close()
	if can := there.FS.Capabilities(); !can.Remote || there.Place != "e2b+"+c.envd {
		t.Errorf("%+v %s", can, there.Place)
	}
	root, err := there.FS.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(root, "/") + "/far.ipynb"
	f, err := c.find(tui.OpenAsk{Path: name, Files: there.FS, Place: there.Place})
	if err != nil || !diskfile.IsRemote(f.file.Path) {
		t.Fatal(f.file, err)
	}
	w := f.watch(f.file.Path)
	defer w.Close()
	if err := os.WriteFile(path, []byte(hostNotebook+"\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for state := diskfile.Same; state != diskfile.Modified; {
		if err = w.Next(t.Context()); err == nil {
			state, err = f.file.State()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.remote("e2b:other/x.ipynb"); err == nil {
		t.Error("a file elsewhere is taken for one of the service")
	}
	beside, err := f.remote(strings.Replace(f.file.Path, "far", "new", 1))
	if err != nil {
		t.Fatal(err)
	}
	if now, err := beside.State(); now != diskfile.Same || err != nil {
		t.Errorf("a new one beside it: %v %v", now, err)
	}
}

// A folder on the command line opens the tree, which shows the files of the host where there
// are some, and the folder where none can be shown before a cell ran.
func TestTreeOfAHostWithAFolder(t *testing.T) {
	t.Setenv("NBTERM_TOKEN", "let-in")
	t.Setenv("NBTERM_E2B_API_KEY", "key")
	t.Setenv("E2B_API_KEY", "key")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	for host, there := range map[string]bool{"http://127.0.0.1:9/": true, "nbterm+http://127.0.0.1:9": true, "e2b+http://127.0.0.1:9": true, "e2b:": false, "e2b:i3x": true, "local": false} {
		c := &common{hosted: hostFlags{url: host}}
		var opt tui.Options
		closeFiles, err := c.treeOf(&opt, dir, false)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		defer closeFiles()
		if !opt.OpenTree || (opt.FindFiles != nil) != there || (opt.Files != nil) == there || (opt.TreeRoot == "") != there {
			t.Errorf("%s: it opens: %v, files here: %v, root %q", host, opt.OpenTree, opt.Files != nil, opt.TreeRoot)
		}
	}
}
