package render

import (
	"strings"
	"testing"

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
