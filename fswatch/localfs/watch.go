package localfs

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/nbterm/nbterm/fswatch"
)

// returnTime is how often a watch looks whether its folder is back.
const returnTime = 500 * time.Millisecond

// stream is one watch: by reports, or by polling where the system has no more of them.
type stream struct {
	*fswatch.Queue
	fs     *FS
	dir    fswatch.Path // as asked, absolute
	opt    fswatch.WatchOptions
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once
}

// Watch is fswatch.FS's. Where the system reports nothing or refuses another watch, the
// folder is polled; Mode tells.
func (f *FS) Watch(ctx context.Context, dir fswatch.Path, opt fswatch.WatchOptions) (fswatch.Stream, error) {
	if err := f.folderInfo(dir, "cannot be watched"); err != nil {
		return nil, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &stream{Queue: fswatch.NewQueue(), fs: f, dir: f.absolute(dir), opt: opt, cancel: cancel, done: make(chan struct{})}
	if !f.keep(s) {
		cancel()
		return nil, &fswatch.Error{Kind: fswatch.Failed, What: "the files were closed"}
	}
	run, err := s.begin(ctx)
	if err != nil {
		f.forget(s)
		cancel()
		return nil, refuse(dir, "cannot be watched", err)
	}
	go func() {
		defer close(s.done)
		s.run(own, run)
	}()
	return s, nil
}

func (f *FS) keep(s *stream) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams == nil {
		return false
	}
	f.streams[s] = true
	return true
}

func (f *FS) forget(s *stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streams, s)
}

// Close is fswatch.Stream's.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.End(io.EOF)
		s.cancel()
		s.fs.forget(s)
	})
	<-s.done
	return nil
}

// begin arms the watch, so that what happens from here on is told, and returns what follows it.
func (s *stream) begin(ctx context.Context) (func(context.Context) error, error) {
	why := s.fs.reports(s.dir)
	if why == nil || s.opt.NetworkMounts {
		t, err := newTree(s)
		if err == nil {
			return t.run, nil
		}
		if !errors.Is(err, errLimit) {
			return nil, err
		}
		why = err
	}
	return s.poll(ctx, why)
}

// run follows the watch until Close. Where reports end, polling goes on.
func (s *stream) run(ctx context.Context, follow func(context.Context) error) {
	for {
		why := follow(ctx) // called in any case: it frees what it has
		if ctx.Err() != nil {
			return
		}
		next, err := s.poll(ctx, why)
		if err != nil {
			s.End(refuse(s.dir, "cannot be watched", err))
			return
		}
		s.Put(fswatch.Event{Op: fswatch.OpResync, Name: "."}) // reports may be missing since the last one
		follow = next
	}
}

func (s *stream) poll(ctx context.Context, why error) (func(context.Context) error, error) {
	p, err := fswatch.Poll(ctx, s.fs, s.dir, s.opt, why)
	if err != nil {
		return nil, err
	}
	s.SetMode(fswatch.ModePoll, why)
	return func(ctx context.Context) error {
		defer p.Close()
		for {
			events, err := p.Next(ctx)
			if err != nil {
				return err
			}
			s.Put(events...)
		}
	}, nil
}

// errLimit says that the system refuses another watch.
var errLimit = errors.New("the system's limit of watches is reached")

// asLimit marks an error of adding a watch that others may not have had.
func asLimit(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return &limitError{"fs.inotify.max_user_watches", err}
	case errors.Is(err, syscall.EMFILE):
		return &limitError{"fs.inotify.max_user_instances", err}
	}
	return err
}

// limitError names the setting that raises a limit.
type limitError struct {
	setting string
	err     error
}

func (e *limitError) Error() string {
	return errLimit.Error() + " (" + e.setting + "; the system's administrator can raise it)"
}

func (e *limitError) Is(target error) bool { return target == errLimit }

func (e *limitError) Unwrap() error { return e.err }

// newNotify makes a watcher of the system's.
func newNotify() (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewBufferedWatcher(4096)
	return w, asLimit(err)
}

// real is a folder without symlinks, as the names in reports begin.
func (f *FS) real(dir fswatch.Path) (string, error) {
	real, err := filepath.EvalSymlinks(f.absolute(dir))
	if err != nil {
		return "", err
	}
	if _, ok := f.inside(real); f.confined && !ok {
		return "", f.outside(dir)
	}
	return real, nil
}
