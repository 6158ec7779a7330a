package session_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// several is a session whose host has kernels of these names; one that begins with "broken" cannot be started.
func several(t *testing.T, source, spec string, names ...string) (*session.Session, map[string]*hosttest.Fake, notebook.CellKey) {
	t.Helper()
	doc, err := notebook.Parse([]byte(`{"cells":[],"metadata":{"kernelspec":{"display_name":"X","language":"x","name":"` + spec + `"}},"nbformat":4,"nbformat_minor":5}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Do("insert", notebook.Insert{Cells: []notebook.NewCell{{Type: notebook.Code, Source: source}}}); err != nil {
		t.Fatal(err)
	}
	fakes := map[string]*hosttest.Fake{}
	host := &hosttest.Host{Drive: func(spec kernelclient.StartSpec) kernelclient.Driver { return fakes[spec.Kernel] }}
	for _, n := range names {
		k := kernelclient.Kernel{Name: n, DisplayName: "The " + n, Language: "python", Found: "/x"}
		if strings.HasPrefix(n, "broken") {
			k.Broken = "its program is missing"
		}
		host.List = append(host.List, k)
		fakes[n] = &hosttest.Fake{Script: script}
	}
	s := session.New(doc, host, session.Options{AllowStdin: true})
	t.Cleanup(func() {
		if err := s.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, fakes, doc.Cells()[0].Key
}

func TestSwitchAwayFromARunningKernel(t *testing.T) {
	s, fakes, key := several(t, "wait", "one", "one", "two")
	if err := s.Run(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(key).Phase == session.Running })
	old := s.Follow()
	stop, err := s.SwitchKernel(t.Context(), "two")
	if err != nil || stop == nil {
		t.Fatal(err)
	}
	if st := s.Status(key); st.Phase != session.Died || !strings.Contains(st.Detail, "changed to two") || s.Running() {
		t.Errorf("%+v, running %v", st, s.Running())
	}
	for err == nil {
		_, err = old(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the old kernel's log ends with %v", err)
	}
	if k, _ := s.Kernel(); k.Name != "two" {
		t.Errorf("runs on %s", k.Name)
	}
	if name, display, _ := s.Doc().Kernelspec(); name != "two" || display != "The two" {
		t.Errorf("the file names %s, %s", name, display)
	}
	if err := s.Doc().Do("edit", notebook.SetSource{Key: key, Source: "print hello"}); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, key) // before the old one has ended
	if got := text(s.Doc().Cell(key)); got != "hello\n" {
		t.Errorf("got %q", got)
	}
	if err := stop(t.Context()); err != nil || !fakes["one"].Closed() || fakes["two"].Closed() {
		t.Errorf("%v, closed: %v %v", err, fakes["one"].Closed(), fakes["two"].Closed())
	}
}

func TestSwitchWhereNoneRuns(t *testing.T) { // B27
	s, _, key := several(t, "print hi", "no-such-kernel-xyz", "builtin-python")
	err := s.Run(t.Context(), key)
	if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "no-such-kernel-xyz") || s.Started() {
		t.Fatal(err)
	}
	if name, _, _ := s.Doc().Kernelspec(); name != "no-such-kernel-xyz" {
		t.Errorf("the file names %s before anything was chosen", name)
	}
	stop, err := s.SwitchKernel(t.Context(), "builtin-python")
	if err != nil || stop != nil {
		t.Fatal(err)
	}
	runAll(t, s, key)
	if name, display, language := s.Doc().Kernelspec(); name != "python3" || display != "Python 3" || language != "python" {
		t.Errorf("the file names %s, %s, %s", name, display, language)
	}
}

func TestSwitchThatFailsLeavesTheKernelAlone(t *testing.T) { // B28
	s, fakes, key := several(t, "print hi", "one", "one", "broken")
	runAll(t, s, key)
	for _, name := range []string{"broken", "nosuch"} {
		if _, err := s.SwitchKernel(t.Context(), name); !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	runAll(t, s, key)
	if name, _, _ := s.Doc().Kernelspec(); name != "one" || fakes["one"].Closed() {
		t.Errorf("the file names %s", name)
	}
}

func TestStopEndsTheOldKernelToo(t *testing.T) {
	s, fakes, key := several(t, "print hi", "one", "one", "two")
	runAll(t, s, key)
	if _, err := s.SwitchKernel(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context(), true); err != nil || !fakes["one"].Closed() || !fakes["two"].Closed() {
		t.Errorf("%v, closed: %v %v", err, fakes["one"].Closed(), fakes["two"].Closed())
	}
}
