package main

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/notebook/diskfile"
)

// inSteps are files that are not replaced in one step, like those of a sandbox.
type inSteps struct {
	fswatch.FS
}

func (f inSteps) Capabilities() fswatch.Capabilities {
	c := f.FS.Capabilities()
	c.Atomic, c.Modes = false, true
	return c
}

func TestNotebookAmongTheFilesOfAHost(t *testing.T) {
	for name, files := range map[string]fswatch.FS{"at once": memfs.New(), "in steps": inSteps{memfs.New()}} {
		h := hostFile{files, "/home/user/a.ipynb"}
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
		list, err := files.List(t.Context(), "/home/user", fswatch.ListOptions{})
		if err != nil || len(list) != 1 {
			t.Errorf("%s: something is left beside it: %v %v", name, list, err)
		}
		if _, err := (hostFile{files, "/home/user"}).Stat(); !errors.Is(err, diskfile.ErrDirectory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
