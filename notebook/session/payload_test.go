package session_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// runOne runs a cell and returns all that changed, in one.
func runOne(t *testing.T, s *session.Session, key notebook.CellKey) (all session.Changes) {
	t.Helper()
	if err := s.Run(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	for _, c := range until(t, s, func() bool { return !s.Running() }) {
		all.Cells = append(all.Cells, c.Cells...)
		all.Edited = append(all.Edited, c.Edited...)
		all.Inserted = append(all.Inserted, c.Inserted...)
		all.Pages = append(all.Pages, c.Pages...)
		all.Payloads = append(all.Payloads, c.Payloads...)
		all.Notes = append(all.Notes, c.Notes...)
	}
	return all
}

func sources(doc *notebook.Document) []string {
	var out []string
	for _, c := range doc.Cells() {
		out = append(out, c.Source)
	}
	return out
}

func expectSources(t *testing.T, doc *notebook.Document, want ...string) {
	t.Helper()
	if got := sources(doc); !slices.Equal(got, want) {
		t.Errorf("the cells are %q, not %q", got, want)
	}
}

const replace = `payload {"source":"set_next_input","text":"y = 2","replace":true}`

func TestCodeReplacesItsCell(t *testing.T) {
	s, keys := newSession(t, replace, "print b")
	c := runOne(t, s, keys[0])
	expectSources(t, s.Doc(), "y = 2", "print b")
	if !slices.Equal(c.Edited, keys[:1]) || !slices.Contains(c.Cells, keys[0]) || len(c.Inserted) != 0 || len(c.Payloads) != 0 {
		t.Errorf("%+v", c)
	}
	if !s.Status(keys[0]).Edited(s.Doc().Cell(keys[0])) || s.Doc().Cell(keys[0]).Count != 1 {
		t.Errorf("%+v", s.Status(keys[0]))
	}
	if _, err := s.Doc().Undo(); err != nil {
		t.Fatal(err)
	}
	expectSources(t, s.Doc(), replace, "print b")
}

func TestCodeInsertsCells(t *testing.T) {
	code := `payload {"source":"set_next_input","text":"z = 3"},{"source":"set_next_input","text":"z = 4","replace":false}`
	s, keys := newSession(t, code, "print b")
	c := runOne(t, s, keys[0])
	expectSources(t, s.Doc(), code, "z = 3", "z = 4", "print b")
	made := s.Doc().Cells()[1]
	if len(c.Inserted) != 2 || c.Inserted[0] != made.Key || made.Type != notebook.Code || s.Status(made.Key).Phase != session.Fresh {
		t.Errorf("%+v, cell %+v", c, made)
	}
	for _, want := range [][]string{{code, "z = 3", "print b"}, {code, "print b"}} {
		if _, err := s.Doc().Undo(); err != nil {
			t.Fatal(err)
		}
		expectSources(t, s.Doc(), want...)
	}
	runOne(t, s, keys[0])
	expectSources(t, s.Doc(), code, "z = 3", "z = 4", "print b")
}

func TestCodeOfADeletedCell(t *testing.T) {
	for code, want := range map[string][]string{
		replace: {"print b"},
		`payload {"source":"set_next_input","text":"z = 3"}`: {"print b", "z = 3"},
	} {
		s, keys := newSession(t, code, "print b")
		if err := s.Run(t.Context(), keys[0]); err != nil {
			t.Fatal(err)
		}
		if err := s.Doc().Do("delete", notebook.Delete{Keys: keys[:1]}); err != nil {
			t.Fatal(err)
		}
		until(t, s, func() bool { return !s.Running() })
		expectSources(t, s.Doc(), want...)
	}
}

func TestRunWithoutAScreenKeepsSources(t *testing.T) {
	doc := codeCells(t, replace)
	s, keys := withFake(t, doc, &hosttest.Fake{Script: script}, session.Options{KeepSources: true})
	if c := runOne(t, s, keys[0]); len(c.Edited) != 0 {
		t.Errorf("%+v", c)
	}
	expectSources(t, doc, replace)
}

func TestPayloadsOfOthersAreNotOurs(t *testing.T) {
	fake := &hosttest.Fake{}
	fake.Script = func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		for _, exec := range []event.ExecID{"", "foreign"} {
			f.Sink().Emit(exec, event.Payload{Source: "set_next_input", Data: []byte(`{"source":"set_next_input","text":"theirs","replace":true}`)})
			f.Sink().Emit(exec, event.Payload{Source: "page", Data: []byte(`{"source":"page","data":{"text/plain":"theirs"}}`)})
		}
		return kernelclient.Outcome{Reason: event.Done}
	}
	doc := codeCells(t, "mine")
	s, keys := withFake(t, doc, fake, session.Options{})
	if c := runOne(t, s, keys[0]); len(c.Pages)+len(c.Edited)+len(c.Inserted)+len(c.Payloads) != 0 {
		t.Errorf("%+v", c)
	}
	expectSources(t, doc, "mine")
}

func TestPage(t *testing.T) {
	s, keys := newSession(t, `payload {"source":"page","start":2,"data":{"text/plain":"\u001b[31mDocstring:\u001b[39m Return"}},{"source":"edit_magic","line_number":7}`)
	c := runOne(t, s, keys[0])
	if len(c.Pages) != 1 || len(c.Payloads) != 1 || c.Payloads[0].Source != "edit_magic" {
		t.Fatalf("%+v", c)
	}
	if text, _ := c.Pages[0].Data.Plain(); text != "\x1b[31mDocstring:\x1b[39m Return" || c.Pages[0].Cell != keys[0] || c.Pages[0].Start != 2 {
		t.Errorf("%+v", c.Pages[0])
	}
	var file bytes.Buffer
	if _, err := s.Doc().Snapshot().WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if len(s.Doc().Cell(keys[0]).Outputs()) != 0 || !strings.Contains(file.String(), `"outputs":[]`) {
		t.Errorf("the file got\n%s", &file)
	}
}

func TestExitEndsTheKernelAndTheNextRunStartsOne(t *testing.T) {
	gone := "the kernel ended by its code (exit)"
	queued := make(chan struct{})
	fake := &hosttest.Fake{Script: func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		if r.Code != "exit()" {
			return script(ctx, f, r)
		}
		<-queued
		f.Sink().Emit(r.ID, event.Payload{Source: "ask_exit", Data: []byte(`{"source":"ask_exit","keepkernel":false}`)})
		f.Sink().Emit("", event.State{State: event.Dead, Detail: gone})
		return kernelclient.Outcome{Reason: event.Done}
	}}
	s, keys := withFake(t, codeCells(t, "exit()", "print after"), fake, session.Options{})
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	close(queued)
	until(t, s, func() bool { return !s.Running() })
	if a, b := s.Status(keys[0]).Phase, s.Status(keys[1]).Phase; a != session.Done || b != session.NotRun {
		t.Errorf("phases %v %v", a, b)
	}
	if st := s.State(); st.State != event.Dead || st.Detail != gone {
		t.Errorf("%+v", st)
	}
	runAll(t, s, keys[1])
	if got := text(s.Doc().Cell(keys[1])); got != "after\n" || s.State().Generation != 2 {
		t.Errorf("%q, %+v", got, s.State())
	}
}
