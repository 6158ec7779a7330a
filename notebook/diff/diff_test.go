package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diff"
)

func cells(t *testing.T, sources ...string) []*notebook.Cell {
	t.Helper()
	d := notebook.New()
	first := d.Cells()[0].Key
	var list []notebook.NewCell
	for _, s := range sources {
		list = append(list, notebook.NewCell{Type: notebook.Code, Source: s})
	}
	if err := d.Do("make", notebook.Insert{Cells: list}, notebook.Delete{Keys: []notebook.CellKey{first}}); err != nil {
		t.Fatal(err)
	}
	return d.Cells()
}

// told is a diff in letters: = same, ~ changed, + added, - removed, > moved.
func told(pairs []diff.Pair) string {
	var b strings.Builder
	for _, p := range pairs {
		switch {
		case p.Old == nil:
			b.WriteByte('+')
		case p.New == nil:
			b.WriteByte('-')
		case p.Source:
			b.WriteByte('~')
		case p.Moved:
			b.WriteByte('>')
		case p.Differs():
			b.WriteByte('?')
		default:
			b.WriteByte('=')
		}
	}
	return b.String()
}

func TestCells(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"a b c", "a b c", "==="},
		{"a b c", "a c", "=-="},
		{"a c", "a b c", "=+="},
		{"a b c", "c a b", "=>>"},
		{"", "a", "+"},
		{"a b", "", "--"},
	} {
		if got := told(diff.Cells(cells(t, strings.Fields(c.old)...), cells(t, strings.Fields(c.now)...))); got != c.want {
			t.Errorf("%q → %q: %s, want %s", c.old, c.now, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	var long []string
	for i := range 20 {
		long = append(long, fmt.Sprint("line ", i))
	}
	old := strings.Join(long, "\n")
	for _, c := range []struct{ old, now, want string }{
		{"a\nb\nc", "a\nx\nc", " a|-b|+x| c"},
		{"a", "a\n", ""},
		{"", "a", "+a"},
		{"a\nb", "", "-a|-b"},
		{old, strings.Replace(old, "line 9", "new", 1), "…| line 6| line 7| line 8|-line 9|+new| line 10| line 11| line 12|…"},
	} {
		var got []string
		for _, l := range diff.Lines(c.old, c.now) {
			got = append(got, []string{" ", "-", "+", "…"}[l.Op]+l.Text)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q → %q: %s, want %s", c.old, c.now, s, c.want)
		}
	}
}
