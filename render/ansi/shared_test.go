package ansi

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// What is kept as parts of the text is drawn as what was copied.
func TestStableText(t *testing.T) {
	words := []string{
		"plain", " ", " and more of it ", "世界", "é", "\t", "\r", "\x1b[31m", "\x1b[m", "\b", "\r\n", "\n\n", "\x1b[2A", "\xff",
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for i := range 1200 {
			if fmt.Fprintf(&text, "%d plain line", i); r.IntN(int(seed)*40+1) == 0 { // often, or next to never
				text.WriteString(words[r.IntN(len(words))])
			}
			text.WriteString("\n")
		}
		text.WriteString(strings.Repeat("x", maxLine*2) + "\nthe end")
		p := []byte(text.String())
		var kept, copied Store
		for from := 0; from < len(p); {
			n := min(1+r.IntN(80<<10), len(p)-from)
			kept.WriteStable(p[from : from+n])
			_, _ = copied.Write(p[from : from+n]) // never fails
			if n > 100 {
				kept.Rows(30)
			}
			from += n
		}
		for _, width := range []int{7, 80} {
			const most = 1 << 20
			got, want := kept.Lines(width, 0, most, Look{}), copied.Lines(width, 0, most, Look{})
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("seed %d: at width %d row %d of %d is %q, want %q", seed, width, i, len(got), got[min(i, len(got)-1)], want[i])
				}
			}
		}
	}
}

func TestStableTextIsNotCopied(t *testing.T) {
	p := []byte(strings.Repeat(strings.Repeat("x", 69)+"\n", 100_000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s Store
	for from := 0; from < len(p); from += 64 << 10 {
		s.WriteStable(p[from:min(from+64<<10, len(p))])
	}
	runtime.ReadMemStats(&after)
	if more := int(after.TotalAlloc - before.TotalAlloc); more > len(p)/2 || s.Len() != 100_000 {
		t.Errorf("%d bytes were allocated for %d lines of %d bytes", more, s.Len(), len(p))
	}
}
