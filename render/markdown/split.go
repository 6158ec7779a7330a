package markdown

import (
	"regexp"
	"strings"
)

// whole matches what ties the parts of a text together: reference definitions, and HTML
// within which a fence is none.
var whole = regexp.MustCompile(`(?mi)^ {0,3}\[[^\]\n]+\]:|<!--|<(pre|script|style|textarea)\b`)

// opening matches a fence at the margin. Those that are indented may belong to a list.
var opening = regexp.MustCompile("^(?:(`{3,})([^`]*)|(~{3,})(.*))$")

// split takes the fenced code out of a text, so that the caller may draw it as code; the
// rest is Prose.
func split(text string) []Part {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") || whole.MatchString(text) {
		return []Part{{Text: text}}
	}
	var parts []Part
	var lines []string
	end := func(p Part) {
		p.Text = strings.Join(lines, "\n")
		if p.Kind == Code || strings.TrimSpace(p.Text) != "" {
			parts = append(parts, p)
		}
		lines = nil
	}
	fence := ""
	var block Part
	for _, line := range strings.Split(text, "\n") {
		if fence != "" {
			if closes(line, fence) {
				end(block)
				fence = ""
			} else {
				lines = append(lines, line)
			}
			continue
		}
		m := opening.FindStringSubmatch(line)
		if m == nil {
			lines = append(lines, line)
			continue
		}
		end(Part{})
		fence = m[1] + m[3]
		block = Part{Kind: Code, Language: firstWord(m[2] + m[4])}
	}
	if fence != "" {
		end(block)
	} else {
		end(Part{})
	}
	return parts
}

func closes(line, fence string) bool {
	mark := strings.TrimSpace(line)
	return len(line)-len(strings.TrimLeft(line, " ")) <= 3 &&
		len(mark) >= len(fence) && strings.Trim(mark, fence[:1]) == ""
}

// firstWord returns the language of an info string: "python", "{python}", "{.python .x}".
func firstWord(info string) string {
	words := strings.FieldsFunc(info, func(r rune) bool { return strings.ContainsRune(" \t{},", r) })
	if len(words) == 0 {
		return ""
	}
	return strings.TrimPrefix(words[0], ".")
}
