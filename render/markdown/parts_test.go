package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

// named knows one attached picture.
func named(p Picture) (string, bool) {
	if p.Name == "" {
		return p.Alt + " 8x8", true
	}
	return p.Name + " 8x8", p.Name == "dot.png" || p.Name == "my dot.png"
}

// tell writes parts as one line: kind, text, kind, text …
func tell(parts []Part) string {
	var out []string
	for _, p := range parts {
		text := strings.TrimSpace(p.Text)
		switch p.Kind {
		case Code:
			text = "code:" + p.Language + ":" + text
		case Formula:
			text = "formula:" + text
		case HTML:
			text = "html:" + text
		case Image:
			text = fmt.Sprintf("image:%s%.30s", p.Picture.Name, p.Picture.Data)
		case Table:
			text = "table:" + text + ":" + strings.NewReplacer("\n", "", "<thead>", "", "</thead>", "", "<tbody>", "", "</tbody>", "").Replace(p.HTML)
		case Prose:
		}
		out = append(out, text)
	}
	return strings.Join(out, "|")
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain *text*\n\nmore", "plain *text*\n\nmore"},
		// formulas
		{"a $x_1$ b", "a x₁ b"},
		{`a \(x_1\) and \\(y\\) b`, `a x₁ and y b`},
		{`$\foo_1$`, `$\\foo\_1$`},
		{"$5 and $6, US$7, $8-$9, ($10) \\$11 $", "$5 and $6, US$7, $8-$9, ($10) \\$11 $"},
		{"`$x_1$` and ``a`$y$`` $z^2$", "`$x_1$` and ``a`$y$`` z²"},
		{"$5 and $6, `$x_1$` and $y_1$", "$5 and $6, `$x_1$` and y₁"},
		{"```\n$x_1$\n```\n$x_1$", "code::$x_1$|x₁"},
		{"- a\n\n  ```\n  $x_1$\n  ```\n- $x_1$", "- a\n\n  ```\n  $x_1$\n  ```\n- x₁"},
		{"text\n\n    $x_1$\n\n$x_1$", "text\n\n    $x_1$\n\nx₁"},
		{"- item\n\n    $x_1$", "- item\n\n    x₁"},
		{"a\n$$\nx^2\n$$\nb", "a|formula:$$\nx^2\n$$|b"},
		{"a $$x^2$$ b", "a x² b"},
		{"- $$x^2$$", "- x²"},
		{"\\begin{align}\na &= b\n\\end{align}", "formula:\\begin{align}\na &= b\n\\end{align}"},
		{`\[ x^2 \]`, `formula:\[ x^2 \]`},
		{`\\[ x^2 \\]`, `formula:\[ x^2 \]`},
		{`see \[the note\] and \[1\] \(or not\)`, `see \[the note\] and 1 \(or not\)`},
		{"$a$ and $b\n\nc$", "a and $b\n\nc$"},
		{"a $$ b", "a $$ b"},
		// HTML
		{"<b>bold</b> <i> it </i><em></em>x<sup>2</sup>H<sub>2</sub>O<sup>TM?</sup>", `**bold**  *it* x²H₂O^\(TM?\)`},
		{"a<br>b<BR/>c", "a  \nb  \nc"},
		{"| a<br>b | c |", "| a b | c |"},
		{"`<b>` <code>a*b</code> <kbd>Ctrl</kbd>", "`<b>` `a*b` `Ctrl`"},
		{`<a href="http://x.y/a b">link</a> <a name="here">there</a>`, `[link](http://x.y/a%20b) there`},
		{"<details><summary>More</summary>\n\nHidden *text*\n</details>", "▾ **More**\n\n\n\nHidden *text*"},
		{"<div>\n    <p>one</p>\n    two\n</div>", "one\n\n\ntwo"},
		{"<ul><li>one</li><li>two</li></ul>", "- one\n- two"},
		{"<h2>Head</h2>text", "## Head\n\ntext"},
		{"<!-- $x$ <b> -->a<script>b()</script><style>c {}</style>", "a"},
		{"<pre>a &lt; b\n  <b>c</b></pre>", "~~~~\na < b\n  c\n~~~~"},
		{`<img src="plot.png" alt="a plot" width=5>`, "![a plot](plot.png)"},
		{"a < b > c, vector<int> x, <https://x.y>", "a < b > c, vector<int> x, <https://x.y>"},
		{"x\n<table><tr><td><table></table></td></tr></table>\ny", "x|html:<table><tr><td><table></table></td></tr></table>|y"},
		{"- <table><tr><td>a</td><td>b</td></tr></table>", "- \n\na  b"},
		{"<table> never closed", "never closed"},
		// pictures
		{"![d](attachment:dot.png)", "image:dot.png"},
		{`<img src="attachment:dot.png"/>`, "image:dot.png"},
		{"![d](attachment:my%20dot.png)", "image:my dot.png"},
		{"see ![d](attachment:dot.png) here\n\nmore", `see \[dot.png 8x8\] here|image:dot.png|more`},
		{"- ![d](attachment:dot.png)", `- \[dot.png 8x8\]`},
		{"![d](attachment:gone.png)", `\[gone.png 8x8\]`},
		{"![d](data:image/png;base64,AAAA)\n\n`![d](data:image/png;base64,BBBB)`", "image:data:image/png;base64,AAAA|`![d](data:image/png;base64,BBBB…)`"},
		{"![d](plot.png)", "![d](plot.png)"},
		{"`![d](attachment:dot.png)`", "`![d](attachment:dot.png)`"},
		// links that are defined elsewhere
		{"[a]\n\n$$x$$\n\n[a]: http://x.y\n", "[a]\n\n[a]: http://x.y|formula:$$x$$|[a]: http://x.y"},
	} {
		if got := tell(Parts(c.in, named)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestTablesOfMarkdown(t *testing.T) {
	const one = "|a|\n|-|\n|1|"
	const drawn = "table:" + one + ":<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"
	for _, c := range []struct{ in, want string }{
		{one, drawn},
		{"\n\n" + one + "\n", drawn},
		{"above\n" + one + "\n\nbelow\n" + one, "above|" + drawn + "|below|" + drawn},
		{"above\n\n" + one + "\n# below", "above|" + drawn + "|# below"},
		{"$$x$$\n" + one, "formula:$$x$$|" + drawn},
		{"a|b|c\n:-|:-:|-:\n`x\\|y`|**b** $z^2$|[l](u)", "table:a|b|c\n:-|:-:|-:\n`x\\|y`|**b** z²|[l](u):<table>" +
			`<tr><th align="left">a</th><th align="center">b</th><th align="right">c</th></tr>` +
			`<tr><td align="left"><code>x|y</code></td><td align="center"><strong>b</strong> z²</td><td align="right"><a href="u">l</a></td></tr></table>`},
		{"|a|\n|-|\n|vector<int> <b>x</b>|", "table:|a|\n|-|\n|vector<int> **x**|:<table><tr><th>a</th></tr><tr><td>vector&lt;int&gt; <strong>x</strong></td></tr></table>"},
		{"|a|\n|-|\n|![d](attachment:dot.png)|", "table:|a|\n|-|\n|\\[dot.png 8x8\\]|:<table><tr><th>a</th></tr><tr><td>[dot.png 8x8]</td></tr></table>"},
		// none, or within others
		{"```\n" + one + "\n```", "code::" + one},
		{"<!-- -->\n\n~~~\n" + one + "\n~~~", "~~~\n" + one + "\n~~~"},
		{"text\n\n    |a|\n    |-|", "text\n\n    |a|\n    |-|"},
		{"- item\n\n  |a|\n  |-|", "- item\n\n  |a|\n  |-|"},
		{"> |a|\n> |-|", "> |a|\n> |-|"},
		{"|a|b|\n|-|\n|c|", "|a|b|\n|-|\n|c|"},
		{"a | b\n\n---", "a | b\n\n---"},
	} {
		if got := tell(Parts(c.in, named)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

// FuzzParts holds that nothing that can be written is lost in code, and that time is short.
func FuzzParts(f *testing.F) {
	f.Add("<b>a</b> $x$ `c` ![d](attachment:dot.png)\n\n$$y$$\n<table></table>")
	f.Add("x\n| a | b |\n|:-:|--|\n| `c\\|` | ![d](attachment:dot.png) |\ny")
	f.Add("- a\n\n    ~~~\n<div><pre></div>\\(\\[ \\begin{align}")
	th := themes.Dark()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		for _, p := range Parts(text, named) {
			if p.Kind == Prose || p.Kind == Table {
				_, _ = Render(p.Text, 40, &th) // its errors are for odd texts
			}
		}
	})
}

// What is odd and long is taken apart too: marks that nothing closes stay in the text.
func TestPartsOfOddTexts(t *testing.T) {
	for _, unit := range []string{"$a ", "` `` ", "<b ", "\\(", "\\[a^", "<!--", "- "} {
		text := strings.Repeat(unit, 8<<10/len(unit)) + "end"
		if got := tell(Parts(text, named)); len(got) < len(text)*9/10 || !strings.HasSuffix(got, "end") {
			t.Errorf("%q: %d of %d bytes are left", unit, len(got), len(text))
		}
	}
	for _, unit := range []string{"<b>", "</b>", "<table>", "<pre>", "~~~\n", "\n$$"} {
		Parts(strings.Repeat(unit, 8<<10/len(unit)), named)
	}
}
