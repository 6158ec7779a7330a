package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// movable is a context that another host process can take up, as the client of one sees it.
type movable struct {
	kernelclient.Context
	mu  sync.Mutex // guards log
	log *kernelclient.Log
}

func (m *movable) now() *kernelclient.Log {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.log
}

func (m *movable) Info() kernelclient.ContextInfo { return m.now().Info() }

func (m *movable) Submit(ctx context.Context, r kernelclient.Request) error {
	return m.now().Submit(ctx, r)
}

func (m *movable) Saved(ctx context.Context, mark kernelclient.SaveMark) error {
	return m.now().Saved(ctx, mark)
}

func (m *movable) Stop(ctx context.Context, force bool) error { return m.now().Stop(ctx, force) }

func (m *movable) Follow(after kernelclient.Cursor) kernelclient.Stream {
	return movableStream{m.now().Follow(after), m, m.now()}
}

// move has the context go on as another log.
func (m *movable) move(l *kernelclient.Log) {
	m.mu.Lock()
	was := m.log
	m.log = l
	m.mu.Unlock()
	_ = was.Stop(context.Background(), true)
}

// movableStream finds its place again where there is one.
type movableStream struct {
	kernelclient.Stream
	m   *movable
	log *kernelclient.Log
}

func (s movableStream) Next(ctx context.Context) ([]event.Event, error) {
	batch, err := s.Stream.Next(ctx)
	if s.m.now() != s.log { // what the old one said at its end was heard by nobody
		return nil, kernelclient.ErrCompacted
	}
	return batch, err
}

// movableHost has one context.
type movableHost struct {
	hosttest.Host
	context *movable
}

func (h *movableHost) Start(context.Context, kernelclient.StartSpec) (kernelclient.Context, error) {
	return h.context, nil
}

// resumes is a driver that finds its kernel again: what ran there is about to end.
type resumes struct{ hosttest.Fake }

func (r *resumes) Resume(_ context.Context, q kernelclient.Request) kernelclient.Outcome {
	r.Sink().Emit(q.ID, event.Stream{Name: "stdout", Text: "the rest\n"})
	return kernelclient.Outcome{Reason: event.Done, Count: 2}
}

// The host's process is killed and another one takes the kernel up: runs go on, and one that
// had not been written down yet is not waited for.
func TestAnotherHostTakesTheKernelUp(t *testing.T) {
	first := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, &hosttest.Fake{Script: script}, kernelclient.LogOptions{})
	host := &movableHost{context: &movable{log: first}}
	host.List = []kernelclient.Kernel{{Name: "python3", Language: "python"}}
	s := session.New(codeCells(t, "print one", "wait", "print lost"), host, session.Options{})
	t.Cleanup(func() {
		if err := errors.Join(s.Stop(context.Background(), true), s.Close()); err != nil {
			t.Error(err)
		}
	})
	var keys []notebook.CellKey
	for _, c := range s.Doc().Cells() {
		keys = append(keys, c.Key)
	}
	if err := s.Run(t.Context(), keys[:2]...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[1]).Phase == session.Running && s.State().State == event.Busy })
	written := history(t, first)
	if err := s.Run(t.Context(), keys[2]); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[2]).Phase == session.Queued })
	d := &resumes{}
	d.Script = script
	host.context.move(kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, d, kernelclient.LogOptions{History: slices.Values(written)}))
	changes := until(t, s, func() bool { return !s.Running() })
	if a, b := text(s.Doc().Cell(keys[0])), text(s.Doc().Cell(keys[1])); a != "one\n" || !strings.Contains(b, "was not seen]\nthe rest\n") {
		t.Errorf("%q %q", a, b)
	}
	for i, want := range []session.Phase{session.Done, session.Done, session.Died} {
		if got := s.Status(keys[i]); got.Phase != want {
			t.Errorf("cell %d: %+v", i+1, got)
		}
	}
	var lost int
	for _, c := range changes {
		for _, e := range c.Ended {
			if e.Reason == event.Lost && e.Cell == keys[2] {
				lost++
			}
		}
	}
	if _, kept := s.Earlier(keys[0]); lost != 1 || kept != 1 {
		t.Errorf("%d ends of the lost run, %d runs of the first cell", lost, kept)
	}
	runAll(t, s, keys[2])
	if got := text(s.Doc().Cell(keys[2])); got != "lost\n" {
		t.Errorf("got %q", got)
	}
}

// history is all that is in a log now.
func history(t *testing.T, l *kernelclient.Log) (all []event.Event) {
	t.Helper()
	s := l.Follow(kernelclient.Cursor{})
	defer s.Close()
	for last := l.Info().Last.Seq; s.Cursor().Seq < last; {
		batch, err := s.Next(t.Context())
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		all = append(all, batch...)
	}
	return all
}

// A window that was away while another one saved reads what is kept anew.
func TestAnotherWindowSaves(t *testing.T) {
	d := newDesk(t, "print one", "print two", "print three")
	a, keysA := d.open(t)
	runAll(t, a, keysA[0])
	b, keysB, _ := d.join(t)
	runAll(t, b, keysB[1:]...)
	d.save(t, b)
	until(t, a, func() bool { return a.Status(keysA[2]).Phase == session.Done })
	if a.Running() {
		t.Error("something runs")
	}
	runAll(t, a, keysA[2])
	if got := text(a.Doc().Cell(keysA[2])); got != "three\n" {
		t.Errorf("got %q", got)
	}
}

// A cell that code asked for comes once, also when its run is read again.
func TestNextInputIsNotTakenTwice(t *testing.T) {
	d := newDesk(t, `payload {"source":"set_next_input","text":"new","replace":false}, {"source":"page","data":{"text/plain":"help"}}`)
	s, keys := d.open(t)
	runAll(t, s, keys...)
	s.Rematch()
	runAll(t, s, keys[0])
	if n := len(s.Doc().Cells()); n != 3 {
		t.Errorf("%d cells after two runs", n)
	}
	leave(t, s)
	d.write(t, s.Doc())
	s, _, changes := d.join(t)
	if n := len(s.Doc().Cells()); n != 3 {
		t.Errorf("%d cells after joining", n)
	}
	for _, c := range changes {
		if len(c.Pages) > 0 {
			t.Error("an old page is shown")
		}
	}
}

// Windows that come and go during a long run miss nothing and see nothing twice: the last
// one saves, byte for byte, what an undisturbed window does.
func TestTenDropsDuringALongRun(t *testing.T) {
	file := newDesk(t, "flood").file
	want, got := floods(t, file, 0), floods(t, file, 10)
	if !bytes.Equal(got, want) || bytes.Count(want, []byte("line ")) != flood {
		t.Errorf("%d bytes, %d lines after ten drops; %d bytes, %d lines without", len(got), bytes.Count(got, []byte("line ")), len(want), bytes.Count(want, []byte("line ")))
	}
}

const flood = 200_000

// floods runs a notebook that prints many lines, in windows of which so many are dropped,
// and returns what the last one saves.
func floods(t *testing.T, file []byte, drops int) []byte {
	t.Helper()
	d := newDesk(t)
	d.file = file
	next := make(chan bool)
	d.fake.Script = func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		for i := range flood {
			if drops > 0 && i%(flood/drops) == 0 {
				select {
				case <-next:
				case <-ctx.Done():
				}
			}
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: fmt.Sprintf("line %d\n", i)})
			if i%1000 == 0 {
				f.Sink().Emit(r.ID, event.Stream{Name: "stderr", Text: "a thousand\n"})
			}
		}
		return kernelclient.Outcome{Reason: event.Done}
	}
	s, keys := d.open(t)
	if err := s.Run(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	for range drops {
		next <- true
		batch, err := s.Next(t.Context()) // some of it, and then no more
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(batch)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, keys = d.open(t)
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	until(t, s, func() bool { return s.Status(keys[0]).Phase == session.Done })
	d.save(t, s)
	return d.file
}
