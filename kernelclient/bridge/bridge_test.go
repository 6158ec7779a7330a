//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// say prints the code that it is given, and the answer to "ask".
func say(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	switch r.Code {
	case "wait":
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "waiting"})
		select {
		case <-ctx.Done():
			return kernelclient.Outcome{Reason: event.Lost}
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		case <-f.Gone():
			return kernelclient.Outcome{Reason: event.Died}
		}
	case "ask":
		f.Sink().Emit(r.ID, event.InputRequest{ID: "q", Prompt: "who? "})
		select {
		case a := <-f.Answers():
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "hi " + a})
		case <-ctx.Done():
			return kernelclient.Outcome{Reason: event.Lost}
		case <-f.Interrupted():
			return kernelclient.Outcome{Reason: event.Interrupted}
		}
	default:
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: r.Code})
	}
	return kernelclient.Outcome{Reason: event.Done}
}

func ended(id event.ExecID) func(event.Event) bool {
	return func(e event.Event) bool {
		_, ok := e.Body.(event.Ended)
		return ok && e.Exec == id
	}
}

// A client that goes away ends nothing, and the next one sees all that came meanwhile, once.
func TestRunOutlivesClient(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	first, second := connect(t, p), connect(t, p)
	k, err := first.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/", Session: "/n.ipynb"})
	if err != nil {
		t.Fatal(err)
	}
	s := k.Follow(kernelclient.Cursor{})
	for i, code := range []string{"a", "wait", "b"} {
		if err := k.Submit(t.Context(), kernelclient.Request{ID: event.ExecID(fmt.Sprint(i)), Cell: event.CellKey(code), Code: code}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, s, "the second run", func(e event.Event) bool { st, ok := e.Body.(event.Stream); return ok && st.Text == "waiting" })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // what was read before it was closed may come first
		_, err = s.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("a closed client's stream ends with %v", err)
	}
	infos, err := second.Contexts(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Path != "/n.ipynb" || infos[0].Running != 1 || infos[0].Waiting != 1 {
		t.Fatalf("%+v %v", infos, err)
	}
	again, err := second.Attach(t.Context(), infos[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := until(t, again.Follow(kernelclient.Cursor{}), "the third run's end", ended("2"))
	if got := hosttest.Words(all); got != "stdout:awaitingb" {
		t.Errorf("got %q", got)
	}
	var cells []event.CellKey
	for _, e := range all {
		if q, ok := e.Body.(event.Queued); ok {
			cells = append(cells, q.Cell)
		}
	}
	if got := fmt.Sprint(cells); got != "[a wait b]" {
		t.Errorf("the runs are of the cells %s", got)
	}
	if err := again.Stop(t.Context(), true); err != nil {
		t.Error(err)
	}
	if _, err := second.Attach(t.Context(), infos[0].ID); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("attaching to what was stopped: %v", err)
	}
}

// Two clients see the same, prompts too, and the first answer wins.
func TestTwoClients(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	a := start(t, connect(t, p))
	c := connect(t, p)
	b, err := c.Attach(t.Context(), a.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	s := b.Follow(kernelclient.Cursor{})
	id := a.Submit("ask")
	asked := func(e event.Event) bool { _, ok := e.Body.(event.InputRequest); return ok }
	a.Wait("the question", asked)
	until(t, s, "the question", asked)
	if list, err := c.List(t.Context()); err != nil || len(list) != 1 || list[0].Clients != 2 {
		t.Errorf("%+v %v", list, err)
	}
	if err := b.Answer(t.Context(), "q", "Ann"); err != nil {
		t.Fatal(err)
	}
	if err := a.Answer(t.Context(), "q", "Bob"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("the second answer: %v", err)
	}
	end, events := a.Ended(id)
	if end.Reason != event.Done || hosttest.Words(events) != "stdout:hi Ann" {
		t.Errorf("%+v %s", end, hosttest.Words(events))
	}
	if got := hosttest.Words(until(t, s, "the end", ended(id))); got != "stdout:hi Ann" {
		t.Errorf("the other client saw %q", got)
	}
}

// What one client stops, the others see end. Their restarts put one context in its place,
// and their streams go on with that.
func TestStoppedElsewhere(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	a := start(t, connect(t, p))
	b, err := connect(t, p).Attach(t.Context(), a.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	other := b.Follow(kernelclient.Cursor{})
	id := a.Submit("wait")
	a.Wait("its output", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok })
	if err := connect(t, p).Stop(t.Context(), a.Info().ID, true); err != nil {
		t.Fatal(err)
	}
	if end, _ := a.Ended(id); end.Reason != event.Died {
		t.Errorf("ended %+v", end)
	}
	a.Wait("the state", func(e event.Event) bool { s, ok := e.Body.(event.State); return ok && s.State == event.Dead })
	if err := a.Context.Submit(t.Context(), kernelclient.Request{ID: "late"}); !errors.Is(err, kernelclient.NotFound) {
		t.Errorf("submitting to it: %v", err)
	}
	old := a.Info().ID
	for _, k := range []kernelclient.Context{a.Context, b} {
		if err := k.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if a.Info().ID == old || a.Info().ID != b.Info().ID {
		t.Errorf("%s became %s and %s", old, a.Info().ID, b.Info().ID)
	}
	a.Wait("the next kernel", func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Idle && s.Generation == 2
	})
	if i := a.Info(); i.State.Generation != 2 {
		t.Errorf("%+v", i.State)
	}
	if end, events := a.Do("again"); end.Reason != event.Done || hosttest.Words(events) != "stdout:again" {
		t.Errorf("%+v %s", end, hosttest.Words(events))
	}
	until(t, other, "the other's view", func(e event.Event) bool { st, ok := e.Body.(event.Stream); return ok && st.Text == "again" })
	if at := other.Cursor(); at.Epoch != a.Info().Last.Epoch || at.Seq == 0 {
		t.Errorf("it is at %+v of %+v", at, a.Info().Last)
	}
}

// A host process that is gone for good ends what runs: nobody waits for ever.
func TestHostGone(t *testing.T) {
	p := place(t)
	kill := run(t, p, Options{Host: fakes(t, say)})
	c := connect(t, p)
	k, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	s := k.Follow(kernelclient.Cursor{})
	if err := k.Submit(t.Context(), kernelclient.Request{ID: "x", Code: "wait"}); err != nil {
		t.Fatal(err)
	}
	until(t, s, "its output", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok })
	kill()
	run(t, p, Options{Host: fakes(t, say)}) // one that does not know the context
	var end event.Ended
	until(t, s, "its end and the state", func(e event.Event) bool {
		if b, ok := e.Body.(event.Ended); ok {
			end = b
		}
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Dead
	})
	if end.Reason != event.Lost || !strings.Contains(end.Detail, "host process") {
		t.Errorf("ended %+v", end)
	}
	if info := k.Info(); info.State.State != event.Dead || !errors.Is(info.Err, kernelclient.Gone) {
		t.Errorf("%+v", info)
	}
}

// A server that nobody needs ends by itself, and not before.
func TestEndsWhenIdle(t *testing.T) {
	p := place(t)
	done := make(chan error, 1)
	ready, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	go func() {
		done <- Process{Place: p, Ready: w, Server: Options{Host: fakes(t, say), Idle: 50 * time.Millisecond}}.Run(context.Background())
	}()
	_, _ = ready.Read(make([]byte, 8))
	c := connect(t, p)
	k, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	id := k.Info().ID
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		t.Fatal("it ended with a context:", err)
	case <-time.After(300 * time.Millisecond): // six times as long as it may be idle
	}
	c = connect(t, p)
	if err := c.Stop(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := Connect(t.Context(), ClientOptions{Place: p}); !NoHost(err) {
		t.Errorf("after its end: %v", err)
	}
}

func TestStopAll(t *testing.T) {
	p := place(t)
	end := run(t, p, Options{Host: fakes(t, say)})
	c := connect(t, p)
	for range 3 {
		if _, err := c.Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.StopAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	end() // waits for its end
	if _, err := Connect(t.Context(), ClientOptions{Place: p}); !NoHost(err) {
		t.Errorf("after its end: %v", err)
	}
}

// A start whose answer was lost is not a second kernel.
func TestStartTwice(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	c := connect(t, p)
	q := startRequest{kernelsRequest: c.surroundings(), Nonce: "once", Spec: specWire{Kernel: "fake", Dir: "/"}}
	var a, b contextWire
	for _, w := range []*contextWire{&a, &b} {
		if err := c.call(t.Context(), time.Minute, http.MethodPost, "/v1/contexts", q, w); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := c.List(t.Context()); a.ID != b.ID || len(list) != 1 || err != nil {
		t.Errorf("%s and %s, %v", a.ID, b.ID, err)
	}
	if err := c.Stop(t.Context(), kernelclient.ContextID(a.ID), true); err != nil {
		t.Error(err)
	}
}

// Nobody else can reach the socket, and a folder that another could enter is not used.
func TestOnlyMine(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	r, err := p.read()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		r.Socket: 0o600 | os.ModeSocket, filepath.Dir(r.Socket): 0o700 | os.ModeDir, p.Dir: 0o700 | os.ModeDir,
	} {
		if fi, err := os.Lstat(path); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v %v", path, fi.Mode(), err)
		}
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := privateFolder(open); !errors.Is(err, kernelclient.Permission) {
		t.Errorf("a folder that others can enter: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(r.Socket), link); err != nil {
		t.Fatal(err)
	}
	if err := privateFolder(link); !errors.Is(err, kernelclient.Permission) {
		t.Errorf("a link to a folder: %v", err)
	}
}

// Errors are what they were on the other side.
func TestErrorsKeepTheirTypes(t *testing.T) {
	death := &kernelclient.Death{Signal: "SIGKILL", Last: "last words"}
	clock := &kernelclient.TimeoutError{Clock: kernelclient.Starting, Limit: time.Minute, Setting: "--startup-timeout"}
	for _, err := range []error{
		kernelclient.ErrAnswered, kernelclient.ErrBusy, kernelclient.ErrCompacted, death, clock, errors.New("plain"),
		&kernelclient.Error{Kind: kernelclient.Gone, What: "what", Next: "next", Err: death},
		fmt.Errorf("around: %w", &kernelclient.Error{Kind: kernelclient.NotFound, What: "it"}), nil,
	} {
		got := decodeError(encodeError(err))
		if fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v came as %v", err, got)
		}
		for _, target := range []error{kernelclient.ErrAnswered, kernelclient.ErrBusy, kernelclient.ErrCompacted, kernelclient.Gone, kernelclient.Killed, kernelclient.NotFound} {
			if errors.Is(got, target) != errors.Is(err, target) {
				t.Errorf("%v is %v: %v", err, target, errors.Is(got, target))
			}
		}
	}
	var back *kernelclient.TimeoutError
	if !errors.As(decodeError(encodeError(clock)), &back) || *back != *clock {
		t.Errorf("%+v", back)
	}
}

// dying lets its first client in and says nothing, as a socket does whose process was just killed.
type dying struct {
	net.Listener
	once sync.Once
}

// Accept implements net.Listener.
func (d *dying) Accept() (net.Conn, error) {
	d.once.Do(func() {
		if c, err := d.Listener.Accept(); err == nil {
			_ = c.Close() // as the system does
		}
	})
	return d.Listener.Accept()
}

// A host process that dies as a client comes is asked for once more: there may be another one.
func TestDyingHost(t *testing.T) {
	socket := filepath.Join(place(t).Runtime, "dying.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- NewServer(Options{Host: fakes(t, say), Version: "next"}).Serve(ctx, &dying{Listener: l})
	}()
	defer func() {
		cancel()
		if err := errors.Join(<-served, l.Close()); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}()
	c, err := Connect(t.Context(), ClientOptions{Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if version, err := c.Hello(t.Context()); err != nil || version != "next" {
		t.Errorf("%q %v", version, err)
	}
}
