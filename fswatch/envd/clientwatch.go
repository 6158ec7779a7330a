package envd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
	"github.com/nbterm/nbterm/internal/pause"
)

const (
	pingInterval = 20 * time.Second // how often the service is to give a sign of life
	pollInterval = 2 * time.Second  // how often events are fetched where there are no streams
	firstRetry   = 500 * time.Millisecond
	lastRetry    = 15 * time.Second
	giveUp       = 5 * time.Minute // without a connection
	goodbye      = 2 * time.Second // for ending a watcher; Close waits for it
)

// stream is one watch. It outlives connections: what may have happened in between is told as
// OpResync.
type stream struct {
	*fswatch.Queue
	f      *FS
	dir    fswatch.Path
	opt    fswatch.WatchOptions
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once
}

// feed is one connection of a watch, or one watcher that is polled.
type feed interface {
	// next waits for events. It is not called again after an error.
	next(ctx context.Context) ([]*envdpb.FilesystemEvent, error)
	close()
}

// Watch is fswatch.FS's. Where the service has no streams, or something between does not let
// them through, its events are fetched every two seconds. A network mount, which it will not
// watch, is listed as often.
func (f *FS) Watch(ctx context.Context, dir fswatch.Path, opt fswatch.WatchOptions) (fswatch.Stream, error) {
	dir, err := f.absolute(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := f.canWatch(opt); err != nil {
		return nil, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &stream{Queue: fswatch.NewQueue(), f: f, dir: dir, opt: opt, ctx: own, cancel: cancel, done: make(chan struct{})}
	first, err := s.open(ctx)
	if err != nil {
		cancel()
		err = refused(ctx, fmt.Sprintf("%q cannot be watched", dir), err)
		if errors.Is(err, fswatch.Invalid) && strings.Contains(err.Error(), "network filesystem") {
			return fswatch.Poll(ctx, f, dir, opt, err)
		}
		return nil, err
	}
	if !f.keep(s) {
		first.close()
		cancel()
		return nil, &fswatch.Error{Kind: fswatch.Failed, What: "the files were closed"}
	}
	go s.run(first)
	return s, nil
}

func (f *FS) canWatch(opt fswatch.WatchOptions) error {
	for _, o := range []struct {
		asked         bool
		since, option string
	}{
		{opt.Recursive, sinceRecursive, "watching the folders below too"},
		{opt.Entries, sinceEntries, "entries with events"},
		{opt.NetworkMounts, sinceNetwork, "watching network mounts"},
	} {
		if !o.asked {
			continue
		}
		if err := f.needs(o.since, o.option); err != nil {
			return err
		}
	}
	return nil
}

func (f *FS) keep(s *stream) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.open[s] = true
	return true
}

// Close is fswatch.Stream's.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.End(io.EOF)
		s.cancel()
		s.f.mu.Lock()
		delete(s.f.open, s)
		s.f.mu.Unlock()
	})
	<-s.done
	return nil
}

// open begins to watch: by a stream, else by polling. ctx bounds only the opening.
func (s *stream) open(ctx context.Context) (feed, error) {
	if mode, _ := s.Mode(); mode == fswatch.ModePush {
		c, err := s.connect(ctx)
		if !streamless(err) {
			return c, err
		}
		why := refused(ctx, "the file service sends no streams", err)
		p, err := s.poll(ctx)
		if err == nil {
			s.SetMode(fswatch.ModePoll, why)
		}
		return p, err
	}
	return s.poll(ctx)
}

// streamless tells whether there is no stream to be had, though maybe a watch.
func streamless(err error) bool {
	var late *fswatch.TimeoutError
	switch {
	case err == nil:
		return false
	case errors.As(err, &late): // somebody between holds the stream back
		return true
	}
	code := connect.CodeOf(err)
	return code == connect.CodeUnimplemented || code == connect.CodeUnknown && !connect.IsWireError(err)
}

// run passes events on until Close, over as many connections as it takes.
func (s *stream) run(c feed) {
	defer close(s.done)
	defer s.cancel()
	for {
		err := s.follow(c)
		c.close()
		if s.ctx.Err() != nil {
			return
		}
		if c, err = s.again(err); err != nil {
			s.End(err)
			return
		}
	}
}

// errMoved says that the watched folder was removed or got another name.
var errMoved = errors.New("the watched folder is gone")

// follow passes events on until there are no more.
func (s *stream) follow(c feed) error {
	for {
		events, err := c.next(s.ctx)
		for _, e := range events {
			s.put(e)
			if gone := e.GetType() == envdpb.EventType_EVENT_TYPE_REMOVE || e.GetType() == envdpb.EventType_EVENT_TYPE_RENAME; gone && e.GetName() == "." {
				return errMoved
			}
		}
		if err != nil {
			return err
		}
	}
}

func (s *stream) put(e *envdpb.FilesystemEvent) {
	op, ok := map[envdpb.EventType]fswatch.Op{
		envdpb.EventType_EVENT_TYPE_CREATE: fswatch.OpCreate,
		envdpb.EventType_EVENT_TYPE_WRITE:  fswatch.OpWrite,
		envdpb.EventType_EVENT_TYPE_REMOVE: fswatch.OpRemove,
		envdpb.EventType_EVENT_TYPE_RENAME: fswatch.OpRename,
		envdpb.EventType_EVENT_TYPE_CHMOD:  fswatch.OpChmod,
	}[e.GetType()]
	if !ok {
		op = fswatch.OpResync // of a kind that there was not when this was written
	}
	out := fswatch.Event{Op: op, Name: path.Clean(e.GetName())}
	if op == fswatch.OpResync {
		out.Name = "."
	}
	if e.GetEntry() != nil {
		entry := entryFrom(e.GetEntry())
		out.Entry = &entry
	}
	s.Put(out)
}

// again watches anew after a connection ended, as soon as that is possible.
func (s *stream) again(why error) (feed, error) {
	gone := errors.Is(why, errMoved)
	since := time.Now()
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		if gone {
			wait = min(wait, pollInterval)
		}
		c, err := s.open(s.ctx)
		switch {
		case s.ctx.Err() != nil:
			if err == nil {
				c.close()
			}
			return nil, io.EOF
		case err == nil && gone:
			s.Put(fswatch.Event{Op: fswatch.OpCreate, Name: "."}, fswatch.Event{Op: fswatch.OpResync, Name: "."})
			return c, nil
		case err == nil:
			s.Put(fswatch.Event{Op: fswatch.OpResync, Name: "."})
			return c, nil
		}
		err = refused(s.ctx, fmt.Sprintf("%q is no longer watched", s.dir), err)
		switch {
		case errors.Is(err, fswatch.NotFound) || errors.Is(err, fswatch.Invalid): // missing, or something else by now
			if !gone {
				s.Put(fswatch.Event{Op: fswatch.OpRemove, Name: "."})
			}
			gone, since = true, time.Now()
		case errors.Is(err, fswatch.Unauthenticated), errors.Is(err, fswatch.Permission), errors.Is(err, fswatch.Forbidden):
			return nil, err
		case time.Since(since) > giveUp:
			return nil, err
		}
		if pause.For(s.ctx, wait) != nil {
			return nil, io.EOF
		}
	}
}

// connection is a stream of the service.
type connection struct {
	stream *connect.ServerStreamForClient[envdpb.WatchDirResponse]
	cancel context.CancelCauseFunc
	ctx    context.Context
	quiet  *clock
}

// connect opens a stream and waits for its beginning: nothing is missed from then on.
func (s *stream) connect(ctx context.Context) (feed, error) {
	own, cancel := context.WithCancelCause(s.ctx)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	limit := s.f.opt.Request
	opening := startClock(limit, cancel, &fswatch.TimeoutError{Clock: "connecting and sending", Limit: limit, Setting: "--request-timeout"})
	defer opening.stop()
	req := connect.NewRequest(&envdpb.WatchDirRequest{Path: s.dir, Recursive: s.opt.Recursive, IncludeEntry: s.opt.Entries, AllowNetworkMounts: s.opt.NetworkMounts})
	req.Header().Set("Keepalive-Ping-Interval", strconv.Itoa(int(s.f.ping/time.Second)))
	st, err := s.f.stream.WatchDir(own, req)
	if err == nil && (!st.Receive() || st.Msg().GetStart() == nil) {
		err = st.Err()
		if err == nil {
			err = &fswatch.Error{Kind: fswatch.Protocol, What: "a watch began without its first message"}
		}
		_ = st.Close() // it is given up
	}
	if err != nil {
		err = inTime(own, err)
		cancel(err)
		return nil, err
	}
	silent := &fswatch.Error{Kind: fswatch.Disconnect, What: "nothing was heard of the file service for a while"}
	return &connection{stream: st, cancel: cancel, ctx: own, quiet: startClock(2*s.f.ping, cancel, silent)}, nil
}

func (c *connection) next(context.Context) ([]*envdpb.FilesystemEvent, error) {
	for c.stream.Receive() {
		c.quiet.again()
		if e := c.stream.Msg().GetFilesystem(); e != nil {
			return []*envdpb.FilesystemEvent{e}, nil
		}
	}
	if err := c.stream.Err(); err != nil {
		return nil, err
	}
	return nil, io.ErrUnexpectedEOF
}

func (c *connection) close() {
	c.quiet.stop()
	c.cancel(context.Canceled)
	_ = c.stream.Close() // it is given up
}

// watcher is a watcher of the service whose events are fetched.
type watcher struct {
	f  *FS
	id string
	t  *time.Ticker
}

func (s *stream) poll(ctx context.Context) (feed, error) {
	answer, err := s.f.rpc.CreateWatcher(ctx, connect.NewRequest(&envdpb.CreateWatcherRequest{
		Path: s.dir, Recursive: s.opt.Recursive, IncludeEntry: s.opt.Entries, AllowNetworkMounts: s.opt.NetworkMounts,
	}))
	if err != nil {
		return nil, err
	}
	return &watcher{f: s.f, id: answer.Msg.GetWatcherId(), t: time.NewTicker(s.f.poll)}, nil
}

func (w *watcher) next(ctx context.Context) ([]*envdpb.FilesystemEvent, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.t.C:
	}
	answer, err := w.f.rpc.GetWatcherEvents(ctx, connect.NewRequest(&envdpb.GetWatcherEventsRequest{WatcherId: w.id}))
	if err != nil {
		return nil, err
	}
	return answer.Msg.GetEvents(), nil
}

// close ends the watcher of the service, which would keep it for ever.
func (w *watcher) close() {
	w.t.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_, _ = w.f.rpc.RemoveWatcher(ctx, connect.NewRequest(&envdpb.RemoveWatcherRequest{WatcherId: w.id})) // it may be gone with the service
}
