package markdown

import (
	"regexp"
	"strings"
)

// dataURI matches a picture within the text, which may be megabytes.
var dataURI = regexp.MustCompile(`(data:[\w./+-]*(?:;[\w=-]+)*,)[A-Za-z0-9+/=%_.~-]{64,}`)

func shortenData(text string) string {
	if !strings.Contains(text, "data:") {
		return text
	}
	return dataURI.ReplaceAllString(text, "${1}…")
}

// deepQuote matches the marks of nested quotes at a line's start.
var deepQuote = regexp.MustCompile(`(?m)^( {0,3}(?:> ?){4,})`)

// flatten keeps quotes within quotes to what leaves room for their text.
func flatten(text string, width int) string {
	most := max(3, width/8)
	return deepQuote.ReplaceAllStringFunc(text, func(marks string) string {
		if n := strings.Count(marks, ">"); n > most {
			return strings.Repeat("> ", most)
		}
		return marks
	})
}

// deepBlocks matches blocks within blocks beyond what a person writes. Glamour's time and
// memory grow with the square of the depth and more: one line could end the program.
var deepBlocks = regexp.MustCompile(`(?m)^[ \t]*(?:(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])[ \t]*){12,}.*$|^[ \t]{64,}(?:[-+*>]|\d{1,9}[.)]).*$`)

// tooDeep tells whether a text must not be drawn. Rules such as "- - - -" are only long.
func tooDeep(text string) bool {
	for _, line := range deepBlocks.FindAllString(text, -1) {
		if marks := strings.NewReplacer(" ", "", "\t", "").Replace(line); strings.Trim(marks, "-") != "" && strings.Trim(marks, "*") != "" {
			return true
		}
	}
	return false
}

// keepLines matches where a paragraph's line breaks mean something: hard breaks, and
// tables that are none.
var keepLines = regexp.MustCompile(`(?m)(?:  |\\)$|^ {0,3}\|`)
