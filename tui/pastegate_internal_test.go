package tui

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// pieces reads from each text in turn.
type pieces struct{ texts []string }

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.texts) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.texts[0])
	p.texts = p.texts[1:]
	return n, nil
}

func TestPasteMarksArriveWhole(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string // what the reads give that give something, parted by |
	}{
		{[]string{"\x1b[200~a", "b\x1b[2", "01~c"}, "\x1b[200~a|b|\x1b[201~c"},
		{[]string{"\x1b[20", "0~a\x1b", "[201~", "\x1b"}, "\x1b[200~a|\x1b[201~|\x1b"},
		{[]string{"\x1b[200~a\x1b", "b\x1b[201", "~"}, "\x1b[200~a|\x1bb|\x1b[201~"},
		{[]string{"\x1b[2", "~"}, "\x1b[2~"},
		{[]string{"\x1b", "[A", "\x1b[201~"}, "\x1b|[A|\x1b[201~"},
		{[]string{"\x1b[200~a", "\x03", "b"}, "\x1b[200~a|\x1b[201~|b"},
	} {
		g := &pasteGate{r: &pieces{c.in}}
		var got []string
		for {
			b := make([]byte, 64)
			n, err := g.Read(b)
			if err != nil {
				break
			}
			if n > 0 {
				got = append(got, string(b[:n]))
			}
		}
		if joined := strings.Join(got, "|"); joined != c.want {
			t.Errorf("%q: %q, want %q", c.in, joined, c.want)
		}
	}
	text := "x\x1b[200~a\x1b[20\x1b[201~y\x1b[2~"
	got, err := io.ReadAll(&pasteGate{r: iotest.OneByteReader(strings.NewReader(text))})
	if err != nil && !errors.Is(err, io.EOF) || string(got) != text {
		t.Errorf("byte by byte: %q, %v", got, err)
	}
}
