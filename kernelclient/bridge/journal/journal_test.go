package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// line is event number n of a test's log.
func line(n uint64) event.Event {
	return event.Event{Seq: n, Time: time.Unix(int64(n), 0).UTC(), Exec: "x", Body: event.Stream{Name: "stdout", Text: fmt.Sprintf("line %d\n", n)}}
}

func lines(from, to uint64) (out []event.Event) {
	for n := from; n <= to; n++ {
		out = append(out, line(n))
	}
	return out
}

func create(t *testing.T) *Journal {
	t.Helper()
	j, err := Create(filepath.Join(t.TempDir(), "contexts", "id"), Meta{ID: "id", Epoch: "e"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func write(t *testing.T, j *Journal, events ...event.Event) {
	t.Helper()
	if err := j.Write(events); err != nil {
		t.Fatal(err)
	}
}

func reopen(t *testing.T, dir string) (Meta, []event.Event, *Journal) {
	t.Helper()
	m, j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return m, slices.Collect(j.History), j
}

func TestReadBack(t *testing.T) {
	j := create(t)
	write(t, j, lines(1, 10)...)
	write(t, j, lines(11, 20)...)
	_, events, k := reopen(t, j.Dir()) // as after a kill: nobody closed it
	if !reflect.DeepEqual(events, lines(1, 20)) {
		t.Fatalf("%d events", len(events))
	}
	write(t, k, lines(21, 30)...)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, events, _ = reopen(t, j.Dir()); !reflect.DeepEqual(events, lines(1, 30)) {
		t.Fatalf("%d events", len(events))
	}
	for _, p := range []string{j.Dir(), filepath.Join(j.Dir(), metaFile), j.file(1)} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", p, fi.Mode(), err)
		}
	}
}

// Wherever the file is cut off, and whatever its end is, what is whole before that comes
// back, and what is written afterwards too.
func TestTornTail(t *testing.T) {
	j := create(t)
	write(t, j, lines(1, 2)...)
	whole, err := os.ReadFile(j.file(1))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(j.file(1), data, 0o600); err != nil {
			t.Fatal(err)
		}
		n := uint64(strings.Count(string(data), "\n"))
		_, events, k := reopen(t, j.Dir())
		if want := lines(1, min(n, 2)); !reflect.DeepEqual(events, want) {
			t.Fatalf("%s: %d events, want %d", what, len(events), len(want))
		}
		write(t, k, line(9))
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if _, events, k = reopen(t, j.Dir()); events[len(events)-1].Seq != 9 {
			t.Fatalf("%s: what was written afterwards is gone", what)
		}
		_ = k.Close()
	}
	for n := range whole {
		check(fmt.Sprintf("cut at %d", n), whole[:n])
	}
	check("zeros at the end", append(append([]byte{}, whole...), make([]byte, 4096)...))
	check("no journal at its end", append(append([]byte{}, whole...), "0000beef {\"seq\":5}\n"...))
}

func TestDamagedInside(t *testing.T) {
	j := create(t)
	write(t, j, lines(1, 4)...)
	data, err := os.ReadFile(j.file(1))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2+20] ^= 1
	if err := os.WriteFile(j.file(1), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, events, _ := reopen(t, j.Dir()); len(events) == 0 || len(events) > 2 {
		t.Errorf("%d events", len(events))
	}
}

func TestLaterVersions(t *testing.T) {
	j := create(t)
	write(t, j, line(1))
	raw := []byte(`{"seq":2,"time":"2026-01-02T03:04:05Z","type":"from the future"}`)
	f, err := os.OpenFile(j.file(1), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f, "%08x %s\n", sum(raw), raw); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	write(t, j, line(3))
	if _, events, _ := reopen(t, j.Dir()); len(events) != 2 || events[1].Seq != 3 {
		t.Errorf("%v", events)
	}
	meta := filepath.Join(j.Dir(), metaFile)
	if err := os.WriteFile(meta, []byte(`{"format":2,"id":"id"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var of *FormatError
	if m, _, err := Open(j.Dir()); !errors.As(err, &of) || m.ID != "id" {
		t.Errorf("%+v %v", m, err)
	}
}

func TestCompact(t *testing.T) {
	j := create(t)
	write(t, j, lines(1, 100)...)
	broken := errors.New("changed meanwhile")
	err := j.Compact(func(yield func(event.Event, error) bool) {
		_ = yield(line(90), nil) && yield(event.Event{}, broken)
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, events, _ := reopen(t, j.Dir()); len(events) != 100 {
		t.Fatalf("a copy that broke off left %d events", len(events))
	}
	if err := j.Compact(func(yield func(event.Event, error) bool) { _ = yield(line(90), nil) && yield(line(100), nil) }); err != nil {
		t.Fatal(err)
	}
	write(t, j, line(101))
	// What a killed process may have left besides.
	for _, name := range []string{"journal-001.ndjson", "journal-003.ndjson.tmp", "meta.json.tmp"} {
		if err := os.WriteFile(filepath.Join(j.Dir(), name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, events, _ := reopen(t, j.Dir())
	if !reflect.DeepEqual(events, []event.Event{line(90), line(100), line(101)}) {
		t.Errorf("%+v", events)
	}
	names, err := os.ReadDir(j.Dir())
	if err != nil || len(names) != 2 {
		t.Errorf("%v %v", names, err)
	}
}

func TestMeta(t *testing.T) {
	j := create(t)
	info := kernelclient.ContextInfo{
		ID: "id", Kernel: kernelclient.Kernel{Name: "python3", DisplayName: "Python 3", Language: "python", Found: "/v"},
		Dir: "/d", Path: "/d/n.ipynb", Started: time.Unix(1, 0).UTC(), PID: 7, PIDStart: 8, ConnFile: "/c.json",
		Host: "http://far:8888/", Remote: "r", Expires: time.Unix(2, 0).UTC(),
		Saved: kernelclient.SaveMark{
			Path: "/d/n.ipynb", SHA256: "ab", Cursor: kernelclient.Cursor{Epoch: "e2", Seq: 9}, Cells: []event.CellKey{"a", "b"},
		},
		Last: kernelclient.Cursor{Epoch: "e2", Seq: 12},
	}
	if err := j.Describe(info); err != nil {
		t.Fatal(err)
	}
	m, _, _ := reopen(t, j.Dir())
	if m.Epoch != "e2" {
		t.Errorf("epoch %q", m.Epoch)
	}
	info.Last = kernelclient.Cursor{}
	if got := m.Info(); !reflect.DeepEqual(got, info) {
		t.Errorf("got  %+v\nwant %+v", got, info)
	}
	spec := SpecOf(kernelclient.StartSpec{Kernel: "k", Env: []string{"TOKEN=secret", "A=b=c"}})
	if !reflect.DeepEqual(spec, Spec{Kernel: "k", EnvNames: []string{"TOKEN", "A"}}) {
		t.Errorf("%+v", spec)
	}
}

func TestCloseAndRemove(t *testing.T) {
	j := create(t)
	write(t, j, line(1))
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if err := j.Write(lines(2, 2)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(j.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Create(filepath.Dir(j.Dir()), Meta{}); err == nil {
		t.Error("a folder that exists was taken")
	}
}

func FuzzRead(f *testing.F) {
	var data []byte
	for _, e := range lines(1, 3) {
		data = appendLine(data, e)
	}
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		good, err := check(bytes.NewReader(data))
		if err != nil || good > int64(len(data)) {
			t.Fatal(good, err)
		}
		all, err := check(bytes.NewReader(data[:good]))
		if err != nil || all != good {
			t.Fatal(all, good, err)
		}
		var last uint64
		err = read(bytes.NewReader(data), func(e event.Event) bool {
			if e.Seq <= last {
				t.Errorf("%d after %d", e.Seq, last)
			}
			last = e.Seq
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
