package kernelclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook/mime"
)

// says is a driver script: "say X", "show ID", "update ID", "ask" and "wait".
func says(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	word, rest, _ := strings.Cut(r.Code, " ")
	data := mime.Bundle{{Type: "text/plain", Value: []byte(`"x"`)}}
	switch word {
	case "say":
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: rest})
	case "show":
		f.Sink().Emit(r.ID, event.Display{ID: rest, Data: data})
	case "update":
		f.Sink().Emit(r.ID, event.Update{ID: rest, Data: data})
		f.Sink().Emit(r.ID, event.Update{ID: rest, Data: data})
	case "wait":
		return untilInterrupted(ctx, f, r)
	}
	return kernelclient.Outcome{Reason: event.Done}
}

// do runs pieces of code, named by their place, and waits for the end of the last.
func do(t *testing.T, l *kernelclient.Log, codes ...string) {
	t.Helper()
	for _, code := range codes {
		id := event.ExecID(code)
		submit(t, l, kernelclient.Request{ID: id, Cell: "cell of " + event.CellKey(code), Code: code})
	}
	read(t, l, ended(event.ExecID(codes[len(codes)-1])))
}

func saved(t *testing.T, l *kernelclient.Log, at kernelclient.Cursor) {
	t.Helper()
	if err := l.Saved(t.Context(), kernelclient.SaveMark{Path: "/n.ipynb", SHA256: "ab", Cursor: at, Cells: []event.CellKey{"k"}}); err != nil {
		t.Fatal(err)
	}
}

// kept reads the oldest events that are kept.
func kept(t *testing.T, l *kernelclient.Log) []event.Event {
	t.Helper()
	last := l.Info().Last.Seq
	return read(t, l, func(e event.Event) bool { return e.Seq == last })
}

func TestSavedDropsWhatTheFileHas(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: says})
	do(t, l, "say one", "say two")
	at := l.Info().Last
	do(t, l, "say three")
	submit(t, l, kernelclient.Request{ID: "wait", Code: "wait"}, kernelclient.Request{ID: "queued"})
	read(t, l, func(e event.Event) bool { _, ok := e.Body.(event.Started); return ok && e.Exec == "wait" })
	saved(t, l, at)
	got := story(kept(t, l))
	for _, gone := range []string{"say one:Accepted", "stdout \"one\"", "say two:Started", "starting 1"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is still there:\n%s", gone, got)
		}
	}
	for _, stays := range []string{"say one:Queued\n", "say one:done\n", "say two:Queued\n", "say two:done\n", "stdout \"three\"\n", "wait:Started\n", "queued:Queued\n"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%q is gone:\n%s", stays, got)
		}
	}
	if info := l.Info(); info.Saved.SHA256 != "ab" || info.Saved.Cursor != at || info.Running != 1 || info.Waiting != 1 {
		t.Errorf("%+v", info)
	}
	saved(t, l, l.Info().Last) // what runs and waits stays whole
	if got := story(kept(t, l)); !strings.Contains(got, "wait:Queued\n") || !strings.Contains(got, "wait:Started\n") || strings.Contains(got, "three\"") {
		t.Error(got)
	}
}

// An update of what a saved run shows still finds it, and of many updates the last counts.
func TestRunsThatShowUnderAnIDStay(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: says})
	do(t, l, "show a", "update a", "update other", "say x")
	saved(t, l, l.Info().Last)
	got := story(kept(t, l))
	for _, stays := range []string{"show a:Accepted\n", "show a:Started\n", "show a:Display\n"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%s is gone:\n%s", stays, got)
		}
	}
	if strings.Count(got, ":Update") != 1 {
		t.Errorf("one update is enough:\n%s", got)
	}
}

func TestCompactionIsBounded(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: says})
	var codes []string
	for i := range 400 {
		codes = append(codes, fmt.Sprint("show ", i))
	}
	do(t, l, codes...)
	saved(t, l, l.Info().Last)
	got := story(kept(t, l))
	if shown, ends := strings.Count(got, ":Display"), strings.Count(got, ":done"); shown != 64 || ends != 256 {
		t.Errorf("%d displays and %d ends are kept", shown, ends)
	}
}

func TestLateOutputAfterTheSave(t *testing.T) {
	f := &hosttest.Fake{Script: says}
	l := open(t, f)
	do(t, l, "say x")
	saved(t, l, l.Info().Last)
	f.Sink().Emit("say x", event.Stream{Name: "stdout", Text: "y"})
	if got := story(kept(t, l)); !strings.HasPrefix(got, "say x:Queued\n") || !strings.HasSuffix(got, "say x:done\nsay x:late stdout \"y\"\n") || strings.Contains(got, "Accepted") {
		t.Error(got)
	}
}

func TestCursors(t *testing.T) {
	l := open(t, &hosttest.Fake{Script: says})
	do(t, l, "say one")
	behind, ahead := l.Follow(kernelclient.Cursor{}), l.Follow(l.Info().Last)
	defer behind.Close()
	defer ahead.Close()
	first, err := behind.Next(t.Context())
	if err != nil || behind.Cursor() != (kernelclient.Cursor{Epoch: l.Info().Last.Epoch, Seq: first[len(first)-1].Seq}) {
		t.Fatal(err, behind.Cursor())
	}
	do(t, l, "say two")
	at := l.Info().Last
	saved(t, l, at)
	if _, err := behind.Next(t.Context()); !errors.Is(err, kernelclient.ErrCompacted) {
		t.Errorf("behind what was dropped: %v", err)
	}
	if _, err := ahead.Next(t.Context()); !errors.Is(err, kernelclient.ErrCompacted) {
		t.Errorf("behind what was dropped: %v", err)
	}
	for name, c := range map[string]kernelclient.Cursor{
		"another log's": {Epoch: "x", Seq: at.Seq}, "a number alone": {Seq: at.Seq}, "one that was dropped": {Epoch: at.Epoch, Seq: 1},
		"one to come": {Epoch: at.Epoch, Seq: at.Seq + 1},
	} {
		s := l.Follow(c)
		if _, err := s.Next(t.Context()); !errors.Is(err, kernelclient.ErrCompacted) {
			t.Errorf("%s: %v", name, err)
		}
		_ = s.Close()
	}
	s := l.Follow(at)
	defer s.Close()
	do(t, l, "say three")
	if got, err := s.Next(t.Context()); err != nil || got[0].Seq != at.Seq+1 {
		t.Errorf("%v %v", got, err)
	}
	// A mark of another log's names no place here.
	saved(t, l, kernelclient.Cursor{Epoch: "x", Seq: 1000})
	if got := story(kept(t, l)); !strings.Contains(got, "three") || l.Info().Saved.Cursor != (kernelclient.Cursor{}) {
		t.Error(got, l.Info().Saved)
	}
}
