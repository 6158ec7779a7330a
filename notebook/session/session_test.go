package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script runs a cell whose text is a word of a small language: "print X", "fail", "die", "wait", "ask", "update X",
// "payload JSON" with any number of payloads.
func script(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	word, rest, _ := strings.Cut(r.Code, " ")
	emit := func(b event.Body) { f.Sink().Emit(r.ID, b) }
	switch word {
	case "print":
		emit(event.Stream{Name: "stdout", Text: rest + "\n"})
	case "show":
		emit(event.Display{ID: "d", Data: mime.Bundle{{Type: "text/plain", Value: []byte(`"` + rest + `"`)}}})
	case "update":
		emit(event.Update{ID: "d", Data: mime.Bundle{{Type: "text/plain", Value: []byte(`"` + rest + `"`)}}})
	case "fail":
		emit(event.Error{Name: "ValueError", Value: "stop here"})
		return kernelclient.Outcome{Reason: event.Failed}
	case "payload":
		v, err := rawjson.Parse([]byte("[" + rest + "]"))
		if err != nil {
			panic(err)
		}
		for _, p := range v.Elements() {
			emit(event.Payload{Source: p.Get("source").Str(), Data: p})
		}
	case "die":
		f.Die("the kernel was killed by SIGKILL")
		return kernelclient.Outcome{Reason: event.Died, Detail: "the kernel was killed by SIGKILL"}
	case "ask":
		emit(event.InputRequest{ID: "q", Prompt: "who? "})
		select {
		case line := <-f.Answers():
			emit(event.Stream{Name: "stdout", Text: "hi " + line + "\n"})
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		case <-ctx.Done():
		}
	case "wait":
		select {
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		case <-f.Gone():
			return kernelclient.Outcome{Reason: event.Restarted}
		case <-ctx.Done():
			return kernelclient.Outcome{Reason: event.Lost}
		}
	}
	return kernelclient.Outcome{Reason: event.Done}
}

// newSession is a session over a notebook of code cells with these sources.
func newSession(t *testing.T, sources ...string) (*session.Session, []notebook.CellKey) {
	t.Helper()
	return withFake(t, codeCells(t, sources...), &hosttest.Fake{Script: script}, session.Options{AllowStdin: true})
}

// codeCells is a notebook of code cells with these sources.
func codeCells(t *testing.T, sources ...string) *notebook.Document {
	t.Helper()
	doc, err := notebook.Parse([]byte(`{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`))
	if err != nil {
		t.Fatal(err)
	}
	var cells []notebook.NewCell
	for _, s := range sources {
		cells = append(cells, notebook.NewCell{Type: notebook.Code, Source: s})
	}
	if err := doc.Do("insert", notebook.Insert{At: 0, Cells: cells}); err != nil {
		t.Fatal(err)
	}
	return doc
}

// withFake is a session over doc whose kernel is fake.
func withFake(t *testing.T, doc *notebook.Document, fake *hosttest.Fake, opt session.Options) (*session.Session, []notebook.CellKey) {
	t.Helper()
	host := &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "builtin-python", DisplayName: "Built-in Python", Language: "python", Found: "built in"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return fake },
	}
	s := session.New(doc, host, opt)
	t.Cleanup(func() {
		if err := s.Stop(context.Background(), true); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var keys []notebook.CellKey
	for _, c := range doc.Cells() {
		keys = append(keys, c.Key)
	}
	return s, keys
}

// until applies batches until done is true, and returns all changes.
func until(t *testing.T, s *session.Session, done func() bool) (all []session.Changes) {
	t.Helper()
	for !done() {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s.Apply(batch))
	}
	return all
}

func runAll(t *testing.T, s *session.Session, keys ...notebook.CellKey) {
	t.Helper()
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
}

func text(c *notebook.Cell) string {
	var b strings.Builder
	for _, o := range c.Outputs() {
		switch body := o.Decode().(type) {
		case *mime.Stream:
			b.WriteString(body.Text.String())
		case *mime.Data:
			plain, _ := body.Bundle.Plain()
			b.WriteString("[" + plain + "]")
		case *mime.Error:
			b.WriteString(body.Name)
		}
	}
	return b.String()
}

func TestRunAll(t *testing.T) {
	s, keys := newSession(t, "print one", "fail", "print three")
	runAll(t, s, keys...)
	doc := s.Doc()
	if got := text(doc.Cell(keys[0])); got != "one\n" || doc.Cell(keys[0]).Count != 1 {
		t.Errorf("cell 1: %q, count %d", got, doc.Cell(keys[0]).Count)
	}
	if got := text(doc.Cell(keys[1])); got != "ValueError" || s.Status(keys[1]).Phase != session.Failed {
		t.Errorf("cell 2: %q, %+v", got, s.Status(keys[1]))
	}
	if got := text(doc.Cell(keys[2])); got != "" || doc.Cell(keys[2]).Count != 0 || s.Status(keys[2]).Phase != session.NotRun {
		t.Errorf("cell 3: %q, count %d, %+v", got, doc.Cell(keys[2]).Count, s.Status(keys[2]))
	}
	// The next run by hand is not dropped.
	runAll(t, s, keys[2])
	if got := text(doc.Cell(keys[2])); got != "three\n" || s.Status(keys[2]).Phase != session.Done {
		t.Errorf("cell 3 by hand: %q", got)
	}
	if name, _, _ := doc.Kernelspec(); name != "python3" {
		t.Errorf("the file names %q", name)
	}
}

// The end of a failed cell may be seen before those of the cells that it keeps from running:
// a run by hand in between is a new one.
// A run's times are of the clock that goes on while the machine sleeps.
func TestTimesAreThoseOnTheWall(t *testing.T) {
	s, keys := newSession(t, "print 1")
	if err := s.Run(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[0]).Phase == session.Done })
	st := s.Status(keys[0])
	if st.Started.IsZero() || st.Started != st.Started.Round(0) || st.Ended != st.Ended.Round(0) {
		t.Errorf("%v to %v", st.Started, st.Ended)
	}
}

func TestRunByHandBeforeTheRestIsCancelled(t *testing.T) {
	s, keys := newSession(t, "print one", "fail", "print three", "print four")
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	again := false
	for s.Running() {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			s.Apply([]event.Event{e})
			if s.Status(keys[1]).Phase != session.Failed || again {
				continue
			}
			again = true
			if st := s.Status(keys[3]); st.Phase != session.Queued {
				t.Fatalf("cell 4 waits no more: %+v", st)
			}
			if err := s.Run(t.Context(), keys[3]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := text(s.Doc().Cell(keys[3])); got != "four\n" || s.Status(keys[3]).Phase != session.Done {
		t.Errorf("cell 4: %q, %+v", got, s.Status(keys[3]))
	}
	if s.Status(keys[2]).Phase != session.NotRun {
		t.Errorf("cell 3: %+v", s.Status(keys[2]))
	}
}

func TestEmptyCellsAreNotCounted(t *testing.T) {
	s, keys := newSession(t, "print a", "print b")
	runAll(t, s, keys...)
	if err := s.Doc().Do("edit", notebook.SetSource{Key: keys[0], Source: " \n"}); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, keys...)
	if c := s.Doc().Cell(keys[0]); c.Count != 0 || len(c.Outputs()) != 0 || s.Status(keys[0]).Phase != session.Fresh {
		t.Errorf("count %d, %d outputs, %+v", c.Count, len(c.Outputs()), s.Status(keys[0]))
	}
	if c := s.Doc().Cell(keys[1]); c.Count != 3 {
		t.Errorf("the next has count %d", c.Count)
	}
}

func TestRunAgainReplacesOutputs(t *testing.T) {
	s, keys := newSession(t, "print one")
	runAll(t, s, keys...)
	if err := s.Doc().Do("edit", notebook.SetSource{Key: keys[0], Source: "print two"}); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, keys...)
	if got := text(s.Doc().Cell(keys[0])); got != "two\n" {
		t.Errorf("got %q", got)
	}
	if _, err := s.Doc().Undo(); err != nil {
		t.Fatal(err)
	}
	if c := s.Doc().Cell(keys[0]); c.Source != "print one" || text(c) != "two\n" {
		t.Errorf("undo took the run back: %q %q", c.Source, text(c))
	}
}

func TestUpdateReachesOtherCells(t *testing.T) {
	s, keys := newSession(t, "show before", "show same", "update after")
	runAll(t, s, keys...)
	for _, key := range keys[:2] {
		if got := text(s.Doc().Cell(key)); got != "[after]" {
			t.Errorf("got %q", got)
		}
	}
}

func TestClearedOutputsDoNotComeBack(t *testing.T) {
	s, keys := newSession(t, "show before", "show other", "update after")
	runAll(t, s, keys[:2]...)
	if err := s.Doc().Do("clear", notebook.ClearOutputs{Keys: keys[:1]}); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, keys[2])
	if a, b := text(s.Doc().Cell(keys[0])), text(s.Doc().Cell(keys[1])); a != "" || b != "[after]" {
		t.Errorf("the cleared cell has %q, the other %q", a, b)
	}
	if _, err := s.Doc().Undo(); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, keys[2])
	if a := text(s.Doc().Cell(keys[0])); a != "[after]" {
		t.Errorf("brought back, it has %q", a)
	}
}

func TestKernelDies(t *testing.T) {
	s, keys := newSession(t, "die", "print never")
	runAll(t, s, keys...)
	if st := s.Status(keys[0]); st.Phase != session.Died || !strings.Contains(st.Detail, "SIGKILL") {
		t.Errorf("cell 1: %+v", st)
	}
	if st := s.Status(keys[1]); st.Phase != session.NotRun || text(s.Doc().Cell(keys[1])) != "" {
		t.Errorf("cell 2: %+v", st)
	}
	if s.State().State != event.Dead || !errors.Is(s.Err(), kernelclient.Killed) {
		t.Errorf("%+v %v", s.State(), s.Err())
	}
	runAll(t, s, keys[1]) // restarts by itself
	if got := text(s.Doc().Cell(keys[1])); got != "never\n" || s.State().Generation != 2 {
		t.Errorf("after the restart: %q, %+v", got, s.State())
	}
}

func TestPromptAndAnswer(t *testing.T) {
	s, keys := newSession(t, "ask")
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Prompt() != nil })
	if p := s.Prompt(); p.Cell != keys[0] || p.Text != "who? " {
		t.Errorf("%+v", p)
	}
	if err := s.Answer(t.Context(), "Ann"); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
	if got := text(s.Doc().Cell(keys[0])); got != "hi Ann\n" || s.Prompt() != nil {
		t.Errorf("got %q, prompt %+v", got, s.Prompt())
	}
	if got := s.Answers(keys[0]); len(got) != 1 || got[0] != (session.Answered{Text: "who? ", Line: "Ann"}) {
		t.Errorf("answers %+v", got)
	}
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Prompt() != nil })
	if got := s.Answers(keys[0]); len(got) != 0 {
		t.Errorf("answers of the run before: %+v", got)
	}
}

func TestInterruptAndRestart(t *testing.T) {
	s, keys := newSession(t, "wait", "print next")
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[0]).Phase == session.Running })
	if err := s.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
	if a, b := s.Status(keys[0]).Phase, s.Status(keys[1]).Phase; a != session.Interrupted || b != session.NotRun {
		t.Errorf("phases %v %v", a, b)
	}
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.State().State == event.Busy }) // what is only accepted may run after the restart
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() && s.State().State == event.Idle })
	if a, b := s.Status(keys[0]).Phase, s.Status(keys[1]).Phase; a != session.Died || b != session.NotRun || s.State().Generation != 2 {
		t.Errorf("phases %v %v, %+v", a, b, s.State())
	}
}

func TestCancelOneCell(t *testing.T) {
	s, keys := newSession(t, "wait", "print a", "print b")
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[0]).Phase == session.Running })
	if err := s.Cancel(t.Context(), keys[1]); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[1]).Phase == session.NotRun })
	if s.Status(keys[2]).Phase != session.Queued {
		t.Error("the other one left the queue too")
	}
}

func TestDeletedWhileRunning(t *testing.T) {
	s, keys := newSession(t, "ask", "print b")
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Prompt() != nil })
	if err := s.Doc().Do("delete", notebook.Delete{Keys: keys[:1]}); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
	if got := text(s.Doc().Cell(keys[1])); got != "b\n" {
		t.Errorf("got %q", got)
	}
}
