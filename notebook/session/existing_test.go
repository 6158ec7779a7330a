package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// existing is a session of one cell whose host runs the given kernels already.
func existing(t *testing.T, opt session.Options, runs ...kernelclient.Running) (*session.Session, notebook.CellKey) {
	t.Helper()
	doc := notebook.New()
	if err := doc.Do("insert", notebook.Insert{Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print one"}}}); err != nil {
		t.Fatal(err)
	}
	host := &hosttest.Host{Runs: runs, Drive: func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} }}
	s := session.New(doc, host, opt)
	t.Cleanup(func() {
		if err := errors.Join(s.Stop(context.Background(), true), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, doc.Cells()[0].Key
}

func TestExistingIsNotChosen(t *testing.T) {
	s, key := existing(t, session.Options{Existing: kernelclient.Latest},
		kernelclient.Running{File: "/r/a.json", Kernel: kernelclient.Kernel{Name: "odd", DisplayName: "Odd", Language: "odd"}})
	runAll(t, s, key)
	if k, _ := s.Kernel(); k.Name != "odd" {
		t.Errorf("runs on %+v", k)
	}
	if name, _, _ := s.Doc().Kernelspec(); name != "odd" {
		t.Errorf("the file names %q", name)
	}
}

func TestSwitchToAKernelThatRuns(t *testing.T) {
	unnamed := kernelclient.Running{File: "/r/b.json", Kernel: kernelclient.Kernel{DisplayName: "b.json"}}
	s, key := existing(t, session.Options{}, unnamed)
	if runs, err := s.RunningKernels(t.Context()); err != nil || len(runs) != 1 || runs[0] != unnamed {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, err := s.SwitchExisting(t.Context(), "/r/none.json"); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("got %v", err)
	}
	if s.Started() {
		t.Error("something was started")
	}
	if stop, err := s.SwitchExisting(t.Context(), "/r/b.json"); err != nil || stop != nil {
		t.Fatal(err)
	}
	runAll(t, s, key)
	if name, _, _ := s.Doc().Kernelspec(); name != "" {
		t.Errorf("the file names %q", name)
	}
}
