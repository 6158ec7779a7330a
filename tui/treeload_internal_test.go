package tui

import (
	"slices"
	"testing"

	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/tui/tree"
	"github.com/nbterm/nbterm/tui/treelist"
)

// treeModel is as much of a program as reading folders needs.
func treeModel() *Model {
	m := &Model{opt: Options{Files: memfs.New()}}
	m.tree.open, m.tree.tree = true, tree.New("/r")
	m.tree.load.reader = treelist.New(m.opt.Files, "/r")
	return m
}

// come brings the newest listing that was asked for.
func (m *Model) come(dir string, quick bool, l tree.Listing) {
	l.Partial = quick
	m.treeListed(treeListedMsg{files: m.opt.Files, due: !quick, listed: []listedFolder{
		{ask: treelist.Ask{Dir: dir, Quick: quick}, serial: m.tree.load.newest[dir], Listing: l},
	}})
}

// A folder is told as changed as soon as it is watched. That must not make the names void
// that are on their way: the first rows would come with the whole.
func TestFirstRowsComeFirst(t *testing.T) {
	m := treeModel()
	m.listFirst("/r")
	if m.listSoon("/r"); m.tree.load.active {
		t.Fatal("the whole folder is read beside its names")
	}
	m.come("/r", true, tree.Listing{Entries: []tree.Entry{{Name: "a"}, {Name: "b"}}})
	if m.tree.tree.Len() != 2 {
		t.Errorf("%d rows", m.tree.tree.Len())
	}
	if len(m.tree.load.due) > 0 || m.tree.load.newest["/r"] == 0 {
		t.Error("the whole folder is not being read once, now that the names are there")
	}
	m.come("/r", false, tree.Listing{Entries: []tree.Entry{{Name: "a"}, {Name: "b"}, {Name: "c"}}})
	if m.tree.tree.Len() != 3 || m.tree.load.active {
		t.Errorf("%d rows", m.tree.tree.Len())
	}
}

// Where the entries that changed are known only they are looked at, unless the whole folder is
// due or a reading of it becomes void by that.
func TestSomeEntriesAreDue(t *testing.T) {
	m := treeModel()
	l := &m.tree.load
	names := func() []string {
		t.Helper()
		batch := m.takeDue()
		if len(batch) != 1 || batch[0].ask.Dir != "/r" {
			t.Fatalf("%+v", batch)
		}
		return batch[0].ask.Names
	}
	l.addAll("/r")
	if got := names(); got != nil {
		t.Errorf("all is due, and %q is read", got)
	}
	l.add("/r", []string{"a"})
	if got := names(); got != nil {
		t.Errorf("the whole was being read, and now %q is", got)
	}
	m.come("/r", false, tree.Listing{Entries: []tree.Entry{{Name: "a"}}})
	l.add("/r", []string{"b"})
	l.add("/r", []string{"a"})
	if got := names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q is read", got)
	}
	m.come("/r", false, tree.Listing{Entries: []tree.Entry{{Name: "a"}}})
	l.add("/r", []string{"b"})
	l.addAll("/r")
	l.add("/r", []string{"b"})
	if got := names(); got != nil {
		t.Errorf("all is due, and %q is read", got)
	}
	if l.add("/elsewhere", []string{"x"}); len(m.takeDue()) > 0 {
		t.Error("a folder is read that does not show")
	}
}
