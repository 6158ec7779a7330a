package output

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// countedRight adds up what a cell holds, and tells whether it adds up.
func countedRight(t *testing.T, s *Set, key event.CellKey) (total int64) {
	t.Helper()
	c := s.cells[key]
	for _, o := range c.outs {
		total += counted(o)
	}
	if total != c.bytes {
		t.Errorf("%d bytes are counted, there are %d", c.bytes, total)
	}
	return total
}

// Whatever a cell puts out and however it is mixed, head, tail and a mark stay.
func TestLimitOfACell(t *testing.T) {
	const limit = 1 << 20
	piece := strings.Repeat("x", 1000)
	for name, body := range map[string]func(i int) event.Body{
		"stream": func(i int) event.Body { return event.Stream{Name: "stdout", Text: fmt.Sprintf("<%d>%s\n", i, piece)} },
		"two streams": func(i int) event.Body {
			return event.Stream{Name: []string{"stdout", "stderr"}[i%2], Text: fmt.Sprintf("<%d>%s\n", i, piece)}
		},
		"long streams": func(i int) event.Body {
			return event.Stream{Name: []string{"stdout", "stderr"}[i/700%2], Text: fmt.Sprintf("<%d>%s\n", i, piece)}
		},
		"displays": func(i int) event.Body { return event.Display{Data: plain(fmt.Sprintf("<%d>%s", i, piece))} },
		"display and streams": func(i int) event.Body {
			if i == 300 {
				return event.Display{Data: plain(fmt.Sprintf("<%d>%s", i, strings.Repeat(piece, 500)))}
			}
			return event.Stream{Name: []string{"stdout", "stderr"}[i/200%2], Text: fmt.Sprintf("<%d>%s\n", i, piece)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSet(nil, limit)
			story(s)
			const n = 5000
			for i := range n {
				s.Apply(event.Event{Exec: "e1", Body: body(i)})
				if i%500 == 0 && countedRight(t, s, "a") > limit+200 {
					t.Fatalf("after %d: %d bytes", i, s.cells["a"].bytes)
				}
			}
			all := n * 1000
			if name == "display and streams" {
				all += 499 * 1000
			}
			got := told(s, "a")
			for _, want := range []string{"<0>", "<1>", "<299>", fmt.Sprintf("<%d>", n-1), "left out here (output_limit)"} {
				if !strings.Contains(got, want) {
					t.Errorf("%s is gone", want)
				}
			}
			if strings.Contains(got, "<2500>") || int64(len(got)) < limit*3/4 || len(got) > limit+2000 {
				t.Errorf("%d bytes are left", len(got))
			}
			checkGone(t, got, all)
		})
	}
}

// checkGone tells whether the marks say about what is missing.
func checkGone(t *testing.T, got string, all int) {
	t.Helper()
	told := 0
	for _, part := range strings.Split(got, "\n… ")[1:] {
		var n int
		if _, err := fmt.Sscanf(part, "%d bytes of output left out", &n); err != nil {
			t.Fatal(err)
		}
		told += n
	}
	if kept := strings.Count(got, "x"); told < all-kept || told > (all-kept)*11/10 {
		t.Errorf("%d of %d are left, the marks tell of %d", kept, all, told)
	}
}

// A display that moved up with the middle gone is still the one that updates change.
func TestUpdateAfterTheMiddleWent(t *testing.T) {
	s := NewSet(nil, 100_000)
	story(s)
	for i := range 300 {
		s.Apply(event.Event{Exec: "e1", Body: event.Display{ID: fmt.Sprint("d", i), Data: plain(strings.Repeat("x", 1000))}})
	}
	before := s.Outputs("a")
	if s.Apply(event.Event{Exec: "e1", Body: event.Update{ID: "d150", Data: plain("new")}}) != nil {
		t.Error("a display that is gone changed")
	}
	for _, id := range []string{"d0", "d298"} {
		s.Apply(event.Event{Exec: "e1", Body: event.Update{ID: id, Data: plain("new " + id)}})
	}
	after := s.Outputs("a")
	if got := tell(after[:1]) + tell(after[len(after)-2:len(after)-1]); got != "data false 0:new d0data false 0:new d298" {
		t.Errorf("got %s", got)
	}
	if len(before) != len(after) || tell(before) == tell(after) {
		t.Error("a list that was handed out changed")
	}
	countedRight(t, s, "a")
}

func TestNoLimit(t *testing.T) {
	s := NewSet(nil, -1)
	story(s)
	for range 100 {
		s.Apply(event.Event{Exec: "e1", Body: event.Stream{Name: "stdout", Text: strings.Repeat("x", 1<<16)}})
	}
	if n := s.Outputs("a")[0].Body.(*mime.Stream).Text.Len(); n != 100<<16 {
		t.Errorf("%d bytes are left", n)
	}
}
