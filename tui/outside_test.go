package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// theirs changes the file as another program does, by replacing it.
func (a *app) theirs(text string) {
	a.t.Helper()
	tmp := a.path + ".t"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(tmp, a.path); err != nil {
		a.t.Fatal(err)
	}
}

func TestReloadWhereNothingIsUnsaved(t *testing.T) {
	a := open(t, setup{file: file("one", "two", "three"), watch: true})
	a.Type("j", "j")
	a.theirs(strings.Replace(a.saved(), `"two"`, `"zero\n", "2"`, 1))
	a.WaitFor("zero")
	a.WaitIdle()
	a.shows("reloaded", "3/3", "three")
	a.hides("●", "two", "changed on disk")
	// An editor that writes beside the file and renames, again and again.
	for _, v := range []string{"50", "51", "52"} {
		a.theirs(file("answer = " + v))
		a.WaitFor("answer = " + v)
	}
	a.WaitIdle()
	a.Type("z")
	a.shows("answer = 51", "●")
}

func TestRunningCellKeepsItsOutputsAcrossAReload(t *testing.T) {
	next := make(chan struct{})
	a := open(t, setup{file: file("one", "two"), script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		if r.Code == "one" {
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "first\n"})
			<-next
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "second\n"})
		}
		return kernelclient.Outcome{Reason: event.Done}
	}})
	a.Keys("ctrl+j")
	a.WaitFor("first")
	a.Keys("s")
	a.WaitFor("saved test.ipynb")
	a.theirs(strings.Replace(a.saved(), `"two"`, `"changed"`, 1))
	a.Keys("\x1b[I")
	a.WaitFor("changed")
	a.shows("first", "[*]")
	close(next)
	a.WaitFor("second")
	a.WaitIdle()
	a.shows("first", "changed", "[1]")
}

func TestTouchedOrWrittenAlikeIsNoChange(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("b")
	a.theirs(a.saved())
	a.Type("k")
	a.hides("another program", "changed on disk")
	a.Type("s")
	a.hides("●", "another program")
}

func TestOneQuestionHoweverOftenItChanges(t *testing.T) {
	a := open(t, setup{file: file("one"), watch: true})
	a.Type("b")
	for _, v := range []string{"43", "44", "45"} {
		a.theirs(file("answer = " + v))
		a.WaitFor("another program changed")
		a.WaitIdle()
	}
	if n := strings.Count(a.Text(), "another program"); n != 1 {
		t.Errorf("said %d times", n)
	}
	a.shows("m mine", "t theirs", "c compare", "Esc back", "one", "● test.ipynb [changed on disk]")
	a.Type("m")
	a.hides("m mine")
	a.theirs(file("answer = 46"))
	a.WaitIdle()
	a.Type("a")
	a.hides("m mine")
	a.shows("one", "changed on disk")
	// This version was never seen: saving asks, and writes over it only after a yes.
	a.Type("s")
	a.shows("m mine")
	a.Type("m")
	a.hides("●", "changed on disk")
	a.shows("what another program had written is kept in")
	kept, _ := filepath.Glob(filepath.Join(a.state, "replaced", "*test.ipynb"))
	if len(kept) != 1 {
		t.Fatalf("kept %q", kept)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || !strings.Contains(string(data), "answer = 46") {
		t.Errorf("%v: %s", err, data)
	}
}

// What is compared is what is on disk, also if it changes once more.
func TestComparisonFollowsTheDisk(t *testing.T) {
	a := open(t, setup{file: file("one"), watch: true})
	a.Type("b")
	a.theirs(file("first"))
	a.WaitFor("t theirs")
	a.Type("c")
	a.shows("+ first")
	a.theirs(file("second"))
	a.WaitFor("+ second")
	a.hides("+ first")
	a.Type("t")
	a.shows("second")
	a.hides("●", "changed on disk")
}

func TestMineIsWrittenWithoutASecondQuestion(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("b")
	a.theirs(file("other"))
	a.Type("k", "m", "s")
	a.hides("●", "m mine")
	if !strings.Contains(a.saved(), "one") {
		t.Error("mine was not saved")
	}
}

func TestCompareAndTheirs(t *testing.T) {
	for _, width := range []int{80, 120} {
		a := open(t, setup{file: file("one\nsame", "two"), width: width, height: 24})
		a.Type("d", "d")
		a.theirs(file("one\nsame", "two", "three"))
		a.Type("k")
		a.Type("c")
		a.shows("- mine", "+ theirs", "added", "+ one", "+ three", "m mine")
		a.hides("+ two")
		a.Type("j", "k", "pgdown", "pgup")
		a.shows("- mine")
		a.Type("t")
		a.shows("one", "two", "three", "theirs is shown")
		a.hides("●", "m mine", "+ theirs")
		a.Type("z")
		a.hides("one", "three")
		a.shows("two", "●")
	}
}

func TestFileThatIsNoNotebookForAWhile(t *testing.T) {
	a := open(t, setup{file: file("one")})
	whole := a.saved()
	if err := os.WriteFile(a.path, []byte(whole[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Type("k")
	a.shows("one", "no notebook now", "changed on disk")
	a.theirs(whole)
	a.Type("k")
	a.hides("no notebook now", "changed on disk")
}

func TestFileDeletedRenamedReplaced(t *testing.T) {
	a := open(t, setup{file: file("one")})
	a.Type("b")
	moved := filepath.Join(filepath.Dir(a.path), "moved.ipynb")
	if err := os.Rename(a.path, moved); err != nil {
		t.Fatal(err)
	}
	a.Type("k")
	a.shows("test.ipynb was renamed to moved.ipynb", "what is shown here is kept", "[renamed on disk]", "●", "one")
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	a.Type("k")
	a.shows("test.ipynb was deleted", "[deleted on disk]")
	a.Type("s")
	a.shows("was deleted since it was read", "w make it again", "S save as")
	a.Type("w")
	a.hides("deleted", "●")
	if !strings.Contains(a.saved(), "one") {
		t.Error("it was not made again")
	}
	if err := os.Remove(a.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(a.path, 0o700); err != nil {
		t.Fatal(err)
	}
	a.Type("b")
	a.shows("no file took the place of test.ipynb", "[no file on disk]")
	a.Type("s")
	a.shows("not saved", "no file")
	a.Type("esc", "S")
	a.shows("save as: ")
	a.Type("ctrl+u", filepath.Join(filepath.Dir(a.path), "new"), "enter")
	a.hides("●", "no file")
	a.shows("saved new.ipynb")
}
