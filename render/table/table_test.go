package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// draw returns the lines of the only table in a page.
func draw(t testing.TB, page string, width, skip int) []string {
	t.Helper()
	parts := Parse(page)
	if len(parts) != 1 || parts[0].Table == nil {
		t.Fatalf("%q: parts %v", page, parts)
	}
	th := themes.NoColor()
	l := parts[0].Table.Layout(width, skip, &th)
	var out []string
	for i := range l.Height() {
		line := l.Line(i)
		if w := ansi.Width(line); w > width {
			t.Errorf("%q is %d wide, not %d", line, w, width)
		}
		out = append(out, ansi.Strip(line))
	}
	return out
}

func is(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name, page string
		want       []string
	}{
		{"numbers at the right", "<table><tr><th>a<th>b<tr><td>x<td>1<tr><td>yy<td>-22.5", []string{
			"a       b", "─────────", "x       1", "yy  -22.5",
		}},
		{"without a header", "<table><tr><td>2024-01-02<td>1 €<tr><td>2024-01-10<td>NaN</table>", []string{
			"2024-01-02  1 €", "2024-01-10  NaN",
		}},
		{"spans", "<table><tr><th colspan=2>both<th>c<tr><td rowspan=2>l<td>m<td>n<tr><td>o<td>p</table>", []string{
			"both  c", "───────", "l  m  n", "   o  p",
		}},
		{"a span wider than its columns", "<table><tr><th colspan=2>a long header<tr><td>1<td>2</table>", []string{
			"a long header", "─────────────", "1           2",
		}},
		{"ragged rows", "<table><tr><td>a<tr><td>b<td>c<tr></table>", []string{"a", "b  c", ""}},
		{"markup, lines and entities", "<table><tr><td><b>a</b>\n <i>b</i><br>c&nbsp;&lt;d&gt;<style>x{}</style><script>y</script></table>", []string{"a b c <d>"}},
		{"controls", "<table><tr><td>a&#27;[31mb\x1b]52;c;x\x07c&#x9b;2J\u202ed&#7;</table>", []string{"abc›2Jd"}},
		{"sides", "<table><tr><th align=right>a<th align=center>b<th align=left>c<tr><td align=right>long<td align=center>x<td align=left>1<tr><td align=right>x<td align=center>wide<td align=left>22", []string{
			"   a   b    c", "──────────────", "long   x    1", "   x  wide  22",
		}},
		{"a picture's words", "<table><tr><td><img alt='a plot' src=x>", []string{"a plot"}},
		{"nonsense spans", "<table><tr><td colspan=-1 rowspan=x>a<td colspan=0>b</table>", []string{"a  b"}},
	} {
		is(t, c.name, draw(t, c.page, 40, 0), c.want...)
	}
}

func TestSideways(t *testing.T) {
	const page = "<table><thead><tr><th><th>one<th>two<th>three</thead><tbody><tr><th>row<td>aaaaaa<td>bbbbbb<td>cccccc</table>"
	is(t, "all", draw(t, page, 30, 0), "     one     two     three", "───────────────────────────", "row  aaaaaa  bbbbbb  cccccc")
	is(t, "cut", draw(t, page, 22, 0), "     one     two     …", "──────────────────────", "row  aaaaaa  bbbbbb  …", "columns 1–2 of 3")
	is(t, "moved", draw(t, page, 22, 1), "     …  two     three", "──────────────────────", "row  …  bbbbbb  cccccc", "columns 2–3 of 3")
	is(t, "to the end", draw(t, page, 22, 9), "     …  three", "──────────────", "row  …  cccccc", "column 3 of 3")
	for width := range 30 {
		for skip := range 4 {
			draw(t, page, max(width, 1), skip)
		}
	}
}

func TestParts(t *testing.T) {
	parts := Parse("<h1>Title</h1><p>one\ntwo</p><table><tr><td><table><tr><td>in</table><td>beside</table><ul><li>x<li>y</ul><script>z</script>")
	if len(parts) != 3 || parts[0].Text != "Title\none two" || parts[1].Table == nil || parts[2].Text != "beside\n• x\n• y" {
		t.Errorf("%+v", parts)
	}
	for _, none := range []string{"", "<script>x</script>", "<!-- x -->", strings.Repeat("x", maxSource+1), strings.Repeat("<b><div>", 5000)} {
		if parts := Parse(none); len(parts) != 0 {
			t.Errorf("%.40q: %d parts", none, len(parts))
		}
	}
	bomb := "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>x", 1000) + "</table>"
	if parts := Parse(bomb); HasTable(parts) {
		t.Error("a table of a million cells is drawn")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("<table><tr><th colspan=2 rowspan=2>a<td>b<tr><td>c<caption>d</table>e", uint8(20), uint8(1))
	f.Fuzz(func(t *testing.T, page string, width, skip uint8) {
		th := themes.NoColor()
		w := max(int(width), 1)
		for _, p := range Parse(page) {
			if p.Table == nil {
				continue
			}
			l := p.Table.Layout(w, int(skip), &th)
			for i := range l.Height() {
				if line := l.Line(i); ansi.Width(line) > w {
					t.Fatalf("%q is wider than %d", line, w)
				}
			}
		}
	})
}

// big is what pandas writes of a frame that it shows whole.
func big(rows, cols int) string {
	var b strings.Builder
	b.WriteString("<div>\n<table border=\"1\" class=\"dataframe\">\n  <thead>\n    <tr>\n      <th></th>\n")
	for c := range cols {
		fmt.Fprintf(&b, "      <th>column %d</th>\n", c)
	}
	b.WriteString("    </tr>\n  </thead>\n  <tbody>\n")
	for r := range rows {
		fmt.Fprintf(&b, "    <tr>\n      <th>%d</th>\n", r)
		for c := range cols {
			fmt.Fprintf(&b, "      <td>%d.%04d</td>\n", r, c*r%10000)
		}
		b.WriteString("    </tr>\n")
	}
	b.WriteString("  </tbody>\n</table>\n</div>")
	return b.String()
}

// BenchmarkPandas reads a table of 1,000 rows and 21 columns and draws one screen of it.
func BenchmarkPandas(b *testing.B) {
	page := big(1000, 21)
	th := themes.Dark()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		l := Parse(page)[0].Table.Layout(120, 0, &th)
		for i := range 48 {
			l.Line(i)
		}
	}
}
