package kernelclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// shape writes runs of equal events in short.
func shape(s *store) string {
	var words []string
	for _, r := range s.records {
		w := fmt.Sprintf("%s:%s", r.event.Exec, strings.TrimPrefix(fmt.Sprintf("%T", r.event.Body), "event."))
		if n := len(words) - 1; n < 0 || words[n] != w {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func TestTrimLeavesHeadTailAndMark(t *testing.T) {
	s := newStore("", 1<<20, false)
	s.limit = 32 << 20
	block := strings.Repeat("x", 1<<20)
	line := func(exec event.ExecID, i int) {
		s.append(event.Event{Exec: exec, Body: event.Stream{Name: "stdout", Text: fmt.Sprintf("%d %s", i, block)}})
		s.trim()
	}
	for _, exec := range []event.ExecID{"a", "b"} {
		s.append(event.Event{Exec: exec, Body: event.Queued{}})
		for i := range 12 {
			line(exec, i)
		}
		s.append(event.Event{Exec: exec, Body: event.Ended{}})
	}
	s.append(event.Event{Exec: "c", Body: event.Queued{}})
	for i := range 12 {
		line("c", i)
	}
	// The oldest lost its middle, the others nothing.
	if got := shape(s); got != "a:Queued a:Stream a:Gap a:Stream a:Ended b:Queued b:Stream b:Ended c:Queued c:Stream" {
		t.Fatal(got)
	}
	for i := 12; i < 200; i++ {
		line("c", i)
	}
	if got := shape(s); got != "a:Queued a:Stream a:Gap a:Stream a:Ended b:Queued b:Stream b:Gap b:Stream b:Ended c:Queued c:Stream c:Gap c:Stream" {
		t.Fatal(got)
	}
	if s.held > s.limit {
		t.Errorf("%d bytes are kept", s.held)
	}
	checkEnds(t, s, 200)
}

// checkEnds looks at what is left of the run c: its first and last lines, and how much is missing.
func checkEnds(t *testing.T, s *store, lines int) {
	t.Helper()
	var held, seq uint64
	var got []string
	for _, r := range s.records {
		if r.event.Seq <= seq {
			t.Fatalf("Seq %d after %d", r.event.Seq, seq)
		}
		seq = r.event.Seq
		held += uint64(weigh(r))
		if r.event.Exec != "c" {
			continue
		}
		switch b := r.event.Body.(type) {
		case event.Stream:
			word, _, _ := strings.Cut(b.Text, " ")
			got = append(got, word)
		case event.Gap:
			got = append(got, b.Detail)
		}
	}
	kept := len(got) - 1
	var missing int
	for _, w := range got {
		if n, _ := fmt.Sscanf(w, "%d bytes of output left out here", &missing); n == 1 && len(w) > 5 {
			break
		}
	}
	if got[0] != "0" || got[len(got)-1] != fmt.Sprint(lines-1) || missing>>20 != lines-kept {
		t.Errorf("%d MiB are missing of %d, there are %q", missing>>20, lines, got)
	}
	if held != uint64(s.held) {
		t.Errorf("%d bytes held, %d counted", held, s.held)
	}
}

// What a later event made needless goes first, and without a mark.
func TestTrimDropsTheNeedless(t *testing.T) {
	s := newStore("", 0, false)
	s.limit = 8 << 20
	data := mime.Bundle{{Type: "t", Value: rawjson.Quote(strings.Repeat("x", 1<<20))}}
	s.append(event.Event{Exec: "a", Body: event.Queued{}})
	s.append(event.Event{Exec: "a", Body: event.Display{ID: "d", Data: data}})
	for range 100 {
		s.append(event.Event{Exec: "a", Body: event.Update{ID: "d", Data: data}})
		s.trim()
	}
	if s.needless(); shape(s) != "a:Queued a:Display a:Update" || len(s.records) != 3 {
		t.Error(shape(s), len(s.records))
	}
	for range 100 {
		s.append(event.Event{Exec: "b", Body: event.Clear{Wait: true}})
		s.append(event.Event{Exec: "b", Body: event.Display{Data: data}})
		s.trim()
	}
	s.append(event.Event{Exec: "b", Body: event.Clear{Wait: true}}) // nothing came after it yet
	if s.needless(); shape(s) != "a:Queued a:Display a:Update b:Clear b:Display b:Clear" {
		t.Error(shape(s))
	}
	s.append(event.Event{Exec: "b", Body: event.Clear{}})
	if s.needless(); shape(s) != "a:Queued a:Display a:Update b:Clear" {
		t.Error(shape(s))
	}
}
