package latex

import (
	"regexp"
	"strings"
)

// rows matches the environments whose lines are formulas of their own, with what their
// beginning takes.
var rows = regexp.MustCompile(`^\\begin\{((?:align|alignat|aligned|alignedat|gather|gathered|multline|eqnarray|flalign|split)\*?)\}(?:\{\d+\})?(?:\[[a-z]\])?`)

// unnumbered matches what says how a formula is numbered, which nothing shows.
var unnumbered = regexp.MustCompile(`\\label\{[^{}]*\}|\\nonumber\b|\\notag\b`)

// Lines is Text for a formula that may have several lines: each is one line of text.
func Lines(source string) (lines []string, ok bool) {
	inner := bare(unnumbered.ReplaceAllString(bare(source), ""))
	if m := rows.FindStringSubmatch(inner); m != nil && strings.HasSuffix(inner, `\end{`+m[1]+`}`) {
		inner = inner[len(m[0]) : len(inner)-len(`\end{}`)-len(m[1])]
	}
	for _, row := range cut(inner) {
		if strings.TrimSpace(row) == "" {
			continue
		}
		line, ok := Text(row)
		if !ok {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, len(lines) > 0
}

// rowEnd matches what ends a line, with the distance to the next one.
var rowEnd = regexp.MustCompile(`^\\\\\*?(?:\s*\[[^\]\n]*\])?`)

// cut takes a formula apart at the ends of its lines, and takes out the places where lines
// are aligned. What is within braces and environments stays.
func cut(s string) (out []string) {
	var row strings.Builder
	depth := 0
	for i := 0; i < len(s); {
		n := 1
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, `\begin{`):
			depth++
			n = len(`\begin`)
		case strings.HasPrefix(rest, `\end{`):
			depth--
			n = len(`\end`)
		case strings.HasPrefix(rest, `\\`) && depth <= 0:
			out = append(out, row.String())
			row.Reset()
			i += len(rowEnd.FindString(rest))
			continue
		case rest[0] == '\\' && len(rest) > 1:
			n = 2
		case rest[0] == '{':
			depth++
		case rest[0] == '}':
			depth--
		case rest[0] == '&' && depth <= 0:
			i++
			continue
		}
		row.WriteString(s[i : i+n])
		i += n
	}
	return append(out, row.String())
}
