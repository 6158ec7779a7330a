package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
)

func TestCompleteAndInspect(t *testing.T) {
	fake := &hosttest.Fake{
		Script: script,
		Completer: func(_ context.Context, code string, cursor int) (kernelclient.Completion, error) {
			return kernelclient.Completion{Start: cursor - 1, End: cursor, Matches: []kernelclient.Match{{Text: code[:cursor] + "!"}}}, nil
		},
		Inspector: func(_ context.Context, code string, cursor int) (kernelclient.Inspection, error) {
			return kernelclient.Inspection{Found: true, Data: mime.Bundle{{Type: "text/plain", Value: []byte(`"help"`)}}}, nil
		},
	}
	s, keys := withFake(t, codeCells(t, "wait", "print b"), fake, session.Options{})
	if _, err := s.Complete(t.Context(), keys[0], "ab", 1); !errors.Is(err, kernelclient.Gone) {
		t.Errorf("without a kernel: %v", err)
	}
	runAll(t, s, keys[1])
	type answer struct {
		c   session.Completion
		err error
	}
	got := make(chan answer)
	go func() { // while its owner goes on
		c, err := s.Complete(context.Background(), keys[0], "ab", 1)
		got <- answer{c, err}
	}()
	if err := s.Doc().Do("edit", notebook.SetSource{Key: keys[1], Source: "wait"}); err != nil {
		t.Fatal(err)
	}
	a := <-got
	if a.err != nil || a.c.Start != 0 || a.c.End != 1 || a.c.Matches[0].Text != "a!" {
		t.Errorf("%+v", a)
	}
	if !a.c.Fresh(keys[0], "ab", 1) || a.c.Fresh(keys[0], "abc", 1) || a.c.Fresh(keys[0], "ab", 2) || a.c.Fresh(keys[1], "ab", 1) {
		t.Error("it does not know what it was about")
	}
	if c, err := s.Complete(t.Context(), keys[0], "ab", 99); err != nil || c.End != 2 {
		t.Errorf("past the end: %+v %v", c, err)
	}
	i, err := s.Inspect(t.Context(), keys[0], "ab", 1, 0)
	if text, _ := i.Data.Plain(); err != nil || !i.Found || text != "help" || !i.Fresh(keys[0], "ab", 1) {
		t.Errorf("%+v %v", i, err)
	}
	if err := s.Run(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[0]).Phase == session.Running })
	if _, err := s.Complete(t.Context(), keys[0], "ab", 1); !errors.Is(err, kernelclient.ErrBusy) {
		t.Errorf("while it runs: %v", err)
	}
}

func TestKernelThatCannotBeAsked(t *testing.T) {
	s, keys := newSession(t, "print b")
	runAll(t, s, keys...)
	if _, err := s.Complete(t.Context(), keys[0], "ab", 1); !errors.Is(err, kernelclient.Unsupported) {
		t.Error(err)
	}
	if _, err := s.Inspect(t.Context(), keys[0], "ab", 1, 0); !errors.Is(err, kernelclient.Unsupported) {
		t.Error(err)
	}
}

func TestKernelThatIsNotReadyToBeAsked(t *testing.T) {
	fake := &hosttest.Fake{
		Hold: make(chan struct{}),
		Completer: func(context.Context, string, int) (kernelclient.Completion, error) {
			return kernelclient.Completion{}, nil
		},
	}
	s, keys := withFake(t, codeCells(t, "print b"), fake, session.Options{})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Complete(t.Context(), keys[0], "ab", 1); !errors.Is(err, kernelclient.Gone) {
		t.Error(err)
	}
	close(fake.Hold)
	until(t, s, func() bool { return s.State().State == event.Idle })
	if _, err := s.Complete(t.Context(), keys[0], "ab", 1); err != nil {
		t.Error(err)
	}
}

func TestWords(t *testing.T) {
	s, keys := newSession(t, "alpha = alpine + al\nalpha2 = 12al", "naïve_étage = 1; alphabet(x)")
	doc := s.Doc()
	if err := doc.Do("add", notebook.Insert{At: 2, Cells: []notebook.NewCell{{Type: notebook.Markdown, Source: "also prose"}}}); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string][]string{
		"al": {"alpha", "alpha2", "alphabet", "alpine"}, "alpha": {"alpha2", "alphabet"}, "naïve_é": {"naïve_étage"},
		"x": nil, "12": nil, "": nil, "zz": nil,
	} {
		for _, got := range [][]string{s.Words(prefix), session.Words(doc.Cells(), prefix)} {
			if !slices.Equal(got, want) {
				t.Errorf("%q: %q, not %q", prefix, got, want)
			}
		}
	}
	if err := doc.Do("edit", notebook.SetSource{Key: keys[0], Source: "almost"}); err != nil {
		t.Fatal(err)
	}
	if err := doc.Do("delete", notebook.Delete{Keys: keys[1:2]}); err != nil {
		t.Fatal(err)
	}
	if got := s.Words("al"); !slices.Equal(got, []string{"almost"}) {
		t.Errorf("after an edit and a deletion: %q", got)
	}
}

func TestWordStart(t *testing.T) {
	for _, c := range []struct {
		source     string
		at, starts int
	}{{"x = naïve", 10, 4}, {"x.né", 5, 2}, {"x ", 2, 2}, {"", 0, 0}, {"ab", 99, 0}, {"😀ab", 6, 4}} {
		if got := session.WordStart(c.source, c.at); got != c.starts {
			t.Errorf("%q at %d: %d", c.source, c.at, got)
		}
	}
}
