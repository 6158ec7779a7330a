package unsandbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strconv"
)

// The kinds of lines that a link carries; relay.py has the other end.
const (
	lineData  = 'D' // a part of the kernel's pipe; kept until it is acknowledged
	lineExit  = 'X' // the kernel's end, as JSON; kept too
	lineAck   = 'A'
	lineAgain = 'R' // asks for all that follows its ack once more
	lineQuit  = 'Q' // ends the kernel
	lineHello = 'H' // the relay runs
	lineBoot  = 'B' // a Python runs that waits for the relay's text
)

// maxPart is how much of a pipe a line carries, so that it stays below the 1000 characters
// that every terminal takes.
const maxPart = 690

// line is one line of a link, which has other text around it: prompts, echoes, whatever
// programs write to the terminal.
type line struct {
	kind     byte
	seq, ack uint64
	data     []byte
}

// bytes is the line with its nonce and its checksum.
func (l line) bytes(nonce string) []byte {
	body := fmt.Sprintf("%c %d %d ", l.kind, l.seq, l.ack)
	text := base64.StdEncoding.EncodeToString(l.data)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(body)), crc32.IEEETable, []byte(text))
	return fmt.Appendf(nil, "@%s %s%08x %s\n", nonce, body, sum, text)
}

// parseLine reads a line; ok is false for noise. Text in front of it, such as a prompt, is noise too.
func parseLine(raw []byte, nonce string) (l line, ok bool) {
	_, rest, found := bytes.Cut(raw, []byte("@"+nonce+" "))
	if !found {
		return l, false
	}
	f := bytes.Split(bytes.TrimSpace(rest), []byte(" "))
	if len(f) == 1 && len(f[0]) == 4 && string(f[0]) == "boot" {
		return line{kind: lineBoot}, true
	}
	if len(f) == 4 {
		f = append(f, nil)
	}
	if len(f) != 5 || len(f[0]) != 1 {
		return l, false
	}
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %s %s %s", f[0], f[1], f[2], f[4]))
	if fmt.Sprintf("%08x", sum) != string(f[3]) {
		return l, false
	}
	var errs [3]error
	l.kind = f[0][0]
	l.seq, errs[0] = strconv.ParseUint(string(f[1]), 10, 64)
	l.ack, errs[1] = strconv.ParseUint(string(f[2]), 10, 64)
	l.data, errs[2] = base64.StdEncoding.DecodeString(string(f[4]))
	return l, errs == [3]error{}
}

// lineSplitter puts lines together from pieces that end anywhere.
type lineSplitter struct {
	rest []byte
	seq  []byte // an escape sequence that has begun
}

// plainBytes takes escape sequences out of a terminal's output. One that moves the cursor ends a
// line: a multiplexer that paints anew jumps to where the next one begins.
func (s *lineSplitter) plainBytes(piece []byte) {
	for _, c := range piece {
		switch {
		case len(s.seq) > 0:
			s.seq = append(s.seq, c)
			if end, moves := escapeEnds(s.seq); end {
				s.seq = s.seq[:0]
				if moves {
					s.rest = append(s.rest, '\n')
				}
			}
		case c == 0x1b:
			s.seq = append(s.seq, c)
		default:
			s.rest = append(s.rest, c)
		}
	}
}

// escapeEnds tells whether an escape sequence is whole, and whether it moves the cursor. One
// that is too long is none.
func escapeEnds(seq []byte) (end, moves bool) {
	last := seq[len(seq)-1]
	switch {
	case len(seq) == 1:
		return false, false
	case len(seq) > 200:
		return true, false
	case seq[1] == '[':
		end = len(seq) > 2 && last >= 0x40 && last <= 0x7e
		return end, end && bytes.IndexByte([]byte("ABCDEFGHdfr"), last) >= 0
	case seq[1] == ']' || seq[1] == 'P': // ends with BEL or ESC \
		return last == 7 || len(seq) > 2 && last == '\\' && seq[len(seq)-2] == 0x1b, false
	case seq[1] >= 0x20 && seq[1] <= 0x2f: // such as the choice of a character set
		return len(seq) > 2, false
	}
	return true, seq[1] == 'D' || seq[1] == 'E' || seq[1] == 'M'
}

// maxNoise bounds text without a line's end.
const maxNoise = 64 << 10

// feed returns the whole lines, without their ends, that a piece completes. They share memory
// with the next call's.
func (s *lineSplitter) feed(piece []byte) (lines [][]byte) {
	s.plainBytes(piece)
	begin := 0
	for {
		n := bytes.IndexByte(s.rest[begin:], '\n')
		if n < 0 {
			break
		}
		lines = append(lines, bytes.TrimRight(s.rest[begin:begin+n], "\r"))
		begin += n + 1
	}
	rest := s.rest[begin:]
	if len(rest) > maxNoise {
		rest = rest[len(rest)-maxNoise/2:]
	}
	s.rest = append([]byte(nil), rest...)
	return lines
}
