package render

import (
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/themes"
)

// TestCases draws notebooks that other programs have drawn badly, at several widths.
func TestCases(t *testing.T) {
	for _, name := range []string{"A32", "A33", "A38", "C15", "C23"} {
		cells := load(t, name)
		golden(t, name+"-60", show(t, cells, ShowOptions{Width: 60, Theme: themes.Dark()}))
		golden(t, name+"-20", show(t, cells, ShowOptions{Width: 20, Theme: themes.Dark()}))
		for _, th := range allThemes {
			for _, width := range []int{1, 2, 7, 20, 80, 200} {
				text := show(t, cells, ShowOptions{Width: width, Color: true, Theme: th})
				if width > 7 {
					check(t, strings.Split(strings.TrimSuffix(text, "\n"), "\n"), width)
				}
			}
		}
	}
}

// TestHostile asks that nothing of a hostile notebook but its text comes through.
func TestHostile(t *testing.T) {
	for _, th := range allThemes {
		text := show(t, load(t, "C15"), ShowOptions{Width: 80, Color: true, Theme: th})
		if left := sgr.ReplaceAllString(text, ""); strings.ContainsRune(left, '\x1b') {
			t.Errorf("%s: %q", th.Name, left)
		}
		if n := strings.Count(text, "end"); n != 12 {
			t.Errorf("%s: %d of 12 ends are readable:\n%s", th.Name, n, text)
		}
	}
}

// TestNoColor asks for attributes only, from outputs too.
func TestNoColor(t *testing.T) {
	for _, name := range []string{"A33", "C15", "C23"} {
		text := show(t, load(t, name), ShowOptions{Width: 80, Color: true, Theme: themes.NoColor()})
		for _, seq := range sgr.FindAllString(text, -1) {
			for _, p := range strings.Split(strings.Trim(seq, "\x1b[m"), ";") {
				if len(p) > 1 {
					t.Errorf("%s: %q is a colour", name, seq)
				}
			}
		}
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

type full struct{}

func (full) Error() string { return "full" }

var errFull error = full{}

func TestNotebookWriteFails(t *testing.T) {
	cells := []Cell{{Type: "code", Source: strings.Repeat("x\n", 100_000)}}
	if err := Notebook(&failing{left: 1 << 17}, cells, ShowOptions{}); err != errFull {
		t.Errorf("got %v", err)
	}
}

// TestNotebook is the picture of all kinds of cells, with colours.
func TestNotebook(t *testing.T) {
	stderr := &mime.Stream{Name: "stderr", Text: mime.TextOf("careful\n")}
	cells := []Cell{
		{Type: "markdown", Source: "# Title\n\ntext"},
		{Type: "code", Language: "python", Count: 12, Source: "def f(x):\n    return x + 1  # note\n\nf(2)", Outputs: []mime.Output{
			{Body: stdout("out\n")},
			{Body: stderr},
			{Body: bundle("text/plain", "3")},
			{Body: &mime.Error{Name: "E", Value: "v", Traceback: []string{"\x1b[31mE\x1b[0m: v"}}},
		}},
		{Type: "code", Language: "python"},
		{Type: "raw", Source: "raw *text*"},
	}
	for _, th := range allThemes {
		golden(t, "notebook-"+th.Name, show(t, cells, ShowOptions{Width: 40, Color: true, Theme: th}))
	}
	plain := show(t, cells, ShowOptions{Width: 40, Theme: themes.Dark()})
	golden(t, "notebook-plain", plain)
	if strings.ContainsRune(plain, '\x1b') {
		t.Error("escapes without Color")
	}
	long := []Cell{{Type: "code", Source: "x", Outputs: []mime.Output{{Body: stdout(strings.Repeat("a\n", 100))}}}}
	if got := show(t, long, ShowOptions{Fold: 10}); strings.Count(got, "\n") != 11 || !strings.Contains(got, "… 91 lines …") {
		t.Errorf("folded: %q", got)
	}
}
