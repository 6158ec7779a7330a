package session_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// desk is a notebook file and the host whose kernels outlive the windows that show it.
type desk struct {
	host *hosttest.Host
	fake *hosttest.Fake
	file []byte
}

func newDesk(t *testing.T, sources ...string) *desk {
	t.Helper()
	d := &desk{fake: &hosttest.Fake{Script: script}}
	d.host = &hosttest.Host{
		List:    []kernelclient.Kernel{{Name: "builtin-python", DisplayName: "Built-in Python", Language: "python", Found: "built in"}},
		Drive:   func(kernelclient.StartSpec) kernelclient.Driver { return d.fake },
		Lasting: true,
	}
	d.write(t, codeCells(t, sources...))
	t.Cleanup(func() {
		infos, _ := d.host.Contexts(context.Background())
		for _, info := range infos {
			c, err := d.host.Attach(context.Background(), info.ID)
			if err == nil {
				err = c.Stop(context.Background(), true)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func (d *desk) write(t *testing.T, doc *notebook.Document) {
	t.Helper()
	var b bytes.Buffer
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	d.file = b.Bytes()
}

func (d *desk) sum() string { return fmt.Sprintf("%x", sha256.Sum256(d.file)) }

// open is a window on the file as it is now.
func (d *desk) open(t *testing.T) (*session.Session, []notebook.CellKey) {
	t.Helper()
	doc, err := notebook.Parse(d.file)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(doc, d.host, session.Options{Path: "/n.ipynb", Sum: d.sum(), Lasting: true, AllowStdin: true})
	t.Cleanup(func() { _ = s.Close() })
	var keys []notebook.CellKey
	for _, c := range doc.Cells() {
		keys = append(keys, c.Key)
	}
	return s, keys
}

// join opens a window that joins the kernel, and takes over what it put out.
func (d *desk) join(t *testing.T) (*session.Session, []notebook.CellKey, []session.Changes) {
	t.Helper()
	s, keys := d.open(t)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, keys, until(t, s, s.Joined)
}

// save writes the window's document to the file and tells the host.
func (d *desk) save(t *testing.T, s *session.Session) {
	t.Helper()
	m, snapshot := s.Mark(), s.Doc().Snapshot()
	d.write(t, s.Doc())
	s.Doc().MarkSaved(snapshot)
	if err := s.Saved(m, "/n.ipynb", d.sum())(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// leave closes a window whose kernel goes on.
func leave(t *testing.T, s *session.Session) {
	t.Helper()
	if err := errors.Join(s.Detach(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestJoinWhatWasLeftRunning(t *testing.T) {
	d := newDesk(t, "print one", "wait", "print three", "print never run")
	s, keys := d.open(t)
	if err := s.Run(t.Context(), keys[:3]...); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Status(keys[1]).Phase == session.Running && s.State().State == event.Busy })
	d.save(t, s)
	leave(t, s)

	s, keys, _ = d.join(t)
	if k, note := s.Kernel(); k.Name != "builtin-python" || !strings.Contains(note, "left running") {
		t.Errorf("%+v %q", k, note)
	}
	for i, want := range []session.Phase{session.Done, session.Running, session.Queued, session.Fresh} {
		if got := s.Status(keys[i]).Phase; got != want {
			t.Errorf("cell %d is %v, not %v", i+1, got, want)
		}
	}
	if c := s.Doc().Cell(keys[0]); text(c) != "one\n" || c.Count != 1 {
		t.Errorf("cell 1 has %q, count %d", text(c), c.Count)
	}
	if err := s.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
	if s.Status(keys[1]).Phase != session.Interrupted || s.Status(keys[2]).Phase != session.NotRun {
		t.Errorf("%+v %+v", s.Status(keys[1]), s.Status(keys[2]))
	}
	runAll(t, s, keys[3])
	if got := text(s.Doc().Cell(keys[3])); got != "never run\n" {
		t.Errorf("got %q", got)
	}
}

// A saved file with nothing new since stays as it is: no changes to save, the same outputs.
func TestJoinWithNothingNew(t *testing.T) {
	d := newDesk(t, "print one", "show two", "update three")
	s, keys := d.open(t)
	runAll(t, s, keys...)
	d.save(t, s)
	leave(t, s)
	s, keys, _ = d.join(t)
	if s.Doc().Dirty() {
		t.Error("there is something to save")
	}
	for i, want := range []string{"one\n", "[three]", ""} {
		if got := text(s.Doc().Cell(keys[i])); got != want || s.Status(keys[i]).Phase != session.Done {
			t.Errorf("cell %d: %q %+v", i+1, got, s.Status(keys[i]))
		}
	}
	// The display of the other session is still known by its id.
	if err := s.Doc().Do("edit", notebook.SetSource{Key: keys[2], Source: "update four"}); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, keys[2])
	if got := text(s.Doc().Cell(keys[1])); got != "[four]" {
		t.Errorf("updated: %q", got)
	}
	if got := text(s.Doc().Cell(keys[0])); got != "one\n" {
		t.Errorf("the first cell has %q", got)
	}
}

func TestJoinTakesOverWhatNobodySaved(t *testing.T) {
	d := newDesk(t, "print one", "fail", "ask")
	s, keys := d.open(t)
	runAll(t, s, keys[:2]...)
	if err := s.Run(t.Context(), keys[2]); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return s.Prompt() != nil })
	leave(t, s)
	s, keys, changes := d.join(t)
	if !s.Doc().Dirty() {
		t.Error("there is nothing to save")
	}
	if a, b := text(s.Doc().Cell(keys[0])), text(s.Doc().Cell(keys[1])); a != "one\n" || b != "ValueError" {
		t.Errorf("%q %q", a, b)
	}
	var past int
	for _, c := range changes {
		for _, e := range c.Ended {
			if e.Past {
				past++
			}
		}
	}
	if past != 2 {
		t.Errorf("%d ends are told as past", past)
	}
	if p := s.Prompt(); p == nil || p.Cell != keys[2] {
		t.Fatalf("prompt %+v", p)
	}
	if err := s.Answer(t.Context(), "Ann"); err != nil {
		t.Fatal(err)
	}
	until(t, s, func() bool { return !s.Running() })
	if got := text(s.Doc().Cell(keys[2])); got != "hi Ann\n" {
		t.Errorf("got %q", got)
	}
}

// What the user cleared and saved does not come back.
func TestJoinLeavesClearedOutputsCleared(t *testing.T) {
	d := newDesk(t, "show a")
	s, keys := d.open(t)
	runAll(t, s, keys...)
	if err := s.Doc().Do("clear", notebook.ClearOutputs{Keys: keys}); err != nil {
		t.Fatal(err)
	}
	d.save(t, s)
	leave(t, s)
	s, keys, _ = d.join(t)
	if got := text(s.Doc().Cell(keys[0])); got != "" || s.Doc().Dirty() {
		t.Errorf("got %q", got)
	}
}

// A file that another program changed is matched by its cells' code.
func TestJoinAnotherVersionOfTheFile(t *testing.T) {
	d := newDesk(t, "print one", "print two", "print gone")
	s, keys := d.open(t)
	runAll(t, s, keys...)
	leave(t, s)
	d.write(t, codeCells(t, "print new", "print two", "print one"))
	s, keys, changes := d.join(t)
	for i, want := range []string{"", "two\n", "one\n"} {
		if got := text(s.Doc().Cell(keys[i])); got != want {
			t.Errorf("cell %d has %q", i+1, got)
		}
	}
	var notes []string
	for _, c := range changes {
		notes = append(notes, c.Notes...)
	}
	if !slices.Equal(notes, []string{"what 1 run put out belongs to no cell of this file"}) {
		t.Errorf("%q", notes)
	}
	// A save of this file does not take it away: a version that has the cell gets it.
	d.save(t, s)
	leave(t, s)
	d.write(t, codeCells(t, "print gone"))
	s, keys, _ = d.join(t)
	if got := text(s.Doc().Cell(keys[0])); got != "gone\n" {
		t.Errorf("got %q", got)
	}
}

// A copy of unsaved changes has the cells that were never saved.
func TestRematchAfterARestore(t *testing.T) {
	d := newDesk(t, "print one")
	s, _ := d.open(t)
	if err := s.Doc().Do("insert", notebook.Insert{At: 1, Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print unsaved"}}}); err != nil {
		t.Fatal(err)
	}
	var copied bytes.Buffer
	if _, err := s.Doc().Snapshot().WriteTo(&copied); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, s.Doc().Cells()[0].Key, s.Doc().Cells()[1].Key)
	leave(t, s)
	s, _, _ = d.join(t)
	kept, err := notebook.Parse(copied.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	s.Doc().Adopt("restore", kept, false, nil)
	s.Rematch()
	until(t, s, func() bool { return s.Joined() && len(s.Doc().Cells()[1].Outputs()) > 0 })
	if a, b := text(s.Doc().Cells()[0]), text(s.Doc().Cells()[1]); a != "one\n" || b != "unsaved\n" {
		t.Errorf("%q %q", a, b)
	}
	if s.Running() {
		t.Error("something runs")
	}
}

func TestTwoWindows(t *testing.T) {
	d := newDesk(t, "print one", "ask")
	a, keysA := d.open(t)
	runAll(t, a, keysA[0])
	b, keysB, _ := d.join(t)
	if err := b.Run(t.Context(), keysB[1]); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*session.Session{a, b} {
		until(t, s, func() bool { return s.Prompt() != nil })
	}
	if p := a.Prompt(); p.Cell != keysA[1] {
		t.Errorf("%+v", p)
	}
	if err := a.Answer(t.Context(), "Ann"); err != nil {
		t.Fatal(err)
	}
	if err := b.Answer(t.Context(), "Bob"); !errors.Is(err, kernelclient.ErrAnswered) {
		t.Errorf("the second answer: %v", err)
	}
	for i, s := range []*session.Session{a, b} {
		until(t, s, func() bool { return !s.Running() })
		for j, want := range []string{"one\n", "hi Ann\n"} {
			if c := s.Doc().Cells()[j]; text(c) != want || c.Count != j+1 {
				t.Errorf("window %d, cell %d: %q, count %d", i, j, text(c), c.Count)
			}
		}
	}
	// A cell of one window alone is none of the other's.
	if err := b.Doc().Do("insert", notebook.Insert{At: 2, Cells: []notebook.NewCell{{Type: notebook.Code, Source: "print mine"}}}); err != nil {
		t.Fatal(err)
	}
	runAll(t, b, b.Doc().Cells()[2].Key)
	runAll(t, a, keysA[0])
}
