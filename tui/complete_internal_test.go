package tui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestAPieceOverWideTextMovesNothing(t *testing.T) {
	const line = "\x1b[31m漢字\x1b[mab漢字👍e\u0301字│"
	for x := range 8 {
		for width := 1; width < 6; width++ {
			got := over(line, "#####"[:width], x, width)
			if w := ansi.StringWidth(got); w != ansi.StringWidth(line) || ansi.Strip(ansi.Cut(got, w-1, w)) != "│" {
				t.Errorf("%d columns at %d: %q is %d wide", width, x, ansi.Strip(got), w)
			}
		}
	}
}
