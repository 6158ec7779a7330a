package fswatch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Mode is how a watcher gets to know of changes.
type Mode string

// The modes.
const (
	ModePush Mode = "push" // the system reports them
	ModePoll Mode = "poll" // it looks every two seconds
)

// FileWatcher watches one file through the folder that it lies in: a file that is replaced,
// deleted or made anew stays watched. A symlink is watched together with its target. Its
// methods may be called from any goroutine.
type FileWatcher struct {
	path   string
	ready  chan struct{} // holds one: a change that was not told yet
	quit   chan struct{}
	done   chan struct{}
	once   sync.Once
	mu     sync.Mutex // guards all below
	mode   Mode
	reason error
}

// WatchFile begins to watch a file, which need not exist. It does not wait: Next returns a
// first time when watching has begun, so that the caller can look what it missed.
func WatchFile(path string) *FileWatcher {
	f := &FileWatcher{path: path, ready: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go f.run()
	return f
}

// Next waits until the file may have changed. After Close it returns io.EOF.
func (f *FileWatcher) Next(ctx context.Context) error {
	select {
	case <-f.ready:
		return nil
	case <-f.done:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Mode tells how the file is watched, and for Poll why the system cannot report.
func (f *FileWatcher) Mode() (Mode, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mode, f.reason
}

// Close ends watching and waits until it ended.
func (f *FileWatcher) Close() error {
	f.once.Do(func() { close(f.quit) })
	<-f.done
	return nil
}

func (f *FileWatcher) setMode(m Mode, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mode, f.reason = m, why
}

func (f *FileWatcher) tell() {
	select {
	case f.ready <- struct{}{}:
	default: // told already and not yet taken
	}
}

// run watches until Close: by reports as long as there are any, else by looking.
func (f *FileWatcher) run() {
	defer close(f.done)
	for {
		why := f.push()
		if why == nil {
			return
		}
		f.setMode(ModePoll, why)
		if !f.poll(errors.Is(why, fs.ErrNotExist)) {
			return
		}
	}
}

// names are the paths whose changes matter: the file's own and, of a symlink, its target's.
func (f *FileWatcher) names() map[string]bool {
	abs, err := filepath.Abs(f.path)
	if err != nil {
		abs = f.path
	}
	names := map[string]bool{abs: true}
	if target, err := filepath.EvalSymlinks(abs); err == nil {
		names[target] = true
	}
	return names
}

// push follows the system's reports. It returns nil after Close, else why there are none.
func (f *FileWatcher) push() error {
	names := f.names()
	for name := range names {
		if err := Reports(filepath.Dir(name)); err != nil {
			return err
		}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	dirs := map[string]bool{}
	for name := range names {
		dirs[filepath.Dir(name)] = true
		if err := w.Add(filepath.Dir(name)); err != nil {
			return err
		}
	}
	f.setMode(ModePush, nil)
	f.tell()
	return f.follow(w, names, dirs)
}

// errFolderGone is why a folder is not watched any more.
var errFolderGone = &fs.PathError{Op: "watch", Path: "the folder", Err: fs.ErrNotExist}

func (f *FileWatcher) follow(w *fsnotify.Watcher, names, dirs map[string]bool) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var began time.Time // of changes that were not told yet
	for {
		select {
		case <-f.quit:
			return nil
		case e, ok := <-w.Events:
			switch {
			case !ok:
				return fsnotify.ErrClosed
			case dirs[e.Name] && e.Op&(fsnotify.Remove|fsnotify.Rename) != 0:
				f.tell()
				return errFolderGone
			case !names[e.Name]:
				continue
			}
			if began.IsZero() {
				began = time.Now()
			}
			timer.Reset(min(quiet, max(patience-time.Since(began), 0)))
		case _, ok := <-w.Errors: // reports were lost: anything may have happened
			if !ok {
				return fsnotify.ErrClosed
			}
			f.tell()
		case <-timer.C:
			began = time.Time{}
			f.tell()
		}
	}
}

// poll looks every two seconds. It reports whether to try reports again, which it does
// whenever something changed; false after Close. gone says that there was no folder to
// watch: then it also does once the file is there.
func (f *FileWatcher) poll(gone bool) bool {
	was, _ := os.Stat(f.path) // before it is told: what changes from here on differs from this
	f.tell()
	t := time.NewTicker(pollTime)
	defer t.Stop()
	for {
		select {
		case <-f.quit:
			return false
		case <-t.C:
			now, _ := os.Stat(f.path)
			if differs(was, now) {
				f.tell()
				return true
			}
			if gone && now != nil { // it was back before the first look
				return true
			}
		}
	}
}

func differs(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a != nil || b != nil
	}
	return a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !os.SameFile(a, b)
}
