package session_test

import (
	"context"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// What waits for a kernel is marked, can be taken out of the queue, and is run once it is there.
func TestAwait(t *testing.T) {
	s, _, key := several(t, "print hi", "one", "one")
	if err := s.Doc().Do("insert", notebook.Insert{At: 1, Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print no"}, {Type: notebook.Code, Source: " "}}}); err != nil {
		t.Fatal(err)
	}
	cells := s.Doc().Cells()
	other := cells[1].Key
	if other == key {
		other = cells[0].Key
	}
	s.Await(key, other, cells[2].Key)
	s.Await(key)
	if s.Status(key).Phase != session.Queued || s.Status(other).Phase != session.Queued || !s.Running() {
		t.Error("what waits for a kernel does not show it")
	}
	if err := s.Cancel(t.Context(), other); err != nil || s.Status(other).Phase != session.Fresh {
		t.Errorf("taken out: %v", err)
	}
	f, err := s.Find()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys := s.Awaited()
	if len(keys) != 1 || keys[0] != key || s.Running() {
		t.Fatal(keys)
	}
	s.Take(t.Context(), f)
	runAll(t, s, keys...)
	if got := text(s.Doc().Cell(key)); got != "hi\n" {
		t.Errorf("%q", got)
	}
	if f, err = s.Find()(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Take(t.Context(), f) // another was quicker: this one ends with the session
}

func TestDiscard(t *testing.T) {
	s, fakes, _ := several(t, "x", "one", "one")
	f, err := s.Find()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(t.Context()); err != nil || !fakes["one"].Closed() || s.Started() {
		t.Errorf("it goes on: %v", err)
	}
}

// A kernel of another host takes the place of the present one; the host is opened once.
func TestSwitchToAnotherHost(t *testing.T) {
	opened := 0
	far := &hosttest.Host{
		List:    []kernelclient.Kernel{{Name: "python", Language: "python"}},
		Drive:   func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} },
		Address: "e2b:x",
	}
	near := &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "one", Language: "python"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} },
	}
	doc := notebook.New()
	if err := doc.Do("insert", notebook.Insert{Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print hi"}}}); err != nil {
		t.Fatal(err)
	}
	key := doc.Cells()[0].Key
	s := session.New(doc, near, session.Options{Dir: "/here", Places: []session.Place{{
		Name: "box", Address: "e2b:x", Open: func() (kernelclient.Host, error) { opened++; return far, nil },
	}}})
	defer func() {
		if err := s.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.Start(t.Context()); err != nil || s.Far() {
		t.Fatal(err)
	}
	if list, err := s.KernelsAt(t.Context(), 0); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	f, err := s.FindAt(0, "python")(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stop := s.Switch(t.Context(), f); stop == nil {
		t.Error("the old kernel is left alone")
	}
	if where, _ := s.Where(); where != "e2b:x" || !s.Far() || opened != 1 {
		t.Errorf("it runs at %q; opened %d times", where, opened)
	}
	runAll(t, s, key)
	if got := text(doc.Cell(key)); got != "hi\n" {
		t.Errorf("%q", got)
	}
	if infos, _ := far.Contexts(t.Context()); len(infos) != 1 || infos[0].Dir != "" {
		t.Errorf("%+v", infos)
	}
}
