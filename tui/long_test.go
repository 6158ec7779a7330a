package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/tui/internal/screentest"
)

// numberedLines is a text of n lines with their numbers.
func numberedLines(n, length int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %06d %s\n", i, strings.Repeat("x", length))
	}
	return b.String()
}

// A hit in an output of megabytes is gone to, and the output shown in whole.
func TestFindInALongOutput(t *testing.T) {
	long := numberedLines(9_000, 930) // more than the 8 MB that are drawn at once
	a := open(t, setup{file: outputs(t, display("text/plain", "first"), &mime.Stream{Name: "stdout", Text: mime.TextOf(long)})})
	a.shows("first", "… 8961 lines …")
	a.Type("/")
	a.Type(screentest.Paste("line 004567"))
	a.Type("enter")
	a.shows("line 004567")
	a.hides("lines …")
	a.Type("/")
	a.Type(screentest.Paste("line 0089"))
	a.shows("1 of 100", "line 008900")
	a.Type("enter", "N")
	a.shows("line 008999", "100 of 100")
}

// A search in the pane goes by slices, both ways and around the ends, and a new one takes
// the place of the one before.
func TestSearchInALongPane(t *testing.T) {
	a := open(t, setup{file: outputs(t, &mime.Stream{Name: "stdout", Text: mime.TextOf(numberedLines(6_000, 10))})})
	a.Type(":")
	a.Type(screentest.Paste("pager"))
	a.Type("enter")
	a.shows("lines 1–", "of 6000")
	a.Type("/")
	a.Type(screentest.Paste("line 005998"))
	a.shows("line 005998", "line 005999")
	a.Type("enter", "n")
	a.shows("line 005998")
	a.Type("/")
	a.Type(screentest.Paste("line 000042"))
	a.Type("enter")
	a.Type("N")
	a.shows("line 000042")
	a.Type("/")
	a.Type(screentest.Paste("nowhere"))
	a.shows("not found")
	a.Type("esc")
	a.shows("line 000042")
	a.Type("n")
	a.shows("line 000042")
	a.Type("q")
	a.hides("line 000042")
}
