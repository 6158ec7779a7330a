package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestNewestMessageShowsAndGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one"), notices: []string{"first thing", "second thing"}})
		a.shows("(1/2) second thing")
		a.Type("b", "s")
		a.shows("(1/3) saved test.ipynb")
		a.hides("second thing")
		time.Sleep(5 * time.Second)
		a.WaitIdle()
		a.shows("(1/2) second thing")
		a.hides("saved")
		a.Type("b", "s", "k")
		a.shows("second thing")
		a.Type("s")
		a.shows("saved test.ipynb")
		a.Type("esc") // closes what shows, not what is behind it
		a.shows("second thing")
		a.Type("esc")
		a.shows("first thing")
		a.Type("esc", "s")
		a.shows("saved test.ipynb")
		a.hides("(1/")
		a.quits(t, 0, "q")
	})
}

func TestDeathIsSaidUntilAFreshKernelIsThere(t *testing.T) {
	a := open(t, setup{file: file("one"), script: block, notices: []string{"a notice"}})
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.kernel.Die("the kernel was killed by SIGKILL (out of memory?)")
	a.WaitFor("starts it again")
	a.WaitIdle()
	a.Type("0", "0")
	a.WaitScreen("a fresh kernel", func(s string) bool { return strings.Contains(s, "idle") })
	a.hides("starts it again")
	a.shows("a notice")
}

// A restart may be over before the screen hears of its beginning: batches that follow each
// other too quickly are taken as one.
func TestRestartingIsNotSaidAfterAQuickRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one")})
		a.Keys("ctrl+j")
		for range 12 {
			a.WaitIdle()
			a.Type("0", "0")
		}
		time.Sleep(time.Second)
		a.WaitIdle()
		a.shows("idle")
		a.hides("restarting")
		a.quits(t, 0, "q", "d")
	})
}

// What cannot be restarted is not said to start again.
func TestLossIsSaidWithoutARestart(t *testing.T) {
	a := open(t, setup{file: file("one"), script: block})
	a.Keys("ctrl+j")
	a.WaitFor("[*]")
	a.kernel.Lose("the sandbox was killed")
	a.WaitFor("the sandbox was killed; Ctrl-K starts another")
	a.hides("starts it again")
}

func TestChoicesAreNeverCut(t *testing.T) {
	v3 := testdata(t, "../../testdata/broken/A11.ipynb")
	for _, size := range [][2]int{{30, 8}, {40, 6}, {24, 8}} {
		s := setup{file: file("one"), width: size[0], height: size[1], script: block, name: "a-rather-long-name.ipynb"}
		a := open(t, s)
		a.Type("b")
		a.theirs(file("theirs now"))
		a.Keys("\x1b[I")
		a.WaitFor("m mine")
		a.shows("t theirs", "c compare", "Esc back")
		a.Type("esc", "k")
		a.Keys("ctrl+j")
		a.Keys("q")
		a.WaitFor("Esc back")
		a.shows("x stop what runs")
		a.Keys("x")
		a.WaitFor("s save")
		a.shows("d discard", "Esc back")
		a.quits(t, 0, "d")
		s.file, s.script = v3, nil
		a = open(t, s)
		a.Type("s")
		a.shows("y yes", "n no", "S save as", "Esc back")
	}
	a := open(t, setup{file: v3, width: 12, height: 4}) // the keys alone are left
	a.Type("s")
	a.shows("y S n Esc")
}

// Looking at what is compared asks nothing anew: the answer may follow at once.
func TestComparedCopyIsAnsweredAtOnce(t *testing.T) {
	first := killed(t, setup{file: file("one")}, "b")
	a := open(t, setup{again: first, askPause: true})
	a.WaitFor("c compare")
	a.Type("c", "r")
	a.shows("● test.ipynb", "restored")
	a.hides("- on disk", "r restore")
}

func TestQuestionThatOpensByItselfTakesNoKeyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("one"), askPause: true})
		a.Type("b")
		a.theirs(file("theirs now"))
		a.Type("\x1b[I")
		a.shows("another program changed")
		a.hides("m mine", "t theirs")
		a.Type("m", "t", "c", "esc", "d", "d")
		a.shows("another program changed", "one", "2/2")
		a.hides("m mine", "theirs now", "empty markdown cell")
		time.Sleep(time.Second)
		a.WaitFor("m mine")
		a.Type("t")
		a.hides("m mine")
		a.shows("theirs now")
		a.Type("b", "q") // this one was asked for
		a.quits(t, 0, "d")
	})
}
