package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/tui"
)

// An old notebook is shown and may be edited; its file stays until a yes.
func TestOldNotebookBecomesNewOnlyAfterAYes(t *testing.T) { // A11
	old := testdata(t, "../../testdata/broken/A11.ipynb")
	a := open(t, setup{file: old})
	a.shows("Results", "[3]", "6*7", "42", "[4]", "print 'py2 style'", "ZeroDivisionError", "1/4", "test.ipynb [nbformat 3]", "shown as nbformat 4")
	a.Type("esc", "G")
	a.shows("last words", "4/4")
	a.Type("s")
	a.shows("test.ipynb is nbformat 3", "y yes", "n no", "S save as")
	a.Type("n")
	if a.saved() != old {
		t.Error("no wrote the file")
	}
	a.Type("b", "q", "s")
	a.shows("is nbformat 3")
	a.Type("esc")
	if a.saved() != old {
		t.Error("saving when quitting wrote the file")
	}
	a.Type("s", "y")
	a.hides("●", "[nbformat 3]")
	a.shows("saved test.ipynb as nbformat 4; what it was as nbformat 3 is kept")
	kept, _ := filepath.Glob(filepath.Join(a.state, "replaced", "*test.ipynb"))
	if len(kept) != 1 {
		t.Fatalf("kept %q", kept)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || string(data) != old {
		t.Errorf("%v: kept %s", err, data)
	}
	a.Type("esc")
	if s := a.saved(); !strings.Contains(s, `"nbformat": 4`) || !strings.Contains(s, "# Results") || strings.Contains(s, "worksheets") {
		t.Errorf("saved %s", s)
	}
	a.Type("b", "s")
	a.hides("y yes", "●")
	a.quits(t, 0, "q")
}

func TestOldNotebookQuitsUntouched(t *testing.T) {
	old := testdata(t, "../../testdata/broken/A11.ipynb")
	a := open(t, setup{file: old})
	a.quits(t, 0, "q")
	if a.saved() != old {
		t.Error("opening wrote the file")
	}
}

func TestFileThatIsNoNotebook(t *testing.T) {
	data := "one\n" + strings.Repeat("\x1b]0;evil\x07line\n", 98) + "<<<<<<< ours\n"
	broken := &tui.Broken{Path: "/some/where/B.ipynb", Data: []byte(data), Why: "it is odd", Line: 100, Copies: []string{"/some/B.ipynb~"}}
	a := open(t, setup{broken: broken})
	a.shows("B.ipynb does not open as a notebook", "it is odd", "nbterm /some/B.ipynb~", "v view as text", "q quit", "nothing is changed")
	a.Type("b", "s", "S", "ctrl+s", "R", "enter", "/", ":")
	a.shows("it is odd")
	a.Type("v")
	a.shows("100 <<<<<<< ours", " 99 ", "v back")
	a.Type("g", "g")
	a.shows("  1 one", "1/101")
	a.Type("G", "pgup", "j", "k", "v")
	a.shows("it is odd")
	a.resize(40, 5)
	a.Type("v")
	a.quits(t, 0, "q")
}
