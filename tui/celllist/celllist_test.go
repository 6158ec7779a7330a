package celllist

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// fake is an item of h lines named n; its estimate is wrong.
type fake struct {
	n     string
	h     int
	asked int
}

func (f *fake) Estimate(int) int { return 3 }
func (f *fake) Height(int) int   { return f.h }
func (f *fake) Lines(_, from, n int) []string {
	f.asked++
	var out []string
	for i := from; i < min(from+n, f.h); i++ {
		out = append(out, fmt.Sprint(f.n, i))
	}
	return out
}

func list(height int, heights ...int) (*List, []*fake) {
	l, fakes := New(), []*fake{}
	for i, h := range heights {
		fakes = append(fakes, &fake{n: string(rune('a' + i)), h: h})
	}
	l.SetSize(80, height)
	l.SetItems(items(fakes))
	return l, fakes
}

func items(fakes []*fake) []Item {
	var out []Item
	for _, f := range fakes {
		out = append(out, f)
	}
	return out
}

func shows(t *testing.T, l *List, want string) {
	t.Helper()
	if got := strings.Join(l.Lines(), " "); got != want {
		t.Errorf("the window shows %q, want %q", got, want)
	}
}

func TestScroll(t *testing.T) {
	l, _ := list(4, 2, 3, 1, 4)
	shows(t, l, "a0 a1 b0 b1")
	l.Scroll(1)
	shows(t, l, "a1 b0 b1 b2")
	l.Scroll(100)
	shows(t, l, "d0 d1 d2 d3")
	if l.Scroll(1) {
		t.Error("scrolled past the end")
	}
	l.Scroll(-1)
	shows(t, l, "c0 d0 d1 d2")
	l.Scroll(-100)
	shows(t, l, "a0 a1 b0 b1")
	l.Bottom()
	shows(t, l, "d0 d1 d2 d3")
	l.Top()
	shows(t, l, "a0 a1 b0 b1")
}

func TestReveal(t *testing.T) {
	l, _ := list(4, 2, 3, 1, 9, 2)
	l.Reveal(1)
	shows(t, l, "a1 b0 b1 b2")
	l.Reveal(0)
	shows(t, l, "a0 a1 b0 b1")
	l.Reveal(3)
	shows(t, l, "d0 d1 d2 d3")
	l.Scroll(3)
	l.Reveal(3) // nothing but d is in the window: stay
	shows(t, l, "d3 d4 d5 d6")
	l.Reveal(4)
	shows(t, l, "d7 d8 e0 e1")
	l.Reveal(2)
	shows(t, l, "c0 d0 d1 d2")
}

func TestAnchorHolds(t *testing.T) {
	l, fakes := list(4, 5, 5, 5)
	l.Scroll(6)
	shows(t, l, "b1 b2 b3 b4")
	fakes[0].h = 50
	l.Changed(0)
	shows(t, l, "b1 b2 b3 b4")
	l.SetItems(items(fakes[1:]))
	shows(t, l, "b1 b2 b3 b4")
	fakes[1].h = 1
	l.Changed(0)
	shows(t, l, "b0 c0 c1 c2")
}

func TestFollowTail(t *testing.T) {
	l, fakes := list(4, 1, 2, 2)
	fakes[1].h = 7
	l.Changed(1)
	l.ShowEnd(1, 1)
	shows(t, l, "b4 b5 b6 c0")
	fakes[1].h = 8
	l.Changed(1)
	l.ShowEnd(1, 1)
	shows(t, l, "b5 b6 b7 c0")
	if !l.EndShown(1) || l.EndShown(2) {
		t.Error("EndShown is wrong")
	}
}

func TestAtAndRow(t *testing.T) {
	l, _ := list(4, 2, 1, 3)
	l.Scroll(1)
	shows(t, l, "a1 b0 c0 c1")
	for row, want := range []Anchor{{0, 1}, {1, 0}, {2, 0}, {2, 1}} {
		if got, ok := l.At(row); !ok || got != want {
			t.Errorf("row %d: %v", row, got)
		}
		if got, ok := l.Row(want.Item, want.Line); !ok || got != row {
			t.Errorf("%v: row %d", want, got)
		}
	}
	if _, ok := l.Row(2, 2); ok {
		t.Error("c2 is not in the window")
	}
	if _, ok := l.At(4); ok {
		t.Error("row 4 is not in the window")
	}
}

func TestOnlyVisibleItemsAreDrawn(t *testing.T) {
	heights := make([]int, 10_000)
	for i := range heights {
		heights[i] = 3
	}
	l, fakes := list(40, heights...)
	l.ScrollTo(15_000)
	l.Lines()
	drawn := 0
	for _, f := range fakes {
		drawn += f.asked
	}
	if drawn > 15 {
		t.Errorf("%d items were drawn", drawn)
	}
	if above, total := l.Position(); above != 15_000 || total != 30_000 {
		t.Errorf("at %d of %d", above, total)
	}
}

func TestTinyAndEmpty(t *testing.T) {
	for _, height := range []int{-1, 0, 1} {
		l, _ := list(height)
		l.Scroll(3)
		l.Bottom()
		l.Reveal(0)
		l.ShowEnd(0, 0)
		l.ScrollTo(5)
		shows(t, l, "")
	}
	l, _ := list(1, 3, 3)
	l.Bottom()
	shows(t, l, "b2")
	l.Reveal(0)
	shows(t, l, "a0")
}

// TestAgainstAllLines walks at random and compares with a slice of all lines.
func TestAgainstAllLines(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	l, fakes := list(7, 1, 2, 30, 4, 1, 1, 9)
	for step := range 3000 {
		switch rnd.IntN(5) {
		case 0:
			l.Scroll(rnd.IntN(40) - 20)
		case 1:
			l.Reveal(rnd.IntN(len(fakes)))
		case 2:
			i := rnd.IntN(len(fakes))
			fakes[i].h = 1 + rnd.IntN(20)
			l.Changed(i)
		case 3:
			l.ShowEnd(rnd.IntN(len(fakes)), rnd.IntN(4))
		case 4:
			l.SetSize(80, 1+rnd.IntN(12))
		}
		var all []string
		start := 0
		for i, f := range fakes {
			if i == l.top.Item {
				start = len(all) + l.top.Line
			}
			all = append(all, f.Lines(0, 0, f.h)...)
		}
		want := all[start:min(start+l.height, len(all))]
		if len(all) >= l.height && len(want) < l.height {
			t.Fatalf("seed %d step %d: a hole at the bottom", seed, step)
		}
		if got := l.Lines(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d step %d: %v, want %v", seed, step, got, want)
		}
	}
}

func TestFenwick(t *testing.T) {
	var f fenwick
	f.build([]int{3, 1, 4, 1, 5})
	f.set(2, 2)
	if got := f.before(5); got != 12 {
		t.Errorf("sum %d", got)
	}
	for y, want := range []Anchor{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {2, 1}, {3, 0}, {4, 0}} {
		if item, line := f.at(y); (Anchor{item, line}) != want {
			t.Errorf("line %d: %d %d", y, item, line)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	heights := make([]int, 10_000)
	for i := range heights {
		heights[i] = 1 + i%9
	}
	l, _ := list(50, heights...)
	for b.Loop() {
		l.Scroll(1)
		l.Lines()
	}
}
