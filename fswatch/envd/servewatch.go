package envd

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// defaultKeepalive is how long a stream may be silent if the client did not say.
const defaultKeepalive = 90 * time.Second

// errOverflow is what envd says when events were lost. Clients begin anew then.
var errOverflow = errors.New("watcher error: fsnotify: queue or buffer overflow")

// watchRequest is what the two ways of watching ask for.
type watchRequest interface {
	GetPath() string
	GetRecursive() bool
	GetIncludeEntry() bool
	GetAllowNetworkMounts() bool
}

// watch is a watched folder.
type watch struct {
	fswatch.Stream
	s       *Server
	name    string // the folder, as the client named it
	entries bool
}

// watch begins to watch: what happens from here on is told.
func (s *Server) watch(ctx context.Context, req watchRequest) (*watch, error) {
	name, err := s.resolve(req.GetPath())
	if err != nil {
		return nil, err
	}
	p, err := s.folder(name)
	if err != nil {
		return nil, err
	}
	dir := s.tree.real
	if p.rel != "." {
		dir = join(dir, p.rel)
	}
	if err := fswatch.Reports(dir); err != nil && !req.GetAllowNetworkMounts() {
		return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("cannot watch path on network filesystem: %s: %w", name, err))
	}
	st, err := s.local.Watch(ctx, dir, fswatch.WatchOptions{Recursive: req.GetRecursive(), NetworkMounts: true})
	if err != nil {
		return nil, coded("error adding path "+name+" to watcher", at("watch", name, err))
	}
	return &watch{Stream: st, s: s, name: name, entries: req.GetIncludeEntry()}, nil
}

// messages are events as they go over the wire. lost says that some are missing after them.
func (w *watch) messages(events []fswatch.Event) (list []*envdpb.FilesystemEvent, lost bool) {
	for _, e := range events {
		if e.Op == fswatch.OpResync {
			return list, true
		}
		if !utf8.ValidString(e.Name) {
			continue // it cannot be told on this wire
		}
		m := &envdpb.FilesystemEvent{Name: e.Name, Type: eventTypes()[e.Op]}
		if w.entries && e.Op != fswatch.OpRemove && e.Op != fswatch.OpRename {
			m.Entry, _ = w.s.stat(path.Join(w.name, e.Name)) // none if it is gone by now
		}
		list = append(list, m)
	}
	return list, false
}

func eventTypes() map[fswatch.Op]envdpb.EventType {
	return map[fswatch.Op]envdpb.EventType{
		fswatch.OpCreate: envdpb.EventType_EVENT_TYPE_CREATE,
		fswatch.OpWrite:  envdpb.EventType_EVENT_TYPE_WRITE,
		fswatch.OpRemove: envdpb.EventType_EVENT_TYPE_REMOVE,
		fswatch.OpRename: envdpb.EventType_EVENT_TYPE_RENAME,
		fswatch.OpChmod:  envdpb.EventType_EVENT_TYPE_CHMOD,
	}
}

// WatchDir sends what happens in a folder, and a sign of life when nothing does.
func (v service) WatchDir(ctx context.Context, req *connect.Request[envdpb.WatchDirRequest], out *connect.ServerStream[envdpb.WatchDirResponse]) error {
	if !v.s.enter() {
		return errClosing()
	}
	defer v.s.watches.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.s.ctx, cancel)()
	w, err := v.s.watch(ctx, req.Msg)
	if err != nil {
		return err
	}
	defer w.Close()
	start := &envdpb.WatchDirResponse{Event: &envdpb.WatchDirResponse_Start{Start: &envdpb.WatchDirResponse_StartEvent{}}}
	if err := out.Send(start); err != nil {
		return err
	}
	err = w.send(ctx, keepalive(req.Header().Get("Keepalive-Ping-Interval")), out)
	if v.s.ctx.Err() != nil {
		return errClosing()
	}
	return err
}

func errClosing() error {
	return connect.NewError(connect.CodeUnavailable, errors.New("the server is shutting down"))
}

// keepalive is the interval that a client asks for in whole seconds. One that could not be
// kept is the default.
func keepalive(header string) time.Duration {
	n, err := strconv.Atoi(header)
	if err != nil || n < 1 || n > 1<<30 {
		return defaultKeepalive
	}
	return time.Duration(n) * time.Second
}

// send passes events on until the client goes away or events are lost.
func (w *watch) send(ctx context.Context, interval time.Duration, out *connect.ServerStream[envdpb.WatchDirResponse]) error {
	for {
		idle, cancel := context.WithTimeout(ctx, interval)
		events, err := w.Next(idle)
		cancel()
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return connect.NewError(connect.CodeDeadlineExceeded, ctx.Err())
		case ctx.Err() != nil:
			return connect.NewError(connect.CodeCanceled, ctx.Err())
		case errors.Is(err, context.DeadlineExceeded):
			alive := &envdpb.WatchDirResponse{Event: &envdpb.WatchDirResponse_Keepalive{Keepalive: &envdpb.WatchDirResponse_KeepAlive{}}}
			if err := out.Send(alive); err != nil {
				return err
			}
			continue
		case err != nil:
			return connect.NewError(connect.CodeInternal, fmt.Errorf("watcher error: %w", err))
		}
		list, lost := w.messages(events)
		for _, m := range list {
			if err := out.Send(&envdpb.WatchDirResponse{Event: &envdpb.WatchDirResponse_Filesystem{Filesystem: m}}); err != nil {
				return err
			}
		}
		if lost {
			return connect.NewError(connect.CodeInternal, errOverflow)
		}
	}
}
