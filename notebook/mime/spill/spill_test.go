package spill

import (
	"errors"
	"io"
	"os"
	"testing"
)

func TestFile(t *testing.T) {
	var s File
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = File{}
	a, err := s.Put([]byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Put([]byte("defg"))
	if err != nil || a != 0 || b != 3 || s.Size() != 7 {
		t.Fatal(a, b, s.Size(), err)
	}
	p := make([]byte, 4)
	if _, err := s.ReadAt(p, b); err != nil || string(p) != "defg" {
		t.Fatalf("%q %v", p, err)
	}
	if _, err := s.ReadAt(p, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal("a short read:", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadAt(p, b); !errors.Is(err, os.ErrClosed) {
		t.Fatal("read after close:", err)
	}
	if _, err := s.Put([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Fatal("put after close:", err)
	}
}
