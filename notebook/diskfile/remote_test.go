package diskfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"testing"
)

// shelf is a Remote in memory.
type shelf struct {
	data    []byte // nil: there is no file
	version int
	locked  bool
	err     error
}

func (s *shelf) stamp() Stamp { return Stamp{Version: strconv.Itoa(s.version), ReadOnly: s.locked} }

func (s *shelf) Get() ([]byte, Stamp, error) {
	stamp, err := s.Stat()
	return s.data, stamp, err
}

func (s *shelf) Stat() (Stamp, error) {
	switch {
	case s.err != nil:
		return Stamp{}, s.err
	case s.data == nil:
		return Stamp{}, fs.ErrNotExist
	}
	return s.stamp(), nil
}

func (s *shelf) Put(data []byte) (Stamp, error) {
	if s.err != nil {
		return Stamp{}, s.err
	}
	s.data, s.version = data, s.version+1
	return s.stamp(), nil
}

// put is another program's doing.
func (s *shelf) put(text string) { s.data, s.version = []byte(text), s.version+1 }

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func wantState(t *testing.T, f *File, want State) {
	t.Helper()
	if got, err := f.State(); got != want || err != nil {
		t.Errorf("it is %v, %v; want %v", got, err, want)
	}
}

func TestRemote(t *testing.T) {
	s := &shelf{data: []byte("one")}
	data, f, err := ReadRemote("http://server/x.ipynb", s)
	if err != nil || string(data) != "one" || !f.Exists() {
		t.Fatalf("%q, %v", data, err)
	}
	wantState(t, f, Same)
	s.put("one") // written anew, with the same content
	wantState(t, f, Same)
	s.put("two")
	wantState(t, f, Modified)
	kept, err := f.KeepOld(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if copied, err := os.ReadFile(kept); err != nil || string(copied) != "two" {
		t.Errorf("%q was kept, %v", copied, err)
	}
	if err := f.Save(writes("three")); err != nil || string(s.data) != "three" {
		t.Errorf("%q was saved, %v", s.data, err)
	}
	wantState(t, f, Same)
	data, again, err := f.Reread()
	if err != nil || string(data) != "three" || string(again.Sum()) != string(f.Sum()) {
		t.Errorf("%q was read, %v", data, err)
	}
	s.data = nil
	wantState(t, f, Missing)
	s.put("four")
	s.locked = true
	wantState(t, f, Modified)
	wantState(t, f.AsOf(nil), Modified)
}

func TestRemoteNew(t *testing.T) {
	s := &shelf{}
	f := NewRemote("http://server/new.ipynb", s)
	wantState(t, f, Same)
	if f.Exists() || f.Sum() != nil {
		t.Error("it exists before it was saved")
	}
	s.put("another's")
	wantState(t, f, Modified)
	if err := f.Save(writes("mine")); !errors.Is(err, fs.ErrExist) || string(s.data) != "another's" {
		t.Errorf("%v, %q", err, s.data)
	}
	s.data = nil
	if err := f.Save(writes("mine")); err != nil || string(s.data) != "mine" {
		t.Errorf("%v, %q", err, s.data)
	}
	wantState(t, f, Same)
	s.err = errors.New("the server is away")
	if err := f.Save(writes("more")); err == nil || string(s.data) != "mine" {
		t.Errorf("%v, %q", err, s.data)
	}
	if _, err := f.State(); err == nil {
		t.Error("a server that is away has a file that is the same")
	}
}
