package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script: "print X", "fail", "die", "wait" (until interrupted), "deaf" (until the kernel is gone), "result X".
func script(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	word, rest, _ := strings.Cut(r.Code, " ")
	emit := func(b event.Body) { f.Sink().Emit(r.ID, b) }
	switch word {
	case "print":
		emit(event.Stream{Name: "stdout", Text: rest})
	case "result":
		emit(event.Result{Count: 1, Data: mime.Bundle{{Type: "text/plain", Value: []byte(`"` + rest + `"`)}}})
	case "fail":
		emit(event.Error{Name: "ValueError", Value: "stop here", Traceback: []string{"tb"}})
		return kernelclient.Outcome{Reason: event.Failed}
	case "die":
		f.Die("the kernel was killed by SIGKILL")
		return kernelclient.Outcome{Reason: event.Died, Detail: "the kernel was killed by SIGKILL"}
	case "ask":
		emit(event.InputRequest{ID: "q", Prompt: "who? "})
		select {
		case line := <-f.Answers():
			emit(event.Stream{Name: "stdout", Text: "hi " + line})
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		}
	case "wait", "deaf":
		emit(event.Stream{Name: "stdout", Text: "waiting\n"})
		interrupted := f.Interrupted()
		if word == "deaf" {
			interrupted = nil
		}
		select {
		case <-interrupted:
			return kernelclient.Outcome{Reason: event.Interrupted}
		case <-f.Gone():
			return kernelclient.Outcome{Reason: event.Died}
		case <-ctx.Done():
			return kernelclient.Outcome{Reason: event.Lost}
		}
	}
	return kernelclient.Outcome{Reason: event.Done}
}

func host() *hosttest.Host {
	return &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "builtin-python", Language: "python", Found: "built in"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} },
	}
}

// watched is a writer that calls f whenever what was written so far contains its word.
type watched struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	word string
	f    func()
	err  error
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p)
	if w.f != nil && strings.Contains(w.buf.String(), w.word) {
		f := w.f
		w.f = nil
		f()
	}
	return len(p), w.err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

type runner struct {
	out, err watched
	saved    string
	signals  chan os.Signal
	allow    bool
}

func (r *runner) run(t *testing.T, sources ...string) error {
	t.Helper()
	doc := notebook.New()
	var cells []notebook.NewCell
	for _, s := range sources {
		cells = append(cells, notebook.NewCell{Type: notebook.Code, Source: s})
	}
	if err := doc.Do("insert", notebook.Insert{At: 0, Cells: cells}); err != nil {
		t.Fatal(err)
	}
	s := session.New(doc, host(), session.Options{GoOn: r.allow})
	defer s.Close()
	return batch.Notebook{
		Session: s, Streams: batch.Streams{Out: &r.out, Err: &r.err}, Signals: r.signals, AllowErrors: r.allow,
		Save: func(s notebook.Snapshot) error {
			var b bytes.Buffer
			_, err := s.WriteTo(&b)
			r.saved = b.String()
			return err
		},
	}.Run(t.Context())
}

func statusOf(err error) batch.Status {
	var own *batch.Error
	if err == nil {
		return batch.OK
	}
	if errors.As(err, &own) {
		return own.Status
	}
	return -1
}

func TestNotebook(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources []string
		allow   bool
		status  batch.Status
		out     string
		says    string
	}{
		{"fine", []string{"print a\n", "result 42"}, false, batch.OK, "a\n42\n", ""},
		{"a result begins a line", []string{"print a", "result 42"}, false, batch.OK, "a\n42\n", ""},
		{"fails", []string{"print a\n", "fail", "print c\n"}, false, batch.CellFailed, "a\n", "cell 2 failed: ValueError: stop here"},
		{"fails allowed", []string{"fail", "print c\n"}, true, batch.OK, "c\n", ""},
		{"dies", []string{"die", "print c\n"}, false, batch.NoKernel, "", "cell 1 ended with its kernel: the kernel was killed by SIGKILL"},
		{"dies although errors are allowed", []string{"die", "print c\n"}, true, batch.NoKernel, "", "SIGKILL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &runner{allow: c.allow}
			err := r.run(t, c.sources...)
			if got := statusOf(err); got != c.status || c.says != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("status %d, %v", got, err)
			}
			if r.out.String() != c.out {
				t.Errorf("output %q", r.out.String())
			}
			if !json.Valid([]byte(r.saved)) {
				t.Errorf("saved %q", r.saved)
			}
		})
	}
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name   string
		cell   string
		send   []os.Signal
		status batch.Status
	}{
		{"interrupt", "wait", []os.Signal{os.Interrupt}, batch.Interrupted},
		{"the second kills", "deaf", []os.Signal{os.Interrupt, os.Interrupt}, batch.Interrupted},
		{"term", "deaf", []os.Signal{syscall.SIGTERM}, batch.Terminated},
		{"hangup", "wait", []os.Signal{syscall.SIGHUP}, batch.HungUp},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &runner{signals: make(chan os.Signal, 2)}
			r.out.word, r.out.f = "waiting", func() {
				for _, s := range c.send {
					r.signals <- s
				}
			}
			if err := r.run(t, c.cell, "print never"); statusOf(err) != c.status {
				t.Errorf("got %v", err)
			}
			if !strings.Contains(r.saved, "waiting") || strings.Contains(r.out.String(), "never") {
				t.Errorf("saved %s, output %q", r.saved, r.out.String())
			}
		})
	}
}

func TestReaderGone(t *testing.T) {
	r := &runner{}
	r.out.err = syscall.EPIPE
	if err := r.run(t, "wait"); statusOf(err) != batch.ReaderGone {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(r.saved, "waiting") {
		t.Errorf("saved %s", r.saved)
	}
}

func snippet(t *testing.T, x batch.Snippet) error {
	t.Helper()
	k, err := session.StartFor(t.Context(), host(), session.Wish{}, kernelclient.StartSpec{})
	if err != nil {
		t.Fatal(err)
	}
	x.Context = k
	return x.Run(t.Context())
}

// deadHost is a host whose kernel dies at its start.
func deadHost() *hosttest.Host {
	h := host()
	h.Drive = func(kernelclient.StartSpec) kernelclient.Driver {
		return &hosttest.Fake{OpenErr: &kernelclient.Death{Code: 1, Last: "boom"}}
	}
	return h
}

// However the death and the hand-over cross, the cause is told and nothing is left running.
func TestKernelDiesAtItsStart(t *testing.T) {
	for range 30 {
		k, err := session.StartFor(t.Context(), deadHost(), session.Wish{}, kernelclient.StartSpec{})
		if err != nil {
			t.Fatal(err)
		}
		record := &batch.Record{}
		err = batch.Snippet{Context: k, Code: "print a", Record: record}.Run(t.Context())
		if statusOf(err) != batch.NoKernel || !strings.Contains(err.Error(), "boom") {
			t.Fatalf("snippet: %v", err)
		}
		if got := string(record.AppendJSON(nil)); !strings.Contains(got, `"end":{"reason":"died","detail":"the kernel ended with exit code 1: boom"}`) {
			t.Fatal(got)
		}
		doc := notebook.New()
		if err := doc.Do("insert", notebook.Insert{Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print a"}}}); err != nil {
			t.Fatal(err)
		}
		s := session.New(doc, deadHost(), session.Options{})
		err = batch.Notebook{Session: s, Streams: batch.Streams{Out: io.Discard, Err: io.Discard}}.Run(t.Context())
		if statusOf(err) != batch.NoKernel || !strings.Contains(err.Error(), "boom") {
			t.Fatalf("notebook: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSaveFails(t *testing.T) {
	for source, want := range map[string]batch.Status{"print a": batch.Usage, "fail": batch.CellFailed} {
		doc := notebook.New()
		if err := doc.Do("insert", notebook.Insert{Cells: []notebook.NewCell{{Type: notebook.Code, Source: source}}}); err != nil {
			t.Fatal(err)
		}
		s := session.New(doc, host(), session.Options{})
		err := batch.Notebook{
			Session: s, Streams: batch.Streams{Out: io.Discard, Err: io.Discard},
			Save: func(notebook.Snapshot) error { return errors.New("no space; a copy is in /x") },
		}.Run(t.Context())
		if statusOf(err) != want || !strings.Contains(err.Error(), "not saved: no space; a copy is in /x") {
			t.Errorf("%s: %v", source, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSnippetAsks(t *testing.T) {
	var out watched
	err := snippet(t, batch.Snippet{Code: "ask", Streams: batch.Streams{Out: &out, Err: io.Discard}, Ask: func(_ context.Context, prompt string, password bool) (string, error) {
		if prompt != "who? " || password {
			t.Errorf("asked %q, %v", prompt, password)
		}
		return "Ann", nil
	}})
	if err != nil || out.String() != "hi Ann" {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestInterruptClosesTheQuestion(t *testing.T) {
	signals := make(chan os.Signal, 1)
	err := snippet(t, batch.Snippet{Code: "ask", Signals: signals, Streams: batch.Streams{Out: io.Discard, Err: io.Discard}, Ask: func(ctx context.Context, _ string, _ bool) (string, error) {
		signals <- os.Interrupt
		<-ctx.Done()
		return "", ctx.Err()
	}})
	if statusOf(err) != batch.Interrupted {
		t.Errorf("got %v", err)
	}
}

func TestRecord(t *testing.T) {
	for code, want := range map[string]string{
		"result 42": `{"version":1,"text":"42","results":[{"main":true,"data":{"text/plain":"42"},"metadata":{}}],"stdout":"","stderr":"","error":null,"execution_count":1,"end":{"reason":"done","detail":""},"elapsed_ms":`,
		"print a":   `{"version":1,"text":null,"results":[],"stdout":"a","stderr":"","error":null,"execution_count":1,"end":{"reason":"done","detail":""},"elapsed_ms":`,
		"fail":      `{"version":1,"text":null,"results":[],"stdout":"","stderr":"","error":{"name":"ValueError","value":"stop here","traceback":["tb"]},"execution_count":1,"end":{"reason":"error","detail":""},"elapsed_ms":`,
		"die":       `{"version":1,"text":null,"results":[],"stdout":"","stderr":"","error":null,"execution_count":1,"end":{"reason":"died","detail":"the kernel was killed by SIGKILL"},"elapsed_ms":`,
	} {
		record := &batch.Record{}
		_ = snippet(t, batch.Snippet{Code: code, Record: record}) // the record says it too
		got := string(record.AppendJSON(nil))
		if !strings.HasPrefix(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("%s:\ngot  %s\nwant %s", code, got, want)
		}
	}
}
