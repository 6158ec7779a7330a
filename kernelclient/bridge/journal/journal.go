package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// syncEvery is how long what was written may be in the system's memory alone.
const syncEvery = time.Second

// Journal is the record of one context on disk. It is a kernelclient.Recorder; Close and
// Remove may be called from any goroutine.
type Journal struct {
	dir  string
	good int64 // bytes that an earlier process wrote

	mu     sync.Mutex // guards all below
	meta   Meta
	f      *os.File
	n      int // of the file
	buf    []byte
	timer  *time.Timer // of the next sync, nil if there is nothing to sync
	failed error       // of a sync
	closed bool
}

var _ kernelclient.Recorder = (*Journal)(nil)

// Create begins the journal of a context in a folder that does not exist yet.
func Create(dir string, m Meta) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	m.Format = format
	j := &Journal{dir: dir, meta: m, n: 1}
	f, err := os.OpenFile(j.file(1), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.f = f
	if err := writeMeta(dir, m); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// Open goes on with the journal that an earlier process wrote. A line that was being written
// when that process ended is dropped.
func Open(dir string) (Meta, *Journal, error) {
	m, err := ReadMeta(dir)
	if err != nil {
		return m, nil, err
	}
	j := &Journal{dir: dir, meta: m}
	if j.n, err = j.newest(); err != nil {
		return m, nil, err
	}
	if j.f, err = os.OpenFile(j.file(j.n), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return m, nil, fmt.Errorf("journal: %w", err)
	}
	good, err := check(j.f)
	if err == nil {
		if err = j.f.Truncate(good); err != nil {
			err = fmt.Errorf("journal: %w", err)
		}
	}
	if err != nil {
		return m, nil, errors.Join(err, j.f.Close())
	}
	j.good = good
	return m, j, nil
}

// History yields what the earlier process wrote, from disk each time: a journal may be
// larger than memory. It is to be read before anything is written.
func (j *Journal) History(yield func(event.Event) bool) {
	var last uint64
	enough := false
	err := read(io.NewSectionReader(j.f, 0, j.good), func(e event.Event) bool {
		last, enough = e.Seq, !yield(e)
		return !enough
	})
	if err != nil && !enough {
		yield(event.Event{Seq: last + 1, Time: time.Now(), Body: event.Gap{Detail: fmt.Sprintf("the rest cannot be read: %v", err)}})
	}
}

func (j *Journal) file(n int) string {
	return filepath.Join(j.dir, fmt.Sprintf("journal-%03d.ndjson", n))
}

// newest finds the file that counts, the one that was written last, and removes what a
// process left that was killed while it put one in the place of another.
func (j *Journal) newest() (int, error) {
	names, err := os.ReadDir(j.dir)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	var found []int
	for _, name := range names {
		var n int
		if _, err := fmt.Sscanf(name.Name(), "journal-%d.ndjson", &n); err == nil && filepath.Base(j.file(n)) == name.Name() {
			found = append(found, n)
		} else if strings.HasSuffix(name.Name(), ".tmp") {
			_ = os.Remove(filepath.Join(j.dir, name.Name())) // it is in the way of nothing
		}
	}
	if len(found) == 0 {
		return 1, nil // killed between the folder and the file
	}
	last := slices.Max(found)
	for _, n := range found {
		if n != last {
			_ = os.Remove(j.file(n)) // the last one has all of it
		}
	}
	return last, nil
}

// Dir is the journal's folder.
func (j *Journal) Dir() string { return j.dir }

// Write implements kernelclient.Recorder.
func (j *Journal) Write(events []event.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	j.buf = j.buf[:0]
	for _, e := range events {
		j.buf = appendLine(j.buf, e)
	}
	_, err := j.f.Write(j.buf)
	if cap(j.buf) > 1<<20 {
		j.buf = nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(syncEvery, j.sync)
	}
	return nil
}

// usable says why nothing can be written. mu is held.
func (j *Journal) usable() error {
	if j.closed {
		return fmt.Errorf("journal: %w", os.ErrClosed)
	}
	err := j.failed
	j.failed = nil // told once
	return err
}

// sync runs in the timer's goroutine. Writing goes on meanwhile.
func (j *Journal) sync() {
	j.mu.Lock()
	f := j.f
	j.timer = nil
	j.mu.Unlock()
	if err := f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.failed = fmt.Errorf("journal: %w", err)
	}
}

// Describe implements kernelclient.Recorder.
func (j *Journal) Describe(info kernelclient.ContextInfo) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	m := j.meta.with(info)
	if reflect.DeepEqual(m, j.meta) {
		return nil
	}
	if err := writeMeta(j.dir, m); err != nil {
		return err
	}
	j.meta = m
	return nil
}

// Compact implements kernelclient.Recorder.
func (j *Journal) Compact(kept iter.Seq2[event.Event, error]) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	next := j.file(j.n + 1)
	if err := replace(j.dir, filepath.Base(next), func(f *os.File) error { return writeAll(f, kept) }); err != nil {
		return err
	}
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_ = j.f.Close() // what was in it is in the next one
	_ = os.Remove(j.file(j.n))
	j.f, j.n = f, j.n+1
	return nil
}

func writeAll(f *os.File, kept iter.Seq2[event.Event, error]) error {
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for e, err := range kept {
		if err != nil {
			return err
		}
		line = appendLine(line[:0], e)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Close syncs the journal and lets go of it. It stays on disk.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	var err error
	if j.timer != nil {
		j.timer.Stop()
		err = j.f.Sync()
	}
	if err = errors.Join(err, j.f.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Remove deletes the journal: its context was stopped and nothing of it is needed.
func (j *Journal) Remove() error {
	err := j.Close()
	if err := os.RemoveAll(j.dir); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return err
}
