package envd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

const (
	pollerLife = 10 * time.Minute // without a question; then it counts as forgotten
	maxPollers = 1024
)

// pollers are the watchers that clients without streams made. envd keeps them for ever;
// here one that nobody asks ends, and says so as if its events had overflowed.
type pollers struct {
	mu   sync.Mutex // guards byID
	byID map[string]*poller
}

// poller is a watch whose events wait to be fetched.
type poller struct {
	mu     sync.Mutex // guards all below; held while events are fetched, so that they stay in order
	watch  *watch
	failed error // what every later question gets
	timer  *time.Timer
}

// add keeps a watch. It reports "" if there are too many.
func (ps *pollers) add(w *watch) string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.byID == nil {
		ps.byID = map[string]*poller{}
	}
	if len(ps.byID) >= maxPollers && !ps.dropDead() {
		return ""
	}
	p := &poller{watch: w}
	p.timer = time.AfterFunc(pollerLife, p.forget)
	id := "w" + strings.ToLower(rand.Text()[:20])
	ps.byID[id] = p
	return id
}

// dropDead makes room for one more by those that failed. The caller holds mu.
func (ps *pollers) dropDead() bool {
	for id, p := range ps.byID {
		p.mu.Lock()
		dead := p.failed != nil
		p.mu.Unlock()
		if dead {
			delete(ps.byID, id)
			return true
		}
	}
	return false
}

// find is the poller of an id; with take it is no longer kept.
func (ps *pollers) find(id string, take bool) (*poller, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, ok := ps.byID[id]
	if !ok {
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("watcher with id %s not found", id))
	}
	if take {
		delete(ps.byID, id)
	}
	return p, nil
}

func (ps *pollers) closeAll() {
	ps.mu.Lock()
	all := ps.byID
	ps.byID = nil
	ps.mu.Unlock()
	for _, p := range all {
		p.close()
	}
}

func (p *poller) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail()
}

// fail ends the watch: events are missing from here on. The caller holds mu.
func (p *poller) fail() {
	p.failed = connect.NewError(connect.CodeInternal, errOverflow)
	_ = p.watch.Close() // it is given up
}

func (p *poller) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	_ = p.watch.Close() // it is given up
}

// events are those since the last question.
func (p *poller) events() ([]*envdpb.FilesystemEvent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return nil, p.failed
	}
	p.timer.Reset(pollerLife)
	atOnce, cancel := context.WithCancel(context.Background())
	cancel() // what there is now, without waiting
	events, err := p.watch.Next(atOnce)
	if errors.Is(err, context.Canceled) {
		return nil, nil
	}
	if err != nil {
		p.failed = connect.NewError(connect.CodeInternal, fmt.Errorf("watcher error: %w", err))
		return nil, p.failed
	}
	list, lost := p.watch.messages(events)
	if lost {
		p.fail()
		return nil, p.failed
	}
	return list, nil
}

// CreateWatcher begins to collect what happens in a folder.
func (v service) CreateWatcher(ctx context.Context, req *connect.Request[envdpb.CreateWatcherRequest]) (*connect.Response[envdpb.CreateWatcherResponse], error) {
	if !v.s.enter() {
		return nil, errClosing()
	}
	defer v.s.watches.Done()
	w, err := v.s.watch(ctx, req.Msg)
	if err != nil {
		return nil, err
	}
	id := v.s.polls.add(w)
	if id == "" {
		_ = w.Close() // it is given up
		return nil, connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("there are %d watchers already", maxPollers))
	}
	return connect.NewResponse(&envdpb.CreateWatcherResponse{WatcherId: id}), nil
}

// GetWatcherEvents hands out what was collected since the last call.
func (v service) GetWatcherEvents(_ context.Context, req *connect.Request[envdpb.GetWatcherEventsRequest]) (*connect.Response[envdpb.GetWatcherEventsResponse], error) {
	p, err := v.s.polls.find(req.Msg.GetWatcherId(), false)
	if err != nil {
		return nil, err
	}
	list, err := p.events()
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&envdpb.GetWatcherEventsResponse{Events: list}), nil
}

// RemoveWatcher ends a watcher.
func (v service) RemoveWatcher(_ context.Context, req *connect.Request[envdpb.RemoveWatcherRequest]) (*connect.Response[envdpb.RemoveWatcherResponse], error) {
	p, err := v.s.polls.find(req.Msg.GetWatcherId(), true)
	if err != nil {
		return nil, err
	}
	p.close()
	return connect.NewResponse(&envdpb.RemoveWatcherResponse{}), nil
}
