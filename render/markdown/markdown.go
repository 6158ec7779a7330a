package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"charm.land/glamour/v2"

	"github.com/nbterm/nbterm/themes"
)

// Limit is the length in bytes of a text above which it is refused: drawing it would take
// seconds where it is odd. Pictures within the text do not count.
const Limit = 64 << 10

// ErrTooLong is returned for a text longer than Limit, or with tables of too many cells.
var ErrTooLong = errors.New("the Markdown is too long to draw")

// ErrTooDeep is returned for blocks nested too deeply to be drawn.
var ErrTooDeep = errors.New("the Markdown is nested too deeply to draw")

// Render draws text, which holds no control characters but \n and \t, wrapped at about
// width cells. Lines have no padding at their end, and there are no blank lines around.
// The caller shows the text as it is where there is an error.
func Render(text string, width int, th *themes.Theme) (out string, err error) {
	text = shortenData(text)
	if len(text) > Limit || tooWide(text) {
		return "", ErrTooLong
	}
	// Cells are other people's texts, and the library has panicked on odd ones (narrow
	// tables, deep nesting). A cell that cannot be drawn must not end the program.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("drawing Markdown: %v", p)
		}
	}()
	text = flatten(text, width)
	if tooDeep(text) {
		return "", ErrTooDeep
	}
	options := []glamour.TermRendererOption{
		glamour.WithStyles(config(th)),
		glamour.WithWordWrap(max(width, 1)),
	}
	if keepLines.MatchString(text) {
		options = append(options, glamour.WithPreservedNewLines())
	}
	r, err := glamour.NewTermRenderer(options...)
	if err != nil {
		return "", fmt.Errorf("drawing Markdown: %w", err)
	}
	out, err = r.Render(text)
	if err != nil {
		return "", fmt.Errorf("drawing Markdown: %w", err)
	}
	if out = trim(out); out == "" {
		return strings.TrimSpace(text), nil // nothing but tags, such as a picture's: say so
	}
	return out, nil
}

// padding is what Glamour fills lines with.
var padding = regexp.MustCompile(`(?m)(?:\x1b\[[0-9;]*m|[ \t])+$`)

// tooEmpty matches the empty lines that Glamour leaves below a list: one for each list, or
// block of code, that ends there. Those within code stand before its margin.
var tooEmpty = regexp.MustCompile(`\n(?:(?:\x1b\[m)?\n){2,}((?:\x1b\[[0-9;]*m)*(?:[^ \n\x1b]|\x1b\]))`)

func trim(out string) string {
	out = padding.ReplaceAllString(out, "\x1b[m")
	out = tooEmpty.ReplaceAllString(out, "\n\n$1")
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
