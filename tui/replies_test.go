package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSplitRepliesAreNoKeys types replies and reports that come in pieces, later than the
// terminal library waits.
func TestSplitRepliesAreNoKeys(t *testing.T) {
	for _, seq := range []string{
		"\x1b[<0;30|;20M", "\x1b[|<0;30;20M", "\x1b|[<65;30;20M", "\x1b[<0;30;20", "\x1b[M |!!",
		"\x1b]11;rgb:0000/|0000/0000\x1b\\", "\x1b]11;rgb:0000/|0000/0000\x07", "\x1b|]11;rgb:ffff/ffff/ffff\x07",
		"\x1bP>|xterm|(370)\x1b\\", "\x1b_Gi=31;O|K\x1b\\", "\x1b[?62;|22c", "\x1b[?2026|;2$y",
	} {
		t.Run(seq, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := open(t, setup{file: file("left", "b"), script: echo})
				a.Type("enter")
				for piece := range strings.SplitSeq(seq, "|") {
					a.Keys(piece)
					time.Sleep(100 * time.Millisecond)
				}
				time.Sleep(2 * time.Second)
				a.Type("esc")
				a.has("left", "b")
				a.hides("ran", "[*]")
				a.Type("g", "g", "enter")
				a.letters("M")
				a.has("Mleft", "b")
			})
		})
	}
}

func TestEscapeAndABracketByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: file("left", "b"), script: echo})
		a.Type("enter", "esc")
		time.Sleep(300 * time.Millisecond)
		a.Type("[")
		time.Sleep(300 * time.Millisecond)
		a.Type("j")
		a.shows("2/2")
	})
}

// TestPasteInPiecesIsOneStep pastes over a slow link: the marks come in pieces, and late.
func TestPasteInPiecesIsOneStep(t *testing.T) {
	for _, seq := range []string{
		"\x1b[200~one:\n\ttwo|\x1b[201~", "\x1b[200~one:|\n\ttwo\x1b[20|1~", "\x1b[2|00~one:\n\ttwo\x1b|[201~", "\x1b[200~one:\n|\ttw|o\x1b[201|~",
	} {
		t.Run(seq, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := open(t, setup{file: file("(")})
				a.Type("enter", "end")
				for piece := range strings.SplitSeq(seq, "|") {
					a.Keys(piece)
					time.Sleep(100 * time.Millisecond)
				}
				a.letters("!")
				a.has("(one:\n\ttwo!")
				a.Type("ctrl+z", "ctrl+z")
				a.has("(")
			})
		})
	}
}
