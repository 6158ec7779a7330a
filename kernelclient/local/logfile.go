package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient/leftover"
)

const (
	logLimit = 8 << 20     // bytes; a longer log is cut
	logKept  = 64 << 10    // bytes that stay of it
	logCheck = time.Second // between two looks at it

	lastLines = 12  // of a dead kernel's words
	lineLimit = 400 // bytes of one of them
)

// logFile takes a kernel's stdout and stderr. It is a file and no pipe to us: a full pipe
// blocks the kernel, one whose reader died kills it, and one that a grandchild inherited
// keeps us waiting. The kernel appends; a goroutine of ours keeps it short until close.
type logFile struct {
	f    *os.File
	held *leftover.Claim
	w    *writes // nil where writes are not told
	stop chan struct{}
	done chan struct{}
}

func openLog(dir, id string) (*logFile, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, filesPrefix+id+logSuffix)
	held, err := leftover.Make(path, func(path string) error { return os.WriteFile(path, nil, 0o600) })
	if err != nil {
		return nil, fmt.Errorf("making the kernel's log: %w", err)
	}
	l, err := reopenLog(path)
	if err != nil {
		held.Close()
		return nil, fmt.Errorf("making the kernel's log: %w", err)
	}
	l.held = held
	return l, nil
}

// reopenLog takes over the log of a kernel that runs already.
func reopenLog(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	l := &logFile{f: f, stop: make(chan struct{}), done: make(chan struct{})}
	if l.w, err = watchWrites(path); err != nil {
		l.w = nil
	}
	go l.keepShort()
	return l, nil
}

// keepShort looks at the log after writes, but not all the time while they flood.
func (l *logFile) keepShort() {
	defer close(l.done)
	pause := time.NewTimer(logCheck)
	defer pause.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-pause.C:
		}
		if l.w != nil && l.w.next() != nil {
			return
		}
		l.cut()
		pause.Reset(logCheck)
	}
}

// cut leaves the end of a log that is too long. What the kernel writes meanwhile may be
// lost; it never ends up in the middle, because everybody appends.
func (l *logFile) cut() {
	fi, err := l.f.Stat()
	if err != nil || fi.Size() <= logLimit {
		return
	}
	tail := l.tail()
	if l.f.Truncate(0) == nil {
		_, _ = l.f.Write(tail) // a full disk costs the tail, not the kernel
	}
}

// tail is the end of the log.
func (l *logFile) tail() []byte {
	fi, err := l.f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, fi.Size()-logKept)
	b := make([]byte, fi.Size()-from)
	n, err := l.f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return b[:n]
}

// lastWords are the last lines that are not empty, joined by newlines.
func (l *logFile) lastWords() string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(l.tail()), "�")) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		if len(line) > lineLimit {
			line = strings.ToValidUTF8(line[:lineLimit], "") + "…"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
}

// close ends the goroutine and lets go of the file, or removes it.
func (l *logFile) close(remove bool) {
	close(l.stop)
	if l.w != nil {
		l.w.close()
	}
	<-l.done
	_ = l.f.Close()
	if remove {
		_ = os.Remove(l.f.Name())
	}
	l.held.Close()
}
