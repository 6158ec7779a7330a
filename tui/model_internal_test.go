package tui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/themes"
)

// A save whose folder could not be synced is a save: it warns, and a copy stays until the next.
func TestSaveThatMayNotLast(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "n.ipynb")
	doc := notebook.New()
	opt := Options{
		Session: session.New(doc, &hosttest.Host{}, session.Options{}), File: diskfile.New(path), StateDir: state,
		Theme: themes.Dark(), Width: 80, Height: 24,
	}.withDefaults()
	m := newModel(opt)
	t.Cleanup(func() {
		m.jobs.close()
		if err := errors.Join(m.closeRecovery(false), closeSession(opt, true)); err != nil {
			t.Error(err)
		}
	})
	m.say(info, "older")
	if err := doc.Do("edit", notebook.Insert{At: 0, Cells: []notebook.NewCell{{Type: notebook.Code, Source: "x"}}}); err != nil {
		t.Fatal(err)
	}
	err := &diskfile.Error{Op: "save", Path: path, Err: diskfile.ErrNotLasting}
	m.saved(savedMsg{snapshot: doc.Snapshot(), file: m.file, err: err})
	top := m.messages.stack[len(m.messages.stack)-1]
	if top.kind != warning || !strings.Contains(top.text, "is written but may not survive a power cut") {
		t.Errorf("said %q", top)
	}
	if doc.Dirty() || m.saving.active {
		t.Error("it does not count as saved")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was written by this test, which only tells of it")
	}
}
