package highlight

import "strings"

// quote is the triple quote that a line starts within, "" for none.
type quote string

// nextQuote returns what the line after line starts within, if line starts within q.
// A line that is all code is its own start, so any line can be lexed alone.
func nextQuote(line string, q quote) quote {
	i := 0
	if q != "" {
		end := endOf(line, q)
		if end < 0 {
			return q
		}
		i = end
	}
	for i < len(line) {
		switch c := line[i]; {
		case c == '#':
			return ""
		case c != '"' && c != '\'':
			i++
		case strings.HasPrefix(line[i:], strings.Repeat(string(c), 3)):
			q = quote(line[i : i+3])
			end := endOf(line[i+3:], q)
			if end < 0 {
				return q
			}
			i += 3 + end
		default:
			end := endOf(line[i+1:], quote(line[i:i+1]))
			if end < 0 {
				return ""
			}
			i += 1 + end
		}
	}
	return ""
}

// endOf returns where a string that q ends is over, given what follows its start; -1 if it goes on.
func endOf(text string, q quote) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if strings.HasPrefix(text[i:], string(q)) {
			return i + len(q)
		}
	}
	return -1
}
