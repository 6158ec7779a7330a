package output

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

// Whatever the outputs are, and however they are mixed, most of them go to disk, and all
// are there when they are read.
func TestManyOutputsAreSpilled(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	data := mime.Bundle{{Type: "text/plain", Value: rawjson.Quote(big)}}
	for name, bodies := range map[string][]event.Body{
		"displays": {event.Display{Data: data}},
		"results":  {event.Result{Data: data}},
		"errors":   {event.Error{Name: "E", Value: big}},
		"streams":  {event.Stream{Name: "stdout", Text: big}, event.Stream{Name: "stderr", Text: big}},
		"updates":  {event.Display{ID: "new"}, event.Update{ID: "new", Data: data}},
	} {
		t.Run(name, func(t *testing.T) {
			var file spill.File
			defer file.Close()
			s := NewSet(&file, 0)
			story(s)
			for i := range 100 {
				for _, b := range bodies {
					s.Apply(event.Event{Exec: "e1", Body: named(b, i)})
				}
			}
			if file.Size() < 100<<20-InMemory {
				t.Errorf("%d bytes were spilled", file.Size())
			}
			var total int64
			for _, o := range s.Outputs("a") {
				switch b := o.Decode().(type) {
				case *mime.Stream:
					total += b.Text.Len()
				default:
					total += mime.Size(b)
				}
			}
			if total < 100<<20 {
				t.Errorf("%d bytes are left", total)
			}
		})
	}
}

// named gives every display of a round an id of its own.
func named(b event.Body, round int) event.Body {
	id := fmt.Sprint(round)
	switch b := b.(type) {
	case event.Display:
		b.ID = id
		return b
	case event.Update:
		b.ID = id
		return b
	}
	return b
}

func TestUpdateOfASpilledDisplay(t *testing.T) {
	var file spill.File
	defer file.Close()
	s := NewSet(&file, 0)
	story(s, event.Display{ID: "d", Data: plain(strings.Repeat("x", holdFrom))})
	s.relieve()
	if file.Size() == 0 {
		t.Fatal("nothing was spilled")
	}
	s.Load("b", s.Outputs("a"), 0)
	s.Apply(event.Event{Exec: "e1", Body: event.Update{ID: "d", Data: plain("new")}})
	check(t, s, "a", "data false 0:new")
	check(t, s, "b", "data false 0:new")
}

// A disk that refuses costs memory, not output.
func TestNoRoomOnDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	var file spill.File
	defer file.Close()
	s := NewSet(&file, 0)
	text := strings.Repeat("x", holdFrom)
	story(s, event.Display{Data: plain(text)}, event.Stream{Name: "stdout", Text: text})
	s.relieve()
	check(t, s, "a", "data false 0:"+text+"|stdout:"+text)
	if !s.full {
		t.Error("it would try again")
	}
}
