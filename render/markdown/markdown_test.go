package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m|\x1b\]8;[^\x07]*\x07`)

func TestRender(t *testing.T) {
	th := themes.Dark()
	for _, c := range []struct{ in, want string }{
		{"a\nb", "a b"},
		{"a  \nb", "a\nb"},
		{"| a | b |\n|---|\n| c |", "| a | b |\n|---|\n| c |"},
		{"", ""},
		{`<img src="a.png">`, `<img src="a.png">`},
		{"- a\n  - b\n    - c\n\n1. d\n   - e\n\n**text**", "• a\n  • b\n    • c\n\n1. d\n  • e\n\ntext"},
		{"    • a\n\n\n    • b", "  • a\n\n\n  • b"},
		{"- - - - - - - - - - - - - - - -", "────────"},
	} {
		out, err := Render(c.in, 60, &th)
		if got := escapes.ReplaceAllString(out, ""); err != nil || got != c.want {
			t.Errorf("%q became %q, want %q (%v)", c.in, got, c.want, err)
		}
	}
	cells := strings.Repeat("|a", 1000) + "\n" + strings.Repeat("|-", 1000) + strings.Repeat("\n|", 1000)
	for _, text := range []string{strings.Repeat("x", Limit+1), cells} {
		if _, err := Render(text, 60, &th); !errors.Is(err, ErrTooLong) {
			t.Errorf("too long: %v", err)
		}
	}
}

// TestTooDeep draws nothing of what would take gigabytes to draw.
func TestTooDeep(t *testing.T) {
	th := themes.Dark()
	for _, unit := range []string{"- ", "1. ", "* > ", "+\t"} {
		if _, err := Render(strings.Repeat(unit, 1000)+"x", 60, &th); !errors.Is(err, ErrTooDeep) {
			t.Errorf("%q: %v", unit, err)
		}
	}
	if _, err := Render(strings.Repeat(" ", 80)+"- x", 60, &th); !errors.Is(err, ErrTooDeep) {
		t.Errorf("indented: %v", err)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a", "a"},
		{"a\n```py\nx\n\ny\n```\nb", "a|py:x\n\ny|b"},
		{"```{.r .x}\nx\n```", "r:x"},
		{"~~~~ \nx\n~~~\n~~~~~\nb", ":x\n~~~|b"},
		{"```\nnever closed", ":never closed"},
		{"- a\n  ```\n  x\n  ```", "- a\n  ```\n  x\n  ```"},
		{"[a]\n```\nx\n```\n[a]: b", "[a]\n```\nx\n```\n[a]: b"},
		{"a ```x``` b", "a ```x``` b"},
		{"```\n```", ":"},
	} {
		var parts []string
		for _, p := range split(c.in) {
			text := p.Text
			if p.Kind == Code {
				text = fmt.Sprint(p.Language, ":", text)
			}
			parts = append(parts, text)
		}
		if got := strings.Join(parts, "|"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
