package themes

import (
	"strconv"
	"strings"
)

// Color is an index of the 256-colour palette in decimal, such as "75"; "" is the terminal's own.
type Color string

// White and Black are behind pictures that say which they need.
const (
	White Color = "231"
	Black Color = "16"
)

// RGB returns the colour's red, green and blue as the 256-colour palette has them; black
// for "" and for the first 16, which every terminal has its own of.
func (c Color) RGB() (r, g, b uint8) {
	n, err := strconv.Atoi(string(c))
	switch {
	case err != nil || n < 16 || n > 255:
		return 0, 0, 0
	case n >= 232:
		grey := uint8(8 + 10*(n-232))
		return grey, grey, grey
	}
	level := func(i int) uint8 {
		if i == 0 {
			return 0
		}
		return uint8(55 + 40*i)
	}
	n -= 16
	return level(n / 36), level(n / 6 % 6), level(n % 6)
}

// Style is how a piece of text looks. The zero Style is the terminal's own text.
type Style struct {
	FG, BG Color
	Bold, Faint, Italic, Underline,
	Reverse, Strike bool
}

// reset ends every style; it is the same in all themes.
const reset = "\x1b[m"

// Params returns the SGR parameters that turn s on after a reset, "" for the zero Style.
func (s Style) Params() string {
	var b []byte
	add := func(on bool, param string) {
		if !on {
			return
		}
		if len(b) > 0 {
			b = append(b, ';')
		}
		b = append(b, param...)
	}
	add(s.Bold, "1")
	add(s.Faint, "2")
	add(s.Italic, "3")
	add(s.Underline, "4")
	add(s.Reverse, "7")
	add(s.Strike, "9")
	add(s.FG != "", "38;5;"+string(s.FG))
	add(s.BG != "", "48;5;"+string(s.BG))
	return string(b)
}

// On returns the sequence that turns s on from the reset state, "" for the zero Style.
func (s Style) On() string {
	if s == (Style{}) {
		return ""
	}
	return "\x1b[" + s.Params() + "m"
}

// Render returns text, which must be of one line and free of escapes, drawn in s. It
// starts from and ends in the reset state.
func (s Style) Render(text string) string {
	if s == (Style{}) || text == "" {
		return text
	}
	var b strings.Builder
	b.WriteString(s.On())
	b.WriteString(text)
	b.WriteString(reset)
	return b.String()
}

// Over returns s drawn on top of base: colours that s leaves open are base's, attributes add up.
func (s Style) Over(base Style) Style {
	if s.FG == "" {
		s.FG = base.FG
	}
	if s.BG == "" {
		s.BG = base.BG
	}
	s.Bold = s.Bold || base.Bold
	s.Faint = s.Faint || base.Faint
	s.Italic = s.Italic || base.Italic
	s.Underline = s.Underline || base.Underline
	s.Reverse = s.Reverse || base.Reverse
	s.Strike = s.Strike || base.Strike
	return s
}
