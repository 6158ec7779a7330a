package unsandbox

import (
	"bytes"
	"testing"
)

// TestLines: whatever stands around them and wherever the stream is cut.
func TestLines(t *testing.T) {
	want := []line{{kind: lineData, seq: 1, ack: 7, data: []byte("hé\x00\n")}, {kind: lineAck, ack: 9}, {kind: lineData, seq: 2, data: bytes.Repeat([]byte{255}, maxPart)}}
	var text []byte
	for i, x := range want {
		raw := x.bytes("nonce")
		if len(raw) > 1000 {
			t.Errorf("a line of %d bytes", len(raw))
		}
		text = append(text, "\x1b[32m$ \x1b[0mnoise\r\n> "...)
		text = append(text, bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))...)
		if i == 1 {
			text = append(text, "@other A 0 0 00000000 \n@nonce A 0 0 00000000 \n@nonce\n"...)
		}
	}
	for cut := range len(text) {
		var s lineSplitter
		var got []line
		for _, piece := range [][]byte{text[:cut], text[cut:]} {
			for _, raw := range s.feed(piece) {
				if x, ok := parseLine(raw, "nonce"); ok {
					got = append(got, x)
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("cut at %d: %v", cut, got)
		}
		for i := range want {
			if got[i].kind != want[i].kind || got[i].seq != want[i].seq || got[i].ack != want[i].ack || !bytes.Equal(got[i].data, want[i].data) {
				t.Fatalf("cut at %d: %v", cut, got[i])
			}
		}
	}
	var s lineSplitter
	for range 100 {
		s.feed(bytes.Repeat([]byte("x"), 10_000))
	}
	if len(s.rest) > maxNoise {
		t.Errorf("%d bytes are kept of what never ends", len(s.rest))
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(line{kind: lineData, seq: 1, ack: 2, data: []byte("x")}.bytes("n"))
	f.Add([]byte("@n boot"))
	f.Add([]byte("@n D 1 2 zz ="))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, ok := parseLine(raw, "n")
		if ok && x.kind != lineBoot {
			if y, again := parseLine(x.bytes("n"), "n"); !again || y.seq != x.seq || !bytes.Equal(y.data, x.data) {
				t.Errorf("%q", raw)
			}
		}
	})
}
