package kernelclient

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Whatever a kernel sends in large amounts goes to disk, and comes back as it was.
func TestEveryLargeBodyIsSpilled(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	data := mime.Bundle{{Type: "a/b", Value: rawjson.Quote(big)}, {Type: "text/plain", Value: rawjson.Quote("small")}}
	for _, body := range []event.Body{
		event.Stream{Name: "stdout", Text: big},
		event.Error{Name: "Boom", Value: big, Traceback: []string{"one", big}},
		event.Error{Name: "Boom", Value: big},
		event.Payload{Source: "page", Data: rawjson.Quote(big)},
		event.Unknown{Type: "odd", Content: rawjson.Quote(big)},
		event.Result{Count: 3, Data: data, Metadata: rawjson.Value(`{}`)},
		event.Display{ID: "d", Data: data},
		event.Update{ID: "d", Data: data},
	} {
		t.Run(fmt.Sprintf("%T", body), func(t *testing.T) {
			s := newStore("", 0, false)
			defer s.spills.now.Close()
			for range 80 {
				s.append(event.Event{Exec: "x", Body: body})
				s.append(event.Event{Exec: "x", Body: event.Clear{}})
			}
			select {
			case <-s.pressed:
			default:
				t.Fatal("not counted")
			}
			if err := s.relieve(); err != nil {
				t.Fatal(err)
			}
			var held int64
			for i, r := range s.records {
				held += payload(r.event.Body)
				if _, metadata := bundleOf(r.event.Body); r.away != nil && metadata != nil {
					t.Fatal("the metadata keeps the whole message in memory")
				}
				if e := restore(r); i%2 == 0 && !reflect.DeepEqual(e.Body, body) {
					t.Fatalf("record %d came back as another", i)
				}
			}
			if held > storeMemory/2 || held != s.memory {
				t.Errorf("%d bytes in memory, %d counted", held, s.memory)
			}
		})
	}
}

func TestForgetDropsWhatEveryFollowerTook(t *testing.T) {
	s := newStore("", 0, true)
	defer s.spills.now.Close()
	put := func(n int) {
		for range n {
			s.append(event.Event{Body: event.Display{Data: mime.Bundle{{Type: "t", Value: rawjson.Value(`"x"`)}}}})
		}
	}
	take := func(f *follower) (seqs []uint64) {
		batch, err := f.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			seqs = append(seqs, e.Seq)
		}
		return seqs
	}
	put(3) // before anybody follows everything stays
	quick, slow := s.follow(Cursor{}), s.follow(Cursor{})
	if got := take(quick); len(got) != 3 || len(s.records) != 3 {
		t.Fatal("the slow one lost something:", got, len(s.records))
	}
	put(2)
	if got := take(slow); len(got) != 5 || got[4] != 5 || s.dropped != 3 {
		t.Fatal(got, s.dropped)
	}
	if got := take(s.follow(Cursor{})); len(got) != 2 || got[0] != 4 {
		t.Fatal("a late follower begins at", got)
	}
	if got := take(quick); len(got) != 2 || len(s.records) != 0 || s.memory != 0 {
		t.Fatal(got, len(s.records), s.memory)
	}
	put(1)
	if got := take(slow); len(got) != 1 || got[0] != 6 {
		t.Fatal(got)
	}
	_ = slow.Close()
}

// What is moved to disk and what is dropped at once do not disturb each other.
func TestForgetWhileSpilling(t *testing.T) {
	s := newStore("", 0, true)
	defer s.spills.now.Close()
	f := s.follow(Cursor{})
	value := rawjson.Quote(strings.Repeat("x", 1<<20))
	for i := 1; i <= 100; i++ {
		s.append(event.Event{Body: event.Display{ID: fmt.Sprint(i), Data: mime.Bundle{{Type: "t", Value: value}}}})
	}
	if err := s.relieve(); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 100; {
		batch, err := f.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			if d := e.Body.(event.Display); d.ID != fmt.Sprint(i) || len(d.Data[0].Value) != len(value) {
				t.Fatalf("event %d is display %s with %d bytes", i, d.ID, len(d.Data[0].Value))
			}
			i++
		}
	}
	if s.memory != 0 || len(s.records) != 0 {
		t.Errorf("%d bytes, %d records are left", s.memory, len(s.records))
	}
}

// A log that lives long gives back the disk that its saved runs took.
func TestCompactionFreesTheSpillFile(t *testing.T) {
	s := newStore("", 1<<20, false)
	value := rawjson.Quote(strings.Repeat("x", 1<<20))
	fill := func(exec event.ExecID) {
		s.append(event.Event{Exec: exec, Body: event.Queued{}})
		for range 4 {
			s.append(event.Event{Exec: exec, Body: event.Display{Data: mime.Bundle{{Type: "t", Value: value}}}})
		}
		if err := s.relieve(); err != nil {
			t.Fatal(err)
		}
		s.append(event.Event{Exec: exec, Body: event.Ended{}})
	}
	fill("a")
	f := s.follow(Cursor{})
	records, _, err := f.store.batch(f)
	if err != nil {
		t.Fatal(err)
	}
	was := s.spills.now
	s.compact(s.last)
	if s.memory != 0 || s.spills.now == was || len(s.records) != 2 {
		t.Errorf("%d bytes, %d records", s.memory, len(s.records))
	}
	// Who is reading what was dropped still gets it.
	for _, e := range s.read(records) {
		if d, ok := e.Body.(event.Display); ok && len(d.Data[0].Value) != len(value) {
			t.Errorf("%+v", e.Body)
		}
	}
	if was.Size() == 0 || len(s.spills.old) != 0 {
		t.Error("the old file is still held")
	}
	fill("b")
	if s.spills.now.Size() == 0 {
		t.Error("nothing was spilled")
	}
	_ = f.Close()
	s.end()
}
