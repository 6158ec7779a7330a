package notebook

import "strings"

// Heading is one heading of a Markdown cell.
type Heading struct {
	Level int // 1 to 6
	Text  string
	Line  int // of the source, from 0
}

// Headings returns the headings of a Markdown cell: lines that begin with #, and lines
// underlined by = or - (CommonMark 4.2 and 4.3), outside of fenced code.
func Headings(c *Cell) []Heading {
	if c.Type != Markdown {
		return nil
	}
	var out []Heading
	fence := ""
	before := ""
	for i, line := range strings.Split(c.Source, "\n") {
		text := strings.TrimLeft(line, " ")
		if len(line)-len(text) > 3 {
			before = ""
			continue
		}
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]+" ") == "" {
				fence = ""
			}
			text = ""
		case fenceOf(text) != "":
			fence = fenceOf(text)
			text = ""
		default:
			if h, ok := atx(text); ok {
				h.Line = i
				out = append(out, h)
				text = ""
			} else if level := underline(text); level > 0 && before != "" {
				out = append(out, Heading{Level: level, Text: strings.TrimSpace(before), Line: i - 1})
				text = ""
			}
		}
		before = text
	}
	return out
}

// fenceOf is the fence that a line opens, "" for none.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 {
			return strings.Repeat(c, n)
		}
	}
	return ""
}

func atx(text string) (Heading, bool) {
	rest := strings.TrimLeft(text, "#")
	level := len(text) - len(rest)
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return Heading{}, false
	}
	rest = strings.TrimSpace(rest)
	if cut := strings.TrimRight(rest, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		rest = strings.TrimSpace(cut)
	}
	return Heading{Level: level, Text: rest}, true
}

// underline is the level that a line gives the one above it, 0 for none.
func underline(text string) int {
	text = strings.TrimRight(text, " ")
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}
