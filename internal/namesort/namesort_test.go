package namesort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// same fails unless names come in the order that comparing them in pairs gives.
func same(t *testing.T, names []string, o Order) {
	t.Helper()
	want := slices.Clone(names)
	slices.SortStableFunc(want, func(a, b string) int { return Compare(a, b, o) })
	places := Sorted(names, o)
	seen := map[int32]bool{}
	for i, at := range places {
		if names[at] != want[i] || seen[at] {
			t.Fatalf("place %d of %d has %q and not %q", i, len(names), names[at], want[i])
		}
		seen[at] = true
	}
	if len(places) != len(names) {
		t.Fatalf("%d places for %d names", len(places), len(names))
	}
}

func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{"ab", "aAbB", "0123456789", "aé\xffÉK\u212a", "\x00\x01a", "img_."}
	for _, n := range []int{0, 1, 2, few, few + 1, sparse + 1, 3000} {
		for _, letters := range alphabets {
			for _, prefix := range []string{"", "a long common beginning_"} {
				names := make([]string, n)
				for i := range names {
					b := []byte(prefix)
					for range r.IntN(14) {
						b = append(b, letters[r.IntN(len(letters))])
					}
					names[i] = string(b)
				}
				same(t, names, ByBytes)
				same(t, names, Folded)
			}
		}
	}
}

// Equal names stay as they stand, and many names with one beginning for each of two
// folders' worth are no special case.
func TestSortedKeepsEqualNames(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("%s_%0*d.PNG", []string{"left", "LEFT", "right"}[i%3], 3+i%12, i/7))
	}
	same(t, names, Folded)
	equal := slices.Repeat([]string{strings.Repeat("x", 40)}, 1000)
	for i, at := range Sorted(equal, Folded) {
		if int(at) != i {
			t.Fatalf("place %d has %d", i, at)
		}
	}
}

func FuzzSorted(f *testing.F) {
	f.Add("b\na\nB\nÄ\nä", 40)
	f.Fuzz(func(t *testing.T, text string, times int) {
		names := strings.Split(text, "\n")
		for range max(min(times, 64), 0) {
			names = append(names, names[0]+fmt.Sprint(times, len(names)))
		}
		same(t, names, ByBytes)
		same(t, names, Folded)
	})
}

// As many names as a large folder has, in no order, beside comparing them in pairs.
func BenchmarkHundredThousand(b *testing.B) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("img_%06d.png", i*7919%len(names))
	}
	for name, o := range map[string]Order{"bytes": ByBytes, "folded": Folded} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Sorted(names, o)
			}
		})
	}
	b.Run("in pairs", func(b *testing.B) {
		for b.Loop() {
			slices.Sort(slices.Clone(names))
		}
	})
}
