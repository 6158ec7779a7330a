package ansi

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func all(s *Store, width int) []string {
	return s.Lines(width, 0, s.Rows(width)+10, Look{})
}

func fold(text string, width int) []string {
	var s Store
	s.Write([]byte(text))
	return all(&s, width)
}

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"return overwrites", "step 10 of 10\rdone", "done 10 of 10"},
		{"returns before newlines", "a\r\r\nb\r\nc", "a|b|c"},
		{"newline at the end", "a\n", "a"},
		{"blank lines stay", "a\n\nb\n\n", "a||b|"},
		{"nothing", "", ""},
		{"backspace", "abc\b\bX", "aXc"},
		{"backspace at the start", "\b\bx", "x"},
		{"tab", "a\tb\tc", "a       b       c"},
		{"tab over text", "abcdefghij\r\tX", "abcdefghXj"},
		{"erase to the end", "abcdef\rxy\x1b[K", "xy"},
		{"erase and rewrite", "100%\r\x1b[Kok", "ok"},
		{"erase to the start", "abcdef\r\x1b[2C\x1b[1K", "   def"},
		{"erase all keeps the column", "abc\x1b[2Kd", "   d"},
		{"cursor up", "one\ntwo\n\x1b[2AX\nY", "Xne|Ywo"},
		{"bars", "\n\n\x1b[A\x1b[A\rbar 0\n\rbar 1\x1b[A\rBAR 0\n\n", "BAR 0|bar 1"},
		{"up too far", "a\x1b[99Ab", "ab"},
		{"column", "abcdef\x1b[3GX", "abXdef"},
		{"forward pads", "a\x1b[3Cb", "a   b"},
		{"wide half overwritten", "世界\r\x1b[Cx", " x界"},
		{"mark on an old cell", "e\rX\u0301", "X\u0301"},
		{"colour kept", "\x1b[31mred\x1b[0m x", "\x1b[0;31mred\x1b[m x"},
		{"colour closed at the line's end", "\x1b[1;4mBU\nmore", "\x1b[0;1;4mBU\x1b[m|\x1b[0;1;4mmore\x1b[m"},
		{"true colour", "\x1b[38;2;255;100;0mw\x1b[38:5:9mx\x1b[48:2::1:2:3my", "\x1b[0;38;2;255;100;0mw\x1b[0;38;5;9mx\x1b[0;38;5;9;48;2;1;2;3my\x1b[m"},
		{"bright", "\x1b[91;102mx\x1b[39;49my", "\x1b[0;91;102mx\x1b[my"},
		{"osc", "a\x1b]52;c;cHduZWQ=\x07b\x1b]8;;u\x1b\\c", "abc"},
		{"osc never closed", "open \x1b]0;never closed\nnext", "open |next"},
		{"dcs", "a\x1bP+q544e\x1b\\b", "ab"},
		{"8-bit controls", "a\u009b31m\u009d0;X\x07b", "a\x1b[0;31mb\x1b[m"},
		{"8-bit string terminator", "a\u009d0;X\u009cb", "ab"},
		{"modes and queries", "a\x1b[?1049l\x1b[21t\x1b[6n\x1b[c\x1b[>4;1m\x1bc\x1b(0b\x0e", "ab"},
		{"home and clear", "home \x1b[H\x1b[2J end", "home  end"},
		{"invalid bytes", "a\xffb\x9bc", "a\ufffdb\ufffdc"},
		{"conceal is dropped", "\x1b[8mx", "x"},
	} {
		want := strings.ReplaceAll(c.want, "\x1b[0;", "\x1b[")
		// Only the first sequence of a row needs no reset of its own.
		got := strings.Join(fold(c.in, 80), "|")
		if strings.ReplaceAll(got, "\x1b[0;", "\x1b[") != want {
			t.Errorf("%s: %q became %q, want %q", c.name, c.in, got, want)
		}
		var bytewise Store
		for i := range len(c.in) {
			bytewise.Write([]byte{c.in[i]})
			bytewise.Rows(7)
		}
		if again := strings.Join(all(&bytewise, 80), "|"); again != got {
			t.Errorf("%s: byte by byte %q became %q, not %q", c.name, c.in, again, got)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in, want string
		width    int
	}{
		{"abcdef", "abcd|ef", 4},
		{"abcd", "abcd", 4},
		{"世界人", "世|界|人", 3},
		{"世a", "?|a", 1},
		{"\x1b[31mabcdef", "\x1b[31mabc\x1b[m|\x1b[31mdef\x1b[m", 3},
		{"e\u0301e\u0301e\u0301", "e\u0301e\u0301|e\u0301", 2},
		{"👨‍👩‍👧x", "👨‍👩‍👧|x", 2},
	} {
		var s Store
		s.Write([]byte(c.in))
		if got := strings.Join(all(&s, c.width), "|"); got != c.want || s.Rows(c.width) != strings.Count(c.want, "|")+1 {
			t.Errorf("%q at %d became %q, %d rows", c.in, c.width, got, s.Rows(c.width))
		}
	}
}

// TestLines asks for every window of a text that spans sealed and live lines.
func TestLines(t *testing.T) {
	var s Store
	for i := range 5000 {
		fmt.Fprintf(&s, "line %d %s\n", i, strings.Repeat("é世", i%9))
	}
	const width = 11
	rows := all(&s, width)
	if s.Rows(width) != len(rows) || s.Len() != 5000 {
		t.Fatalf("%d rows for %d, %d lines", len(rows), s.Rows(width), s.Len())
	}
	for from := 0; from < len(rows); from += 97 {
		got := s.Lines(width, from, 60, Look{})
		if want := rows[from:min(from+60, len(rows))]; strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("from %d: %q, want %q", from, got, want)
		}
	}
}

// TestReach moves the cursor further up than lines stay within its reach.
func TestReach(t *testing.T) {
	var s Store
	for i := range 1000 {
		fmt.Fprintln(&s, i)
	}
	fmt.Fprint(&s, "\x1b[900AX\x1b[900B\rend")
	rows := all(&s, 80)
	if len(rows) != 1001 || rows[0] != "0" || rows[1000] != "end" {
		t.Fatalf("%d rows, last %q", len(rows), rows[len(rows)-1])
	}
	changed := 0
	for i, r := range rows[:1000] {
		if r != fmt.Sprint(i) {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d lines changed", changed)
	}
}

func TestLongLine(t *testing.T) {
	var s Store
	for range 1000 {
		s.Write(bytes.Repeat([]byte("0123456789"), 1000))
	}
	var n int
	for _, row := range all(&s, 100) {
		n += len(row)
	}
	if n != 10_000_000 {
		t.Errorf("%d bytes shown", n)
	}
}

func TestLook(t *testing.T) {
	var s Store
	s.Write([]byte("a\x1b[1;31mb\x1b[mc"))
	look := Look{Base: ParseStyle("33")}
	if got := s.Lines(9, 0, 1, look)[0]; got != "\x1b[33ma\x1b[0;1;31mb\x1b[0;33mc\x1b[m" {
		t.Errorf("base: %q", got)
	}
	if got := s.Lines(9, 0, 1, Look{NoColor: true})[0]; got != "a\x1b[1mb\x1b[mc" {
		t.Errorf("no colour: %q", got)
	}
}

// TestSimple checks the characters with a short way against the tables.
func TestSimple(t *testing.T) {
	for r := rune(0x20); r < 0x11000; r++ {
		b := []byte(string(r))
		n, w := simple(b)
		if n == 0 || r >= 0x7f && r < 0xa0 {
			continue
		}
		if _, want := ansi.FirstGraphemeCluster(b, ansi.GraphemeWidth); w != want {
			t.Errorf("%U: %d cells, want %d", r, w, want)
		}
		for _, before := range []string{"a", "世", "가", "é", "👩"} {
			if g, _ := ansi.FirstGraphemeCluster([]byte(before+string(r)), ansi.GraphemeWidth); string(g) != before {
				t.Errorf("%U joins %s", r, before)
			}
		}
	}
}

func TestText(t *testing.T) {
	if got := Strip("m \x1b]0;M\x07 [x](u/\x1b]0;L\x07)\r\n\tz"); got != "m  [x](u/)\n\tz" {
		t.Errorf("Strip: %q", got)
	}
	if got := OneLine("a\x1b[2Jb\nc\u202edcba"); got != "ab cdcba" {
		t.Errorf("OneLine: %q", got)
	}
	if got := Visible("a\tsrc = '\x1b]0;S\x07'\u202e", 4); got != "a   src = '␛]0;S␇'\ufffd" {
		t.Errorf("Visible: %q", got)
	}
}

var onlySGR = regexp.MustCompile("\x1b\\[[0-9;]*m")

func FuzzStore(f *testing.F) {
	for _, s := range []string{"a\rb", "\x1b[31mx\x1b]0;t\x07", "\x1b[2A\x1b[5C世\b\b\tX\x1b[1K", "\u009b1m\xc2", "e\u0301\n\n\x1b[Ax", "\x1b[38:2::1:2:3mx\x1b[58;5;1;3my"} {
		f.Add(s, uint8(7), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, width, cut uint8) {
		w := int(width)%100 + 1
		var whole, pieces Store
		whole.Write([]byte(text))
		at := min(int(cut), len(text))
		pieces.Write([]byte(text[:at]))
		pieces.Write([]byte(text[at:]))
		rows := all(&whole, w)
		if got := all(&pieces, w); strings.Join(got, "\n") != strings.Join(rows, "\n") {
			t.Fatalf("in pieces %q, whole %q", got, rows)
		}
		if len(rows) != whole.Rows(w) {
			t.Fatalf("%d rows, said %d", len(rows), whole.Rows(w))
		}
		for _, row := range rows {
			plain := onlySGR.ReplaceAllString(row, "")
			for _, r := range plain {
				if r < 0x20 || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && !utf8.ValidString(plain) {
					t.Fatalf("%q holds %q", row, r)
				}
			}
			if Width(row) > w {
				t.Fatalf("%q is %d wide, not %d", row, Width(row), w)
			}
			if seqs := onlySGR.FindAllString(row, -1); seqs != nil && seqs[len(seqs)-1] != "\x1b[m" {
				t.Fatalf("%q stays open", row)
			}
		}
	})
}

func BenchmarkAppend200kLines(b *testing.B) {
	piece := []byte(strings.Repeat(strings.Repeat("x", 69)+"\n", 1000))
	b.SetBytes(int64(len(piece)) * 200)
	for b.Loop() {
		var s Store
		for range 200 {
			s.Write(piece)
		}
	}
}

func BenchmarkTailOf1300kLines(b *testing.B) {
	var s Store
	piece := []byte(strings.Repeat(strings.Repeat("x", 69)+"\n", 1000))
	for range 1300 {
		s.Write(piece)
	}
	for b.Loop() {
		s.Write(piece[:70])
		s.Lines(100, s.Rows(100)-50, 50, Look{})
	}
}
