package ipynb

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSplitLines(t *testing.T) {
	// Python: str.splitlines(keepends=True)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\nb\r\nc\rd\n", []string{"a\n", "b\r\n", "c\r", "d\n"}},
		{"\n\n\r", []string{"\n", "\n", "\r"}},
		{"a\vb\fc\x1cd\x1de\x1ef\x1fg", []string{"a\v", "b\f", "c\x1c", "d\x1d", "e\x1e", "f\x1fg"}},
		{"a\u0085b\u2028c\u2029d\u2027e", []string{"a\u0085", "b\u2028", "c\u2029", "d\u2027e"}},
		{"a\tb\x00c\x08", []string{"a\tb\x00c\x08"}},
		{"\xC2", []string{"\xC2"}},
	} {
		if got := splitLines(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q became %q", c.text, got)
		}
	}
}

// However a text is cut into pieces, its list of lines is the same.
func TestLineListPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "\n", "\r", "\r\n", "é", "😀", "\u2028", "\u0085", "\x1b[0m", "\"", "\xed\xa0\xbd", "\xff", "word"}
	for range 5000 {
		var text []byte
		for range r.IntN(12) {
			text = append(text, parts[r.IntN(len(parts))]...)
		}
		for _, ascii := range []bool{false, true} {
			var whole, cut bytes.Buffer
			w := newWriter(&whole, func() bool { return ascii })
			w.lines(string(text), layout{nl: "\n", unit: " ", colon: ": "})
			_ = w.flush()
			w = newWriter(&cut, func() bool { return ascii })
			s := lineList{list: list{w: w, l: layout{nl: "\n", unit: " ", colon: ": "}}}
			for rest := text; len(rest) > 0; {
				n := 1 + r.IntN(min(4, len(rest)))
				s.piece(slices.Clone(rest[:n]))
				rest = rest[n:]
			}
			s.finish()
			_ = w.flush()
			if whole.String() != cut.String() {
				t.Fatalf("%q\nwhole  %q\npieces %q", text, whole.String(), cut.String())
			}
		}
	}
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `"\u00e9"`: true, `"\u001b[0m"`: false, `"\\u00e9"`: false, `"\\\u00e9"`: true,
		`"\u00e9 é"`: false, "\xEF\xBB\xBF" + `"\u4e00"`: true, `"\u00`: false, `"\u001b\ud83d\ude00"`: true,
	} {
		if escapes([]byte(text)) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}
