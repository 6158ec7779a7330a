package diskfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// File is a file as it was last read or written. It may be used from any goroutine; Path
// and StateDir do not change once it is shared.
type File struct {
	Path string // as the caller gave it; symlinks in it are followed anew at every Save
	// StateDir is where the copy goes that guards a save in place. Where it is "", a
	// fresh folder for temporary files serves.
	StateDir string

	syncDir func(dir string) error // nil for the system's own; tests break it

	remote *remote // nil: it lies on this machine's disk; its fields are guarded by mu

	mu   sync.Mutex  // guards all below, also while Save writes
	info fs.FileInfo // nil for a file that does not exist yet
	seen time.Time   // when it was read or written
	data []byte      // what was read, until sum is needed
	sum  []byte
}

// New stands for a file that does not exist yet. Save refuses if it exists then.
func New(path string) *File { return &File{Path: path} }

// Read reads a regular file, following symlinks. Folders, FIFOs, sockets and devices are
// refused without being opened. Errors are *Error; the caller may not change data.
func Read(path string) (data []byte, f *File, err error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, failed("open", path, err)
	}
	data, info, err = readAll(path)
	if err != nil {
		return nil, nil, failed("open", path, err)
	}
	return data, &File{Path: path, info: info, seen: time.Now(), data: data}, nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrDirectory
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w (%s)", ErrNotRegular, kind(info.Mode()))
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "mode " + m.Type().String()
}

// readAll reads what open finds; it may be something else than what was looked at before.
func readAll(path string) ([]byte, fs.FileInfo, error) {
	r, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	// Not through a bytes.Buffer, which clears what it is about to fill: a quarter of the
	// time for a large file.
	data := make([]byte, 0, info.Size()+bytes.MinRead)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, info, nil
		}
		if err != nil {
			return nil, nil, err
		}
		data = slices.Grow(data, bytes.MinRead) // it grew while it was read
	}
}

// Exists tells whether the file was there when it was last read or saved.
func (f *File) Exists() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exists()
}

// Sum returns the SHA-256 of what was last read or written, nil for a file that does not
// exist yet.
func (f *File) Sum() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sumLocked()
}

func (f *File) sumLocked() []byte {
	if f.sum == nil && f.exists() {
		sum := sha256.Sum256(f.data)
		f.sum, f.data = sum[:], nil
	}
	return f.sum
}

// ReadOnly tells whether the file exists and may not be written to by this process.
func (f *File) ReadOnly() bool {
	if f.remote != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.remote.stamp.ReadOnly
	}
	w, err := os.OpenFile(f.Path, os.O_WRONLY|nonblock, 0)
	if err == nil {
		_ = w.Close() // nothing was written
	}
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// wrote remembers what the file is now.
func (f *File) wrote(h hash.Hash, info fs.FileInfo) {
	f.info, f.seen, f.data, f.sum = info, time.Now(), nil, h.Sum(nil)
}
