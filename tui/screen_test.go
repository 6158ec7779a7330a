package tui_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/tui/internal/screentest"
	"github.com/nbterm/nbterm/tui/keymap"
)

func TestSizes(t *testing.T) {
	fresh := open(t, setup{file: testdata(t, "demo.ipynb")}).Text()
	a := open(t, setup{file: testdata(t, "demo.ipynb"), width: 20, height: 5})
	for _, s := range [][2]int{{1, 1}, {2, 2}, {5, 3}, {500, 2}, {20, 5}, {1, 30}, {80, 24}} {
		a.resize(s[0], s[1])
		a.Type("j", "]", "k", "[", "f1", "j", "esc")
	}
	a.Type("g", "g")
	if got := a.Text(); got != fresh {
		t.Errorf("after all sizes:\n%s\na fresh start:\n%s", got, fresh)
	}
}

func TestGolden(t *testing.T) {
	for _, s := range []struct{ w, h int }{{80, 24}, {200, 50}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", s.w, s.h), func(t *testing.T) {
			a := open(t, setup{file: testdata(t, "demo.ipynb"), width: s.w, height: s.h, name: "demo.ipynb"})
			a.Golden(fmt.Sprintf("demo-%dx%d", s.w, s.h))
		})
	}
	a := open(t, setup{file: testdata(t, "demo.ipynb"), name: "demo.ipynb"})
	a.Type("G")
	a.Golden("demo-end")
	a.Type("f1")
	a.Golden("help")
}

func TestHelpListsEveryKey(t *testing.T) {
	a := open(t, setup{})
	for _, key := range []string{"f1", "h", "?"} {
		a.Type(key)
		a.shows("Everywhere", "Ctrl-S")
		a.Type("esc")
		a.hides("Ctrl-S")
	}
	a.Type("h")
	seen := a.Text()
	for last := ""; last != a.Text(); {
		last = a.Text()
		a.Type("space")
		seen += a.Text()
	}
	for _, b := range keymap.Default().Bindings() {
		line := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(b.ShowAll()) + ` +` + regexp.QuoteMeta(b.Help))
		if !line.MatchString(seen) {
			t.Errorf("help does not show %q %q", b.ShowAll(), b.Help)
		}
	}
}

func TestHelpFinds(t *testing.T) {
	a := open(t, setup{width: 200, height: 50})
	a.Type("f1")
	a.shows("page 1/", "Everywhere", "Outputs") // side by side
	a.Type("/")
	a.letters("duplic")
	a.shows("Edit mode", "Alt-Shift-↓", "duplicate the lines", "page 1/1")
	a.hides("Everywhere", "Ctrl-S")
	a.Type("enter", "j", "q")
	a.shows("Everywhere")
	a.Type("/", "zzz")
	a.shows("no key or action has that")
	a.Type("esc")
	a.shows("Everywhere")
	a.Type("q")
	a.hides("Everywhere")
}

func TestMouse(t *testing.T) {
	a := open(t, setup{file: wide()})
	a.Type(screentest.Click(20, 20))
	a.shows("2/60")
	first := strings.Split(a.Text(), "\n")[0]
	a.Type(screentest.Wheel(5, 5, 2))
	if strings.Split(a.Text(), "\n")[0] == first {
		t.Error("the wheel does not scroll")
	}
	a.shows("2/60")
	a.Type(screentest.Wheel(5, 5, -2))
	if strings.Split(a.Text(), "\n")[0] != first {
		t.Error("the wheel does not scroll back")
	}
	a.Type("f2")
	if !bytes.Contains(a.Bytes(), []byte("\x1b[?1002l")) {
		t.Error("F2 does not give the mouse back")
	}
}

var colour = regexp.MustCompile(`\x1b\[([0-9;:]*[;:])?([34][0-9]|9[0-7]|10[0-7])([;:][0-9;:]*)?m`)

func TestNoColor(t *testing.T) {
	a := open(t, setup{file: testdata(t, "demo.ipynb"), env: []string{"NO_COLOR=1"}, width: 100, height: 60})
	a.Type("j", "G", "f1", "esc", "ctrl+l")
	if hit := colour.Find(a.Bytes()); hit != nil {
		t.Errorf("a colour: %q", hit)
	}
	a.Type("g", "g")
	a.shows("▌[1]", " [2]")
	b := open(t, setup{file: testdata(t, "demo.ipynb")})
	if colour.Find(b.Bytes()) == nil {
		t.Error("the test finds no colours where there are some")
	}
}

// foreign are sequences that nothing of ours sends: what the notebook tries to smuggle.
var foreign = regexp.MustCompile(`\x1b\](52|0|1|2|8|9)[;\x07]|\x1b\[21t|\x1b\[6n|\x1b\[0?c|\x1bc|\x1bP|\x1b[()*+][0-9A-Z]|\x0e|\xc2[\x80-\x9f]|\x9b|\x1b\[\?1049l\x1b\[\?25l|HACKED`)

func TestOutputsCannotDriveTheTerminal(t *testing.T) {
	a := open(t, setup{file: testdata(t, "C15.ipynb"), name: "evil\x1b]0;T\x07.ipynb", height: 60, width: 100})
	a.Type("j", "j", "g", "g")
	screen := a.Text()
	for _, line := range []string{"osc52", "title", "report", "reset", "dcs", "c1", "alt", "link", "home", "shift", "tb", "r"} {
		if !regexp.MustCompile(line + `.* end`).MatchString(screen) {
			t.Errorf("the end of %q is not readable:\n%s", line, screen)
		}
	}
	a.shows("untrusted()", "src = ")
	a.quits(t, 0, "q")
	all := a.Bytes()
	if at := foreign.FindIndex(all); at != nil {
		t.Errorf("a foreign sequence was written: %q", all[max(at[0]-40, 0):min(at[1]+20, len(all))])
	}
}

func TestQueriesOverSSH(t *testing.T) {
	a := open(t, setup{env: []string{"SSH_TTY=/dev/pts/1"}})
	if !bytes.Contains(a.Bytes(), []byte("\x1b[?2026$p")) || !bytes.Contains(a.Bytes(), []byte("\x1b[?2027$p")) {
		t.Error("the modes were not asked for")
	}
}

// TestFramesAgreeWithAFullRedraw guards the renderer's differences: after random keys the
// screen must be what a repaint of everything shows.
func TestFramesAgreeWithAFullRedraw(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	a := open(t, setup{file: testdata(t, "demo.ipynb"), script: echo})
	keys := []string{"j", "k", "]", "[", "space", "pgup", "g", "G", "o", "O", "b", "a", "x", "v", "V", "z", "Z", "m", "y", "ctrl+e", "f1", "esc", "alt+up", "alt+down", "2", "J", "K", "M", "-", "ctrl+a"}
	for step := range 60 {
		key := keys[rnd.IntN(len(keys))]
		a.Type(key)
		if step%4 != 0 {
			continue
		}
		a.Type("€") // takes hints and open sequences away, as the next key would
		before := a.Text()
		a.Type("ctrl+l")
		if after := a.Text(); before != after {
			t.Fatalf("seed %d, step %d, %s: the screen was\n%s\nand a redraw is\n%s", seed, step, key, before, after)
		}
	}
}
