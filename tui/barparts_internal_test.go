package tui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestStatusBarKeepsWhatMattersMost(t *testing.T) {
	p := barParts{
		file: "● notebook.ipynb", kernel: "Python 3 (ipykernel)", state: "busy 12s",
		right: []string{"EDIT  3/12 ", "EDIT "}, hints: []string{"Esc done  Ctrl-J run  F1 help", "Esc done  Ctrl-J run", "Esc done"},
	}
	for width, want := range map[int][3]string{
		120: {" ● notebook.ipynb  Python 3 (ipykernel) · busy 12s", p.hints[0], p.right[0]},
		80:  {" ● notebook.ipynb  Python… · busy 12s", p.hints[0], p.right[0]},
		62:  {" ● notebook.ipynb  busy 12s", p.hints[1], p.right[0]},
		50:  {" ● notebook.ipynb  busy 12s", p.hints[2], p.right[0]},
		30:  {" ● note…  busy 12s", "", p.right[0]},
		24:  {" ● note…  busy 12s", "", p.right[1]},
		12:  {" ● noteboo…", "", ""},
		3:   {" …", "", ""},
		0:   {"", "", ""},
	} {
		left, keys, right := p.fit(width)
		if got := [3]string{left, keys, right}; got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	p.use = "1.2 GB 98%"
	for width, want := range map[int]string{
		120: " ● notebook.ipynb  Python 3 (ipykernel) · busy 12s · 1.2 GB 98%",
		98:  " ● notebook.ipynb  Python 3 (i… · busy 12s · 1.2 GB 98%",
		80:  " ● notebook.ipynb  Python… · busy 12s", // the kernel's name comes first
	} {
		if left, _, _ := p.fit(width); left != want {
			t.Errorf("%d columns: %q, want %q", width, left, want)
		}
	}
	for width := range 200 {
		left, keys, right := p.fit(width)
		if n := ansi.StringWidth(left + keys + right); n > width {
			t.Errorf("%d columns: %d are taken", width, n)
		}
	}
}
