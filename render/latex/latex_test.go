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
		"", "$$", `\unknown`, `x^`, `{x`, `x}`, `\frac{1}`, `\left(x`, `\left`, `\left\foo x\right)`, `\begin{array}{cc}1\end{array}`, `\begin`,
		`\hat{xy}`, `a & b`, `a \\ b`, `\mathbb{a}`, `\sqrt[`, `\sqrt[q]{x}`, `\end{x}`, `\`, `$x$ and $y$`,
		strings.Repeat("{", 300) + strings.Repeat("}", 300), strings.Repeat("x", maxLength+1), strings.Repeat(`\left(`, 400),
	} {
		if got, ok := Text(in); ok {
			t.Errorf("%.60s: %q", in, got)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(`\left(\frac{a^2}{\sqrt[3]{b_1}}\right) \begin{matrix}1&2\\3\end{matrix}`)
	f.Fuzz(func(t *testing.T, s string) {
		if text, ok := Text(s); ok && (text == "" || strings.ContainsRune(text, '\n')) {
			t.Errorf("%q becomes %q", s, text)
		}
	})
}
