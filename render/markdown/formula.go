package markdown

import (
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/render/latex"
)

// environment matches the beginning of a formula that needs no other delimiters.
var environment = regexp.MustCompile(`^\\begin\{((?:equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign)\*?)\}`)

// formulaLength is the length of the formula at the beginning of text, 0 for none. The
// delimiters are those of Jupyter and of LaTeX itself. Of a single dollar sign the rules of
// Pandoc hold: no space within, and no digit behind, so that prices are none.
func formulaLength(text string) int {
	if m := environment.FindStringSubmatch(text); m != nil {
		return closed(text, len(m[0]), `\end{`+m[1]+`}`)
	}
	for _, d := range [...]struct{ open, close string }{
		{"$$", "$$"}, {`\\[`, `\\]`}, {`\\(`, `\\)`}, {`\[`, `\]`}, {`\(`, `\)`},
	} {
		if !strings.HasPrefix(text, d.open) {
			continue
		}
		n := closed(text, len(d.open), d.close)
		if n == 0 || d.open[0] == '\\' && !mathLike(text[len(d.open):n-len(d.close)]) {
			return 0 // brackets that are escaped
		}
		return n
	}
	if strings.HasPrefix(text, "$") {
		return dollars(text)
	}
	return 0
}

// closed is the length up to the end of what closes a formula, 0 where nothing is in it.
func closed(text string, from int, end string) int {
	i := strings.Index(text[from:], end)
	if i < 0 || strings.TrimSpace(text[from:from+i]) == "" {
		return 0
	}
	return from + i + len(end)
}

// mathLike tells a formula from words.
func mathLike(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) <= 2 || strings.ContainsAny(s, `\^_=+<>`)
}

// dollars is the length of a formula between single dollar signs.
func dollars(text string) int {
	if len(text) < 3 || strings.ContainsRune(" \t\n$", rune(text[1])) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		if text[i] == '`' {
			return 0 // a span of code begins, which may have the next one
		}
		if i == 1 || text[i] != '$' || text[i-1] == '\\' {
			continue
		}
		inner := text[1:i]
		switch {
		case strings.ContainsRune(" \t\n", rune(text[i-1])),
			i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9',
			strings.Contains(inner, "\n") && !mathLike(inner):
			return 0
		}
		return i + 1
	}
	return 0
}

// isDisplay tells whether a formula stands in lines of its own.
func isDisplay(text string) bool {
	return strings.HasPrefix(text, "$$") || strings.HasPrefix(text, `\begin{`) || strings.HasPrefix(text, `\[`) || strings.HasPrefix(text, `\\[`)
}

// source is a formula with delimiters of LaTeX alone.
func source(text string) string {
	if strings.HasPrefix(text, `\\[`) || strings.HasPrefix(text, `\\(`) {
		return text[1:len(text)-3] + text[len(text)-2:]
	}
	return text
}

// markup is what Markdown would read as its own within a formula, as far as Glamour
// takes the backslash before it off again.
var markup = regexp.MustCompile("[\\\\*_\\[\\]<>{}()#|!`+-]")

// literal escapes a text so that it is shown as it is.
func literal(text string) string {
	return strings.ReplaceAll(markup.ReplaceAllString(text, `\$0`), "\n", "  \n")
}

// inline is a formula among words: in letters of Unicode, or its source where that
// does not do.
func inline(text string) string {
	if lines, ok := latex.Lines(source(text)); ok {
		return literal(strings.Join(lines, "\n"))
	}
	return literal(text)
}
