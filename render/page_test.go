package render

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

// htmlOutput draws an output that has HTML and plain text.
func htmlOutput(html string, th themes.Theme) Block {
	return Output(bundle("text/html", html, "text/plain", "plain"), th)
}

// TestPandas draws what pandas writes (testdata/html, made by frames.py).
func TestPandas(t *testing.T) {
	files, err := filepath.Glob("testdata/html/*.html")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		html, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		for _, width := range []int{80, 20} {
			b := htmlOutput(string(html), themes.Dark())
			drawn := b.Lines(width, 0, b.Height(width))
			check(t, drawn, width)
			golden(t, filepath.Join("html", name+"-"+strconv.Itoa(width)), strings.Join(drawn, "\n")+"\n")
			for _, th := range allThemes {
				check(t, htmlOutput(string(html), th).Lines(1, 0, 99), 1)
			}
		}
	}
}

func TestPan(t *testing.T) {
	b := htmlOutput("<p>above</p><table><tr><th>first<th>second<tr><td>a<td>b</table>", themes.NoColor())
	if Pan(b, 1) {
		t.Error("what was never drawn was scrolled")
	}
	is(t, "at first", lines(b, 9), "above", "first  …", "────────", "a      …", "column 1…")
	if !Pan(b, 1) {
		t.Error("it does not scroll")
	}
	is(t, "scrolled", lines(b, 9), "above", "…  second", "─────────", "…  b", "column 2…")
	if Pan(b, 1) {
		t.Error("it scrolls past the last column")
	}
	if !Pan(b, -1) || Pan(b, -1) {
		t.Error("it does not scroll back to the first")
	}
	is(t, "wide", lines(b, 20), "above", "first  second", "─────────────", "a      b")
	if Pan(b, 1) || Pan(Output(stdout("x"), themes.Dark()), 1) {
		t.Error("what fits was scrolled")
	}
}

// TestPlainOrPage holds which of both is drawn.
func TestPlainOrPage(t *testing.T) {
	const object = "<IPython.core.display.HTML object>"
	for _, c := range []struct{ html, plain, want string }{
		{"<b>bold</b>", "plain", "plain"},
		{"<b>bold</b> and\n more", object, "bold and more"},
		{"<script>x</script>", object, "[text/html, 18 B]\n" + object},
		{"<table><tr><td>cell</table>", "plain", "cell"},
		{"<table></table>", "plain", "plain"},
	} {
		is(t, c.html, lines(Output(bundle("text/html", c.html, "text/plain", c.plain), themes.Dark()), 40), strings.Split(c.want, "\n")...)
	}
	is(t, "with more", lines(Output(bundle("text/html", "<p>x</p>", "application/json", "{}"), themes.Dark()), 40), "{}")
}
