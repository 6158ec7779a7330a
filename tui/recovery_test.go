package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// killed is a program that ended by a signal with unsaved changes.
func killed(t *testing.T, s setup, keys ...string) *app {
	t.Helper()
	a := open(t, s)
	a.Type(keys...)
	a.signals <- syscall.SIGTERM
	a.quits(t, 143)
	if n := len(a.copies()); n != 1 {
		t.Fatalf("%d copies", n)
	}
	return a
}

func TestRestoreUnsavedChanges(t *testing.T) {
	first := killed(t, setup{file: file("one", "two")}, "d", "d", "b", "m")
	before := first.saved()
	a := open(t, setup{again: first})
	a.shows("unsaved changes of test.ipynb from", "were kept: 2 cells differ", "r restore", "c compare", "d discard", "Esc later", "one")
	a.Type("c")
	a.shows("- on disk", "cell 1: removed", "- one", "cell 2: added", "r restore", "Esc back")
	a.Type("esc")
	a.shows("unsaved changes of test.ipynb from", "c compare", "Esc later")
	a.hides("- on disk")
	a.Type("c", "r")
	a.hides("r restore", "one", "removed")
	a.shows("two", "empty markdown cell", "● test.ipynb", "z goes back")
	if a.saved() != before {
		t.Error("restoring changed the file")
	}
	if n := len(a.copies()); n != 1 {
		t.Errorf("%d copies after restoring: the old one and one of its own", n)
	}
	a.Type("z")
	a.shows("one", "two")
	a.Type("Z", "s")
	a.hides("●")
	if strings.Contains(a.saved(), "one") || len(a.copies()) != 0 {
		t.Errorf("copies %q, saved\n%s", a.copies(), a.saved())
	}
	a.quits(t, 0, "q")
	open(t, setup{again: first}).hides("restore")
}

func TestDiscardOrLater(t *testing.T) {
	first := killed(t, setup{file: file("one")}, "b")
	a := open(t, setup{again: first})
	a.shows("1 cell differs")
	a.Type("esc")
	a.hides("restore")
	a.quits(t, 0, "q")
	if len(first.copies()) != 1 {
		t.Fatal("later lost the copy")
	}
	a = open(t, setup{again: first})
	a.Type("d")
	a.hides("restore")
	if kept, _ := filepath.Glob(filepath.Join(a.state, "replaced", "*test.ipynb")); len(kept) != 1 {
		t.Errorf("%q is kept for who answered too quickly", kept)
	}
	if n := len(a.copies()); n != 0 {
		t.Errorf("%d copies", n)
	}
	a.quits(t, 0, "q")
}

func TestCopyOfAnOlderFileSaysSo(t *testing.T) {
	first := killed(t, setup{file: file("one")}, "b")
	if err := os.WriteFile(first.path, []byte(file("other")), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, setup{again: first}).shows("the file since")
}

// A copy whose file another program changed meanwhile is restored as if nbterm had never
// ended: that program's version is asked about, and no save writes over it unasked.
func TestRestoreOverAnOtherVersionAsksAgain(t *testing.T) {
	for answer, want := range map[string]struct{ shown, gone, saved string }{
		"m": {"mine was typed", "theirs meanwhile", "mine was typed"},
		"t": {"theirs meanwhile", "mine was typed", "theirs meanwhile"},
	} {
		first := killed(t, setup{file: file("one")}, "enter", "mine was typed ", "esc")
		if err := os.WriteFile(first.path, []byte(file("theirs meanwhile")), 0o600); err != nil {
			t.Fatal(err)
		}
		a := open(t, setup{again: first})
		a.Type("c")
		a.shows("- on disk", "+ kept", "- theirs meanwhile", "+ mine was typed one")
		a.Type("r")
		a.shows("another program changed test.ipynb", "m mine", "t theirs", "mine was typed", "● test.ipynb [changed on disk]")
		a.Type("c")
		a.shows("- mine", "+ theirs", "- mine was typed one", "+ theirs meanwhile")
		a.Type("esc", "esc", "s")
		a.shows("m mine")
		a.Type(answer)
		a.shows(want.shown)
		a.hides("●", "changed on disk", want.gone)
		if !strings.Contains(a.saved(), want.saved) {
			t.Errorf("%s: saved\n%s", answer, a.saved())
		}
		if kept, _ := filepath.Glob(filepath.Join(a.state, "replaced", "*test.ipynb")); answer == "m" && len(kept) != 1 {
			t.Errorf("theirs is not kept: %q", kept)
		}
		a.quits(t, 0, "q")
	}
}

// Undoing the restoring brings back what is on disk: nothing is asked about any more.
func TestRestoreOverAnOtherVersionTakenBack(t *testing.T) {
	first := killed(t, setup{file: file("one")}, "b")
	if err := os.WriteFile(first.path, []byte(file("theirs")), 0o600); err != nil {
		t.Fatal(err)
	}
	a := open(t, setup{again: first})
	a.Type("r", "esc", "z", "j")
	a.shows("theirs")
	a.hides("●", "m mine", "changed on disk")
}

func TestCopyThatTheFileHasIsNotOffered(t *testing.T) {
	first := killed(t, setup{file: file("one")}, "b")
	data, err := os.ReadFile(first.copies()[0])
	if err == nil {
		err = os.WriteFile(first.path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, setup{again: first})
	a.hides("restore")
	if n := len(a.copies()); n != 0 {
		t.Errorf("%d copies", n)
	}
}

// A change has its copy within five seconds; one that was saved or taken back has none.
func TestCopiesWhileEditing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one")})
		a.Type("b")
		if len(a.copies()) != 0 {
			t.Error("a copy at once")
		}
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		if len(a.copies()) != 1 {
			t.Fatal("no copy after five seconds")
		}
		size := func() int64 {
			info, err := os.Stat(a.copies()[0])
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		before := size()
		a.Type("b")
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		if size() <= before {
			t.Error("the second change is not in the copy")
		}
		a.Type("s")
		if len(a.copies()) != 0 {
			t.Error("a copy of what is saved")
		}
		time.Sleep(time.Minute)
		if len(a.copies()) != 0 {
			t.Error("a copy without a change")
		}
		a.Type("b", "z")
		time.Sleep(5 * time.Second)
		if len(a.copies()) != 0 {
			t.Error("a copy of a change that was taken back")
		}
		a.Type("b")
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		if len(a.copies()) != 1 {
			t.Error("no copy")
		}
		a.Type("z")
		if len(a.copies()) != 0 {
			t.Error("the copy of a change that was taken back stays")
		}
	})
}

func TestDiscardedChangesLeaveNoCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one")})
		a.Type("b")
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		a.quits(t, 0, "q", "d")
		if n := len(a.copies()); n != 0 {
			t.Errorf("%d copies", n)
		}
	})
}

func TestTwoProgramsOnOneFile(t *testing.T) {
	first := open(t, setup{file: file("one")})
	first.Type("b")
	second := open(t, setup{again: first})
	second.shows("open in another nbterm too (process")
	second.hides("restore")
	second.Type("esc", "a", "s")
	second.hides("●")
	first.Type("s")
	first.shows("another program changed", "m mine", "t theirs")
	first.Type("m")
	first.hides("●")
	first.shows("what another program had written is kept in")
}
