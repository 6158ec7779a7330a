package output

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// story applies bodies as events of one run of cell a.
func story(s *Set, bodies ...event.Body) {
	run(s, "a", "e1", bodies...)
}

func run(s *Set, cell event.CellKey, exec event.ExecID, bodies ...event.Body) {
	s.Apply(event.Event{Exec: exec, Body: event.Queued{Cell: cell}})
	s.Apply(event.Event{Exec: exec, Body: event.Accepted{}})
	for _, b := range bodies {
		s.Apply(event.Event{Exec: exec, Body: b})
	}
}

func plain(text string) mime.Bundle {
	return mime.Bundle{{Type: "text/plain", Value: rawjson.Quote(text)}}
}

// told writes a cell's outputs as one line.
func told(s *Set, cell event.CellKey) string { return tell(s.Outputs(cell)) }

func tell(outs []mime.Output) string {
	var parts []string
	for _, o := range outs {
		switch b := o.Decode().(type) {
		case *mime.Stream:
			parts = append(parts, b.Name+":"+b.Text.String())
		case *mime.Data:
			text, _ := b.Bundle.Plain()
			parts = append(parts, fmt.Sprintf("data %v %d:%s", b.Result, b.Count, text))
		case *mime.Error:
			parts = append(parts, "error:"+b.Name)
		}
	}
	return strings.Join(parts, "|")
}

func check(t *testing.T, s *Set, cell event.CellKey, want string) {
	t.Helper()
	if got := told(s, cell); got != want {
		t.Errorf("cell %s has %q, want %q", cell, got, want)
	}
}

func TestStreams(t *testing.T) { // A38, B26
	s := NewSet(nil, 0)
	story(s,
		event.Stream{Name: "stdout", Text: "a"}, event.Stream{Name: "stdout", Text: "\n"},
		event.Stream{Name: "stderr", Text: "b\n"}, event.Stream{Name: "stdout", Text: "c\n"},
		event.Stream{Name: "stderr", Text: "WARNING:root:d\n"})
	check(t, s, "a", "stdout:a\n|stderr:b\n|stdout:c\n|stderr:WARNING:root:d\n")

	s = NewSet(nil, 0)
	story(s)
	var want strings.Builder
	for i := range 300 {
		line := fmt.Sprintln(i)
		want.WriteString(line)
		s.Apply(event.Event{Exec: "e1", Body: event.Stream{Name: "stdout", Text: line}})
	}
	check(t, s, "a", "stdout:"+want.String())
}

func TestOutputBetweenPiecesParts(t *testing.T) {
	s := NewSet(nil, 0)
	story(s, event.Started{Count: 4}, event.Stream{Name: "stdout", Text: "a"}, event.Display{Data: plain("x")},
		event.Stream{Name: "stdout", Text: "b"}, event.Result{Count: 4, Data: plain("r")}, event.Error{Name: "Boom"})
	check(t, s, "a", "stdout:a|data false 0:x|stdout:b|data true 4:r|error:Boom")
	if s.Count("a") != 4 {
		t.Error(s.Count("a"))
	}
}

func TestAnAnswerPartsAStream(t *testing.T) {
	s := NewSet(nil, 0)
	story(s, event.Stream{Name: "stdout", Text: "a"}, event.InputRequest{ID: "1"}, event.Stream{Name: "stdout", Text: "b"},
		event.InputClosed{ID: "1"}, event.Stream{Name: "stdout", Text: "c"}, event.Stream{Name: "stdout", Text: "d"})
	check(t, s, "a", "stdout:ab|stdout:cd")
}

func TestClearWaits(t *testing.T) { // B05
	s := NewSet(nil, 0)
	story(s)
	for i := range 20 {
		if changed := s.Apply(event.Event{Exec: "e1", Body: event.Clear{Wait: true}}); changed != nil {
			t.Error("a waiting clear changed", changed)
		}
		if i > 0 {
			check(t, s, "a", fmt.Sprintf("stdout:tick %d\n", i-1)) // never an empty frame
		}
		s.Apply(event.Event{Exec: "e1", Body: event.Stream{Name: "stdout", Text: fmt.Sprintf("tick %d\n", i)}})
	}
	check(t, s, "a", "stdout:tick 19\n")

	story(s, event.Display{Data: plain("one")}, event.Clear{Wait: true}, event.Clear{Wait: true},
		event.Display{Data: plain("two")}, event.Display{Data: plain("three")})
	check(t, s, "a", "data false 0:two|data false 0:three")
	story(s, event.Display{Data: plain("one")}, event.Clear{Wait: true}, event.Clear{}, event.Display{Data: plain("two")}, event.Display{Data: plain("three")})
	check(t, s, "a", "data false 0:two|data false 0:three")
	story(s, event.Display{Data: plain("stays")}, event.Clear{Wait: true}, event.Ended{Reason: event.Done})
	check(t, s, "a", "data false 0:stays")
	story(s, event.Display{Data: plain("gone")}, event.Clear{})
	check(t, s, "a", "")
}

func TestUpdatesReachEveryCell(t *testing.T) { // B06
	s := NewSet(nil, 0)
	run(s, "a", "e1", event.Display{ID: "k1", Data: plain("before")})
	run(s, "b", "e2", event.Display{ID: "k1", Data: plain("same id elsewhere")})
	before := s.Outputs("a")
	run(s, "c", "e3")
	changed := s.Apply(event.Event{Exec: "e3", Body: event.Update{ID: "k1", Data: plain("after")}})
	slices.Sort(changed)
	if !slices.Equal(changed, []event.CellKey{"a", "b"}) {
		t.Error("changed:", changed)
	}
	check(t, s, "a", "data false 0:after")
	check(t, s, "b", "data false 0:after")
	check(t, s, "c", "")
	if got := tell(before); got != "data false 0:before" {
		t.Errorf("a list that was handed out became %q", got)
	}
	if c := s.Apply(event.Event{Exec: "e3", Body: event.Update{ID: "nobody", Data: plain("x")}}); c != nil {
		t.Error("an unknown id changed", c)
	}
	run(s, "d", "e4", event.Display{ID: "h", Data: plain("x")})
	for i := range 5 {
		s.Apply(event.Event{Exec: "e4", Body: event.Update{ID: "h", Data: plain(fmt.Sprint(i))}})
	}
	check(t, s, "d", "data false 0:4")
	run(s, "a", "e5", event.Stream{Name: "stdout", Text: "new run"})
	if c := s.Apply(event.Event{Body: event.Update{ID: "k1", Data: plain("other client")}}); !slices.Equal(c, []event.CellKey{"b"}) {
		t.Error("an update reached an output that is gone:", c)
	}
	check(t, s, "a", "stdout:new run")
}

func TestOldOutputsStayUntilTheRunIsAccepted(t *testing.T) {
	s := NewSet(nil, 0)
	s.Load("a", mime.ReadOutputs(rawjson.Value(`[{"output_type":"stream","name":"stdout","text":["old\n"]}]`)), 3)
	s.Apply(event.Event{Exec: "e1", Body: event.Queued{Cell: "a"}})
	check(t, s, "a", "stdout:old\n")
	s.Apply(event.Event{Exec: "e1", Body: event.Ended{Reason: event.Cancelled}})
	check(t, s, "a", "stdout:old\n")
	story(s, event.Stream{Name: "stdout", Text: "new\n"})
	check(t, s, "a", "stdout:new\n")
}

func TestLateOutputGoesToItsCell(t *testing.T) {
	s := NewSet(nil, 0)
	run(s, "a", "e1", event.Ended{Reason: event.Done, Count: 1})
	run(s, "b", "e2")
	s.Apply(event.Event{Exec: "e1", Late: true, Body: event.Stream{Name: "stdout", Text: "late"}})
	check(t, s, "a", "stdout:late")
	check(t, s, "b", "")
	if s.Count("a") != 1 {
		t.Error("the count of the end was lost")
	}
	for _, e := range []event.Event{
		{Body: event.Stream{Name: "stderr", Text: "kernel log"}}, {Exec: "foreign", Body: event.Display{Data: plain("x")}},
	} {
		if c := s.Apply(e); c != nil {
			t.Error("output of no run of ours changed", c)
		}
	}
}

func TestGapIsSeen(t *testing.T) {
	s := NewSet(nil, 0)
	story(s, event.Stream{Name: "stdout", Text: "a"}, event.Gap{Detail: "10 messages were lost"})
	check(t, s, "a", "stdout:a|stderr:\n[10 messages were lost]\n")
}

func TestLimit(t *testing.T) {
	s := NewSet(nil, 1<<20)
	story(s)
	for range 4000 {
		s.Apply(event.Event{Exec: "e1", Body: event.Stream{Name: "stdout", Text: strings.Repeat("x", 1000)}})
	}
	if n := len(told(s, "a")); n > 1<<20+200 {
		t.Errorf("%d bytes are kept", n)
	}
}

// 25,000 displays with the screen looking after each must not cost the square of that.
func BenchmarkDisplays(b *testing.B) {
	for b.Loop() {
		s := NewSet(nil, 0)
		story(s)
		for i := range 25_000 {
			s.Apply(event.Event{Exec: "e1", Body: event.Display{ID: fmt.Sprint(i), Data: plain("x")}})
			if len(s.Outputs("a")) != i+1 {
				b.Fatal("lost one")
			}
		}
	}
}
