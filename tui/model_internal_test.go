package tui

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/themes"
)

// newTestModel is a model of an empty notebook that no event loop runs.
func newTestModel(t *testing.T) *Model {
	t.Helper()
	opt := Options{
		Session: session.New(notebook.New(), &hosttest.Host{}, session.Options{}), File: diskfile.New(filepath.Join(t.TempDir(), "n.ipynb")),
		StateDir: t.TempDir(), Theme: themes.Dark(), Width: 80, Height: 24,
	}.withDefaults()
	m := newModel(opt)
	t.Cleanup(func() {
		m.jobs.close()
		if err := errors.Join(m.closeRecovery(), closeSession(opt.Session, true, false)); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A save whose folder could not be synced is a save: it only warns.
func TestSaveThatMayNotLast(t *testing.T) {
	m := newTestModel(t)
	m.say(info, "older")
	if err := m.doc.Do("edit", notebook.Insert{At: 0, Cells: []notebook.NewCell{{Type: notebook.Code, Source: "x"}}}); err != nil {
		t.Fatal(err)
	}
	err := &diskfile.Error{Op: "save", Path: m.file.Path, Err: diskfile.ErrNotLasting}
	m.saved(savedMsg{snapshot: m.doc.Snapshot(), file: m.file, err: err})
	top := m.messages.stack[len(m.messages.stack)-1]
	if top.kind != warning || !strings.Contains(top.text, "is written but may not survive a power cut") {
		t.Errorf("said %q", top)
	}
	if m.doc.Dirty() || m.saving.active {
		t.Error("it does not count as saved")
	}
}
