package memfs

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

type stream struct {
	*fswatch.Queue
	fs  *FS
	dir string
	opt fswatch.WatchOptions
}

// Close is fswatch.Stream's.
func (s *stream) Close() error {
	s.fs.mu.Lock()
	delete(s.fs.streams, s)
	s.fs.mu.Unlock()
	s.End(io.EOF)
	return nil
}

// Watch is fswatch.FS's.
func (f *FS) Watch(ctx context.Context, dir fswatch.Path, opt fswatch.WatchOptions) (fswatch.Stream, error) {
	if opt.Recursive && !f.caps.Recursive {
		return nil, fail(fswatch.Unsupported, dir, "cannot be watched with all that is below")
	}
	if !f.caps.Push {
		return fswatch.Poll(ctx, f, dir, opt, nil)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.folder(dir); err != nil {
		return nil, err
	}
	if kind := f.problems[clean(dir)]; kind != "" {
		return nil, fail(kind, dir, "cannot be watched")
	}
	s := &stream{Queue: fswatch.NewQueue(), fs: f, dir: clean(dir), opt: opt}
	f.streams[s] = true
	return s, nil
}

// Break ends all watches with an error, as when a connection is lost.
func (f *FS) Break(reason error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		s.End(reason)
	}
	clear(f.streams)
}

// tell puts an event into the streams that it concerns.
func (f *FS) tell(op fswatch.Op, p string) {
	for s := range f.streams {
		name, ok := "", false
		switch {
		case p == s.dir:
			name, ok = ".", true
		case path.Dir(p) == s.dir:
			name, ok = path.Base(p), true
		case s.opt.Recursive:
			name, ok = strings.CutPrefix(p, strings.TrimSuffix(s.dir, "/")+"/")
		}
		if !ok {
			continue
		}
		e := fswatch.Event{Op: op, Name: name}
		if s.opt.Entries && op != fswatch.OpRemove && op != fswatch.OpRename {
			entry := f.entry(p, f.nodes[p])
			e.Entry = &entry
		}
		s.Put(e)
	}
}
