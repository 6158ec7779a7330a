package fswatch

import (
	"context"
	"io"
	"sync"
)

// streams is a Notifier for an FS that has none: one watch a folder.
type streams struct {
	*Notices
	fs   FS
	ctx  context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup
	open map[Path]context.CancelFunc // of the one goroutine that calls Add and Remove
}

func newStreams(f FS) *streams {
	ctx, end := context.WithCancel(context.Background())
	return &streams{Notices: NewNotices(), fs: f, ctx: ctx, end: end, open: map[Path]context.CancelFunc{}}
}

// Add is Notifier's. The first notice says that the watch is open.
func (s *streams) Add(dir Path) (watched bool, err error) {
	s.Remove(dir)
	ctx, cancel := context.WithCancel(s.ctx)
	s.open[dir] = cancel
	s.wg.Go(func() { s.follow(ctx, dir) })
	return false, nil
}

// Remove is Notifier's.
func (s *streams) Remove(dir Path) {
	if cancel := s.open[dir]; cancel != nil {
		cancel()
		delete(s.open, dir)
	}
	s.Drop(dir)
}

// Close is Notifier's.
func (s *streams) Close() error {
	s.end()
	s.wg.Wait()
	return nil
}

func (s *streams) follow(ctx context.Context, dir Path) {
	err := s.forward(ctx, dir)
	if ctx.Err() == nil {
		s.Put(Notice{Dir: dir, Err: err})
	}
}

func (s *streams) forward(ctx context.Context, dir Path) error {
	stream, err := s.fs.Watch(ctx, dir, WatchOptions{})
	if err != nil {
		return err
	}
	defer stream.Close()
	if mode, why := stream.Mode(); mode == ModePoll { // then all are better polled together
		return &Error{Kind: Unsupported, What: "changes are not reported here", Err: why}
	}
	for {
		if ctx.Err() != nil {
			return io.EOF
		}
		s.Put(Notice{Dir: dir})
		if _, err := stream.Next(ctx); err != nil {
			return err
		}
	}
}
