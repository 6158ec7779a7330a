package bridge

import (
	"fmt"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// A place keeps the epoch of the log that it was read in: that another process answers now
// does not make it one in that process's log.
func TestPlaceKeepsItsEpoch(t *testing.T) {
	c := newClient(ClientOptions{})
	s := &stream{
		k: newRemote(c, contextWire{ID: "id", Rev: 1}, startRequest{}), more: make(chan struct{}, 1), room: make(chan struct{}, 1),
		open: map[event.ExecID]bool{},
	}
	hear := func(epoch string, seq uint64) {
		t.Helper()
		if err := s.line(jsonLine(line{Line: infoLine, Info: &contextWire{ID: "id", Rev: 2, Epoch: epoch}})); err != nil {
			t.Fatal(err)
		}
		if seq == 0 {
			return
		}
		e := event.Event{Seq: seq, Time: time.Now(), Body: event.State{State: event.Idle}}
		if err := s.line(append(e.AppendJSON(nil), '\n')); err != nil {
			t.Fatal(err)
		}
	}
	hear("first", 5)
	hear("second", 0)
	batch, err := s.take()
	want := kernelclient.Cursor{Epoch: "first", Seq: 5}
	if got := fmt.Sprint(len(batch), err, s.Cursor(), s.place()); got != fmt.Sprint(1, nil, want, want) {
		t.Errorf("got %s", got)
	}
	hear("second", 6)
	if got := s.place(); got != (kernelclient.Cursor{Epoch: "second", Seq: 6}) {
		t.Errorf("got %v", got)
	}
}

// A host process that took the place of another is believed, though the clock, which its
// numbers begin with, was set back in between.
func TestDescriptionAfterClockWasSetBack(t *testing.T) {
	k := newRemote(newClient(ClientOptions{}), contextWire{ID: "id", Rev: 1000, Epoch: "first", State: "busy"}, startRequest{})
	for _, step := range []struct {
		rev         int64
		epoch, says string
		want        event.KernelState
	}{
		{999, "first", "starting", event.Busy},
		{10, "second", "dead", event.Dead},
		{9, "second", "idle", event.Dead},
		{11, "second", "idle", event.Idle},
	} {
		k.learn(contextWire{ID: "id", Rev: step.rev, Epoch: step.epoch, State: step.says})
		if got := k.Info().State.State; got != step.want {
			t.Errorf("after %d of %s: %s", step.rev, step.epoch, got)
		}
	}
}
