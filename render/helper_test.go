package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with testdata/name.golden. Escapes are written as ␛.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛")
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", path, got)
	}
}

// load reads the cells of a notebook in testdata.
func load(t testing.TB, name string) []Cell {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	nb, err := rawjson.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var cells []Cell
	for _, c := range nb.Get("cells").Elements() {
		n, _ := c.Get("execution_count").Int()
		cells = append(cells, Cell{
			Type:     c.Get("cell_type").Str(),
			Source:   mime.JoinText(c.Get("source")),
			Language: "python",
			Count:    n,
			Outputs:  mime.ReadOutputs(c.Get("outputs")),
		})
	}
	return cells
}

func show(t testing.TB, cells []Cell, opt ShowOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Notebook(&b, cells, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check fails where text breaks what every Block promises.
func check(t testing.TB, lines []string, width int) {
	t.Helper()
	for _, l := range lines {
		plain := sgr.ReplaceAllString(l, "")
		for _, r := range plain {
			if r < 0x20 || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q holds %q", l, r)
			}
		}
		if w := ansi.Width(l); w > width {
			t.Errorf("%q is %d cells wide, not %d", l, w, width)
		}
		if s := sgr.FindAllString(l, -1); len(s) > 0 && s[len(s)-1] != "\x1b[m" {
			t.Errorf("%q stays open", l)
		}
	}
}

func stdout(text string) mime.Body { return &mime.Stream{Name: "stdout", Text: mime.TextOf(text)} }

// lines returns all of a block, plain.
func lines(b Block, width int) []string {
	var out []string
	for _, l := range b.Lines(width, 0, b.Height(width)+1) {
		out = append(out, sgr.ReplaceAllString(l, ""))
	}
	return out
}

func is(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

var allThemes = []themes.Theme{themes.Dark(), themes.Light(), themes.NoColor()}
