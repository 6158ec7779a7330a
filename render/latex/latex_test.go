package latex

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`$x^2$`:                                               "x²",
		`$$E = mc^{2}$$`:                                      "E = mc²",
		`$\displaystyle \frac{x}{2}$`:                         "x/2",
		`\frac{a+b}{2 c}`:                                     "(a+b)/(2 c)",
		`\alpha_{i}^{n+1}\leq\beta`:                           "αᵢⁿ⁺¹ ≤ β",
		`\int_{0}^{\infty} e^{- x^{2}}\, dx`:                  "∫₀^∞ e^(- x²) dx",
		`\sqrt{2} \sqrt[3]{x y} \sqrt[5]{x}`:                  "√2 ∛(x y) ⁵√x",
		`\sin{\left(x \right)} + \cos x`:                      "sin(x) + cos x",
		`2 \log n\sin n`:                                      "2 log n sin n",
		`\left[\begin{matrix}1 & 2\\3 & 4\end{matrix}\right]`: "[1 2; 3 4]",
		`\begin{pmatrix}a\\b\\\end{pmatrix}`:                  "(a; b)",
		`\mathbb{R} \to \mathcal{L}`:                          "ℝ → ℒ",
		`\hat{x} + \vec v`:                                    "x̂ + v⃗",
		`\sum_{k=1}^{n} k = \frac{n(n+1)}{2}`:                 "∑ₖ₌₁ⁿ k = (n(n+1))/2",
		`f'(x)\neq 0`:                                         "f′(x) ≠ 0",
		`\[ \text{if } a < b \]`:                              "if a < b",
		`\begin{equation}x_{max}\end{equation}`:               "xₘₐₓ",
		`\left. x \right|_{q}`:                                "x|_q",
		`\{a\}`:                                               "{a}",
	} {
		if got, ok := Text(in); !ok || got != want {
			t.Errorf("%s: %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestWhatIsNotKnown(t *testing.T) {
	for _, in := range []string{
		"", "$$", `\unknown`, `x^`, `{x`, `x}`, `\frac{1}`, `\left(x`, `\left`, `\left\foo x\right)`, `\begin{array}{cc}1`, `\begin`,
		`\hat{xy}`, `a & b`, `a \\ b`, `\mathbb{a}`, `\sqrt[`, `\sqrt[q]{x}`, `\end{x}`, `\`, `$x$ and $y$`,
		strings.Repeat("{", 300) + strings.Repeat("}", 300), strings.Repeat("x", maxLength+1), strings.Repeat(`\left(`, 400),
	} {
		if got, ok := Text(in); ok {
			t.Errorf("%.60s: %q", in, got)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`$$x^2$$`, "x²"},
		{`\begin{align*}
a_1 &= b + 1 \\[2pt]
    &\le \frac{c}{d} \nonumber \\
\end{align*}`, "a₁ = b + 1|≤ c/d"},
		{`\begin{equation}\label{eq:one}\begin{aligned} x &= 1 \\ y &= \begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix} \end{aligned}\end{equation}`, "x = 1|y = (1 2; 3 4)"},
		{`f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}`, "f(x) = { 1 x > 0; 0 else"},
		{`a \\ b`, "a|b"},
		{`E = mc^2 \tag{1}`, "E = mc² (1)"},
		{`a \\ \unknown`, ""},
		{`\\`, ""},
		{``, ""},
	} {
		got, ok := Lines(c.in)
		if strings.Join(got, "|") != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.in, got, ok, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(`\left(\frac{a^2}{\sqrt[3]{b_1}}\right) \begin{matrix}1&2\\3\end{matrix}`)
	f.Fuzz(func(t *testing.T, s string) {
		if text, ok := Text(s); ok && (text == "" || strings.ContainsRune(text, '\n')) {
			t.Errorf("%q becomes %q", s, text)
		}
		if lines, ok := Lines(s); ok && len(lines) == 0 {
			t.Errorf("%q becomes no lines", s)
		}
	})
}
