package ansi

import (
	"bytes"
	"unicode/utf8"
)

// terminal is what a parser drives.
type terminal interface {
	// text writes printable characters; ascii says that each byte is one cell.
	text(p []byte, ascii bool)
	// control executes \n, \r, \b or \t.
	control(c byte)
	// csi executes a control sequence without private prefix and intermediates.
	csi(params []byte, final byte)
}

// state is where the parser stands between two bytes (after the VT500 parser of vt100.net,
// but a newline ends every string, so that a cut-off sequence hides one line at most).
type state uint8

const (
	ground state = iota
	escape
	escapeInter // ESC and intermediates such as "("
	sequence    // CSI
	oscString   // ended by BEL or ST
	dataString  // DCS, SOS, PM, APC: ended by ST
)

const maxParams = 512

// parser splits bytes into text and controls. It may stop and go on at any byte.
type parser struct {
	state   state
	params  []byte
	private bool   // the sequence is one that is only skipped
	partial []byte // a character cut off by the end of the last piece
}

func (ps *parser) parse(p []byte, t terminal) {
	if len(ps.partial) > 0 {
		p = append(ps.partial, p...)
		ps.partial = nil
	}
	for len(p) > 0 {
		var n int
		switch ps.state {
		case ground:
			n = ps.ground(p, t)
		case escape:
			n = ps.escape(p[0])
		case escapeInter:
			n = ps.escapeInter(p[0])
		case sequence:
			n = ps.sequence(p, t)
		default:
			n = ps.skipString(p)
		}
		if n < 0 {
			ps.partial = bytes.Clone(p)
			return
		}
		p = p[n:]
	}
}

// ground reads text or one control and returns how many bytes it took, -1 if p ends within a character.
func (ps *parser) ground(p []byte, t terminal) int {
	n := 0
	for n < len(p) && p[n] >= 0x20 && p[n] < 0x7f {
		n++
	}
	if n > 0 && (n == len(p) || p[n] < 0x80) {
		t.text(p[:n], true)
		return n
	}
	if n == 0 && p[0] < 0x80 {
		ps.c0(p[0], t)
		return 1
	}
	for n < len(p) && p[n] >= 0x20 && p[n] != 0x7f {
		size := 1
		if p[n] >= 0x80 {
			if size = printable(p[n:]); size == 0 {
				break
			}
		}
		n += size
	}
	if n > 0 {
		t.text(p[:n], false)
		return n
	}
	if !utf8.FullRune(p) {
		return -1
	}
	r, size := utf8.DecodeRune(p)
	if r == utf8.RuneError {
		t.text([]byte("\uFFFD"), false)
	} else {
		ps.c1(r)
	}
	return size
}

// printable returns the size of the character at the start of p, 0 if it is cut off, invalid or a C1 control.
func printable(p []byte) int {
	r, size := utf8.DecodeRune(p)
	if size <= 1 || r < 0xa0 {
		return 0
	}
	return size
}

func (ps *parser) c0(c byte, t terminal) {
	switch c {
	case '\n', '\v', '\f':
		t.control('\n')
	case '\r', '\b', '\t':
		t.control(c)
	case 0x1b:
		ps.state = escape
	}
}

// c1 starts what the 8-bit controls U+0080–009F start.
func (ps *parser) c1(r rune) {
	switch r {
	case 0x9b:
		ps.start(sequence)
	case 0x9d:
		ps.state = oscString
	case 0x90, 0x98, 0x9e, 0x9f:
		ps.state = dataString
	}
}

func (ps *parser) start(s state) {
	ps.state, ps.params, ps.private = s, ps.params[:0], false
}

func (ps *parser) escape(c byte) int {
	ps.state = ground
	switch {
	case c == '[':
		ps.start(sequence)
	case c == ']':
		ps.state = oscString
	case c == 'P', c == 'X', c == '^', c == '_':
		ps.state = dataString
	case c >= 0x20 && c <= 0x2f:
		ps.state = escapeInter
	case c < 0x20 || c >= 0x7f:
		return 0 // no sequence: the byte speaks for itself
	}
	return 1
}

func (ps *parser) escapeInter(c byte) int {
	switch {
	case c >= 0x20 && c <= 0x2f:
		return 1
	case c >= 0x30 && c < 0x7f:
		ps.state = ground
		return 1
	}
	ps.state = ground
	return 0
}

func (ps *parser) sequence(p []byte, t terminal) int {
	for i, c := range p {
		switch {
		case c >= 0x30 && c <= 0x3b:
			if len(ps.params) < maxParams {
				ps.params = append(ps.params, c)
			} else {
				ps.private = true
			}
		case c >= 0x20 && c <= 0x3f:
			ps.private = true
		case c >= 0x40 && c < 0x7f:
			ps.state = ground
			if !ps.private {
				t.csi(ps.params, c)
			}
			return i + 1
		default:
			ps.state = ground
			return i
		}
	}
	return len(p)
}

// skipString drops the content of a control string up to its end, which it leaves for
// the other states unless that is a single byte or character of its own.
func (ps *parser) skipString(p []byte) int {
	for i, c := range p {
		switch {
		case c == 0x1b: // ST, or a new sequence
			ps.state = escape
			return i + 1
		case c == '\n':
			ps.state = ground
			return i
		case c == 0x07 && ps.state == oscString, c == 0x18, c == 0x1a:
			ps.state = ground
			return i + 1
		case c == 0xc2 && i+1 == len(p):
			if i == 0 {
				return -1
			}
			return i
		case c == 0xc2 && p[i+1] == 0x9c:
			ps.state = ground
			return i + 2
		}
	}
	return len(p)
}
