// Package spill keeps bytes that are too many for memory in a file that no one else
// can see: created 0600, unlinked at once where the system allows it, gone with the
// process. It knows nothing of what the bytes mean.
package spill

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// File is an append-only store of byte runs. It may be used from any goroutine.
// The zero File is ready; its temporary file is created by the first Put.
type File struct {
	mu   sync.Mutex // guards all below
	f    *os.File
	size int64
	gone bool
}

// Put appends p and returns where it begins.
func (s *File) Put(p []byte) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return 0, fmt.Errorf("spill file: %w", os.ErrClosed)
	}
	if s.f == nil {
		f, err := os.CreateTemp("", "nbterm-spill-*")
		if err != nil {
			return 0, fmt.Errorf("spill file: %w", err)
		}
		s.f = f
		_ = os.Remove(f.Name()) // Windows refuses; Close removes it there
	}
	at = s.size
	n, err := s.f.WriteAt(p, at)
	s.size += int64(n)
	if err != nil {
		return 0, fmt.Errorf("spill file: %w", err)
	}
	return at, nil
}

// ReadAt reads len(p) bytes that were put at off. Fewer are an error, never io.EOF: what
// was put must be there. After Close it is os.ErrClosed.
func (s *File) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	f, gone := s.f, s.gone
	s.mu.Unlock()
	switch {
	case gone:
		return 0, fmt.Errorf("spill file: %w", os.ErrClosed)
	case f == nil:
		return 0, fmt.Errorf("spill file: %w", io.ErrUnexpectedEOF)
	}
	n, err := f.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = fmt.Errorf("spill file: %w", err)
	}
	return n, err
}

// Size is the number of bytes put so far.
func (s *File) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Close removes the file. What was put is lost; later calls fail.
func (s *File) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	if s.f == nil {
		return nil
	}
	name := s.f.Name()
	err := s.f.Close()
	_ = os.Remove(name) // a no-op where it was unlinked at birth
	s.f = nil
	return err
}
