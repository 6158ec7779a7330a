package ansi

import (
	"bytes"
	"strconv"
)

// Style is the state that SGR sequences set (ECMA-48 8.3.117 and xterm's colours). The
// zero Style is the reset state.
type Style struct {
	fg, bg color
	attrs  attrs
}

// color is 0 for the terminal's own, else a kind in the top byte and its value below.
type color uint32

const (
	basicColor   color = 1 << 24 // 0–15: SGR 30–37, 90–97 and the same for backgrounds
	indexedColor color = 2 << 24 // 0–255
	rgbColor     color = 3 << 24
	colorKind    color = 0xff << 24
)

// attrs are the attributes as bits, in the order of attrParams.
type attrs uint8

const (
	bold attrs = 1 << iota
	faint
	italic
	underline
	blink
	reverse
	strike
)

// attrParams[i] is the SGR parameter of bit i. Conceal (8) is left out on purpose: hidden text helps no reader.
const attrParams = "1234579"

// ParseStyle returns the style that the SGR parameters (such as "1;38;5;75") set from the reset state.
func ParseStyle(params string) Style {
	var s Style
	s.apply([]byte(params))
	return s
}

// WithoutColor returns s with its attributes only.
func (s Style) WithoutColor() Style { return Style{attrs: s.attrs} }

// Over returns s on top of base: colours that s leaves open are base's, attributes add up.
func (s Style) Over(base Style) Style {
	if s.fg == 0 {
		s.fg = base.fg
	}
	if s.bg == 0 {
		s.bg = base.bg
	}
	s.attrs |= base.attrs
	return s
}

// appendTo appends the sequence that sets s from any state: "ESC [ m" for the reset
// state, else one that begins by resetting. Lines are stored with such absolute sequences
// only, so the last one before a place tells all about it.
func (s Style) appendTo(b []byte) []byte {
	if s == (Style{}) {
		return append(b, "\x1b[m"...)
	}
	return append(s.appendParams(append(b, "\x1b[0"...), true), 'm')
}

// appendOn appends the sequence that sets s from the reset state; nothing for that state itself.
func (s Style) appendOn(b []byte) []byte {
	if s == (Style{}) {
		return b
	}
	return append(s.appendParams(append(b, "\x1b["...), false), 'm')
}

func (s Style) appendParams(b []byte, more bool) []byte {
	for i := range len(attrParams) {
		if s.attrs&(1<<i) != 0 {
			b = separate(b, more)
			b, more = append(b, attrParams[i]), true
		}
	}
	if s.fg != 0 {
		b = s.fg.appendTo(separate(b, more), 30)
		more = true
	}
	if s.bg != 0 {
		b = s.bg.appendTo(separate(b, more), 40)
	}
	return b
}

func separate(b []byte, more bool) []byte {
	if more {
		return append(b, ';')
	}
	return b
}

// appendTo appends the parameters of c; base is 30 for the foreground, 40 for the background.
func (c color) appendTo(b []byte, base int64) []byte {
	v := int64(c &^ colorKind)
	switch c & colorKind {
	case basicColor:
		if v >= 8 {
			v += 52 // 90 is 38 + 52: the bright ones
		}
		return strconv.AppendInt(b, base+v, 10)
	case indexedColor:
		b = strconv.AppendInt(b, base+8, 10)
		return strconv.AppendInt(append(b, ";5;"...), v, 10)
	default:
		b = strconv.AppendInt(b, base+8, 10)
		b = strconv.AppendInt(append(b, ";2;"...), v>>16, 10)
		b = strconv.AppendInt(append(b, ';'), v>>8&0xff, 10)
		return strconv.AppendInt(append(b, ';'), v&0xff, 10)
	}
}

// apply changes s as an SGR sequence with these parameters does. Unknown ones change nothing.
func (s *Style) apply(params []byte) {
	for {
		field, rest, more := bytes.Cut(params, []byte{';'})
		param, sub, hasSub := bytes.Cut(field, []byte{':'})
		n := number(param)
		switch {
		case n == 38 || n == 48 || n == 58:
			var c color
			if hasSub {
				c = colonColor(sub)
			} else {
				c, rest = semicolonColor(rest)
				more = rest != nil
			}
			s.setColor(n, c)
		case n == 4 && hasSub && number(sub) == 0:
			s.attrs &^= underline
		default:
			s.set(n)
		}
		if !more {
			return
		}
		params = rest
	}
}

func (s *Style) setColor(n int, c color) {
	switch {
	case c == 0 || n == 58: // the colour of an underline is not kept
	case n == 38:
		s.fg = c
	default:
		s.bg = c
	}
}

// set applies one parameter without arguments.
func (s *Style) set(n int) {
	switch {
	case n == 0:
		*s = Style{}
	case n == 21:
		s.attrs |= underline
	case n == 22:
		s.attrs &^= bold | faint
	case n == 6:
		s.attrs |= blink
	case n >= 1 && n <= 9:
		if i := bytes.IndexByte([]byte(attrParams), byte('0'+n)); i >= 0 {
			s.attrs |= 1 << i
		}
	case n >= 23 && n <= 29:
		if i := bytes.IndexByte([]byte(attrParams), byte('0'+n-20)); i >= 0 {
			s.attrs &^= 1 << i
		}
	case n >= 30 && n <= 37:
		s.fg = basicColor | color(n-30)
	case n == 39:
		s.fg = 0
	case n >= 40 && n <= 47:
		s.bg = basicColor | color(n-40)
	case n == 49:
		s.bg = 0
	case n >= 90 && n <= 97:
		s.fg = basicColor | color(n-90+8)
	case n >= 100 && n <= 107:
		s.bg = basicColor | color(n-100+8)
	}
}

// semicolonColor reads "5;n" or "2;r;g;b" from the start of params and returns what is
// left, nil for nothing.
func semicolonColor(params []byte) (color, []byte) {
	var nums [4]int
	want := 1
	for i := 0; i < want; i++ {
		if params == nil {
			return 0, nil
		}
		field, rest, more := bytes.Cut(params, []byte{';'})
		nums[i] = number(field)
		if i == 0 {
			want = map[int]int{5: 2, 2: 4}[nums[0]]
		}
		if params = rest; !more {
			params = nil
			if i+1 < want {
				return 0, nil
			}
		}
	}
	return makeColor(nums), params
}

// colonColor reads "5:n", "2:r:g:b" or "2:space:r:g:b".
func colonColor(sub []byte) color {
	fields := bytes.Split(sub, []byte{':'})
	if len(fields) >= 5 {
		fields = append(fields[:1:1], fields[2:]...)
	}
	var nums [4]int
	for i, f := range fields {
		if i < len(nums) {
			nums[i] = number(f)
		}
	}
	if nums[0] == 2 && len(fields) < 4 || nums[0] == 5 && len(fields) < 2 {
		return 0
	}
	return makeColor(nums)
}

func makeColor(n [4]int) color {
	for _, v := range n {
		if v > 255 {
			return 0
		}
	}
	switch n[0] {
	case 5:
		return indexedColor | color(n[1])
	case 2:
		return rgbColor | color(n[1]<<16|n[2]<<8|n[3])
	}
	return 0
}

// number reads a decimal parameter; empty is 0, nonsense and what is too large is 10000.
func number(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n >= 1000 {
			return 10000
		}
		n = n*10 + int(c-'0')
	}
	return n
}
