package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"charm.land/glamour/v2"

	"github.com/nbterm/nbterm/themes"
)

// Limit is the length in bytes of a text above which it is refused: the time to draw it
// would be felt.
const Limit = 256 << 10

// ErrTooLong is returned for a text longer than Limit.
var ErrTooLong = errors.New("the Markdown is too long to draw")

// Render draws text, which holds no control characters but \n and \t, wrapped at about
// width cells. Lines have no padding at their end, and there are no blank lines around.
// The caller shows the text as it is where there is an error.
func Render(text string, width int, th *themes.Theme) (out string, err error) {
	if len(text) > Limit {
		return "", ErrTooLong
	}
	// Cells are other people's texts, and the library has panicked on odd ones (narrow
	// tables, deep nesting). A cell that cannot be drawn must not end the program.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("drawing Markdown: %v", p)
		}
	}()
	r, err := glamour.NewTermRenderer(
		glamour.WithStyles(config(th)),
		glamour.WithWordWrap(max(width, 1)),
	)
	if err != nil {
		return "", fmt.Errorf("drawing Markdown: %w", err)
	}
	out, err = r.Render(flatten(text, width))
	if err != nil {
		return "", fmt.Errorf("drawing Markdown: %w", err)
	}
	return trim(out), nil
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

// padding is what Glamour fills lines with.
var padding = regexp.MustCompile(`(?m)(?:\x1b\[[0-9;]*m|[ \t])+$`)

func trim(out string) string {
	out = padding.ReplaceAllString(out, "\x1b[m")
	lines := strings.Split(out, "\n")
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

func blank(line string) bool { return line == "" || line == "\x1b[m" }
