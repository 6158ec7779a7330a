package bridge

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// remote is a context of a host process.
type remote struct {
	c *Client

	mu      sync.Mutex // guards all below
	id      kernelclient.ContextID
	again   startRequest  // starts such a context once more
	renewed chan struct{} // closed when it was started once more, or stopped from here
	stopped bool          // from here
	before  int           // generations of the contexts that this one is in the place of
	rev     int64
	info    kernelclient.ContextInfo
	caps    kernelclient.Capabilities
	streams map[*stream]bool
}

var _ kernelclient.Context = (*remote)(nil)

func newRemote(c *Client, w contextWire, again startRequest) *remote {
	k := &remote{
		c: c, id: kernelclient.ContextID(w.ID), again: again, renewed: make(chan struct{}), streams: map[*stream]bool{},
	}
	k.learn(w)
	return k
}

// path is where the host process has the context.
func (k *remote) path(verb string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return contextPath(k.id, verb)
}

// learn takes over a description unless a newer one is known.
func (k *remote) learn(w contextWire) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// Another process's numbers say nothing, least of all where the clock was set meanwhile.
	if newer := w.Rev > k.rev || w.Epoch != k.info.Last.Epoch; newer && w.ID == string(k.id) {
		w.Generation += k.before
		saved := k.info.Saved
		k.rev, k.info, k.caps = w.Rev, k.c.info(w), w.Capabilities
		if w.Saved == nil {
			k.info.Saved = saved
		}
	}
}

// Info implements kernelclient.Context: what the host process said last.
func (k *remote) Info() kernelclient.ContextInfo {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.info
}

// Capabilities implements kernelclient.Context.
func (k *remote) Capabilities() kernelclient.Capabilities {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.caps
}

// lost notes that the host process is gone for good, and the kernel with it as far as this
// client can tell.
func (k *remote) lost(err error) event.State {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.info.State = event.State{State: event.Dead, Generation: k.info.State.Generation, Detail: err.Error()}
	k.info.Err = err
	return k.info.State
}

// do sends a request that changes the context and takes over its new description.
func (k *remote) do(ctx context.Context, verb string, in any) error {
	var w contextWire
	if err := k.c.call(ctx, callWait, http.MethodPost, k.path(verb), in, &w); err != nil {
		return err
	}
	k.learn(w)
	return nil
}

// repeat is do for what may be done twice: a broken connection is tried once more.
func (k *remote) repeat(ctx context.Context, verb string, in any) error {
	err := k.do(ctx, verb, in)
	if errors.Is(err, kernelclient.Disconnect) && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		err = k.do(ctx, verb, in)
	}
	return err
}

// Submit implements kernelclient.Context.
func (k *remote) Submit(ctx context.Context, r kernelclient.Request) error {
	return k.repeat(ctx, "/submit", requestWire(r))
}

// Cancel implements kernelclient.Context.
func (k *remote) Cancel(ctx context.Context, id event.ExecID) error {
	return k.do(ctx, "/cancel", cancelRequest{id})
}

// Interrupt implements kernelclient.Context.
func (k *remote) Interrupt(ctx context.Context) error {
	return k.repeat(ctx, "/interrupt", struct{}{})
}

// Answer implements kernelclient.Context.
func (k *remote) Answer(ctx context.Context, id event.InputID, text string) error {
	return k.do(ctx, "/answer", answerRequest{id, text})
}

// Saved implements kernelclient.Context.
func (k *remote) Saved(ctx context.Context, mark kernelclient.SaveMark) error {
	mark.Path = k.c.sent(mark.Path)
	return k.repeat(ctx, "/saved", markOf(mark))
}

// Close implements kernelclient.Context: its streams end, the context goes on.
func (k *remote) Close() error {
	k.mu.Lock()
	streams := make([]*stream, 0, len(k.streams))
	for s := range k.streams {
		streams = append(streams, s)
	}
	k.mu.Unlock()
	for _, s := range streams {
		_ = s.Close() // it never fails
	}
	if visitsOnly(k.Info()) {
		ctx := context.WithValue(context.Background(), startsNone{}, true)
		_ = k.c.call(ctx, leaveWait, http.MethodPost, k.path("/leave"), struct{}{}, nil) // else its lease ends
	}
	return nil
}

// Follow implements kernelclient.Context.
func (k *remote) Follow(after kernelclient.Cursor) kernelclient.Stream {
	s := newStream(k, after)
	k.mu.Lock()
	k.streams[s] = true
	k.mu.Unlock()
	if !k.c.own(s) {
		_ = s.Close() // the client was closed: it gives io.EOF at once
	}
	return s
}

// forget lets go of a stream that was closed.
func (k *remote) forget(s *stream) {
	k.mu.Lock()
	delete(k.streams, s)
	k.mu.Unlock()
	k.c.mu.Lock()
	delete(k.c.streams, s)
	k.c.mu.Unlock()
}

// own keeps account of a stream until it is closed; false once the client is.
func (c *Client) own(s *stream) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.streams[s] = true
	}
	return !c.closed
}

// Ask implements kernelclient.Context.
func (k *remote) Ask() kernelclient.Asker {
	if caps := k.Capabilities(); !caps.Asked() {
		return nil
	}
	return asker{k}
}

// The questions of askRequest.
const (
	askComplete   = "complete"
	askInspect    = "inspect"
	askIsComplete = "is_complete"
	askHistory    = "history"
	askFolder     = "folder"
)

// asker passes questions on to the host process.
type asker struct{ k *remote }

func (a asker) ask(ctx context.Context, q askRequest, out any) error {
	return a.k.c.call(ctx, startTime, http.MethodPost, a.k.path("/ask"), q, out)
}

// Complete implements kernelclient.Asker.
func (a asker) Complete(ctx context.Context, code string, cursor int) (c kernelclient.Completion, err error) {
	err = a.ask(ctx, askRequest{What: askComplete, Code: code, Cursor: cursor}, &c)
	return c, err
}

// Inspect implements kernelclient.Asker.
func (a asker) Inspect(ctx context.Context, code string, cursor, detail int) (kernelclient.Inspection, error) {
	var w inspectionWire
	if err := a.ask(ctx, askRequest{What: askInspect, Code: code, Cursor: cursor, Detail: detail}, &w); err != nil {
		return kernelclient.Inspection{}, err
	}
	i := kernelclient.Inspection{Found: w.Found}
	rawjson.Value(w.Data).Members(func(typ string, value rawjson.Value) {
		i.Data = append(i.Data, mime.Entry{Type: typ, Value: value})
	})
	return i, nil
}

// IsComplete implements kernelclient.Asker.
func (a asker) IsComplete(ctx context.Context, code string) (c kernelclient.IsComplete, err error) {
	err = a.ask(ctx, askRequest{What: askIsComplete, Code: code}, &c)
	return c, err
}

// History implements kernelclient.Asker.
func (a asker) History(ctx context.Context, q kernelclient.HistoryQuery) (h []kernelclient.HistoryEntry, err error) {
	err = a.ask(ctx, askRequest{What: askHistory, Query: q}, &h)
	return h, err
}

// Folder implements kernelclient.Folder.
func (a asker) Folder(ctx context.Context) (string, error) {
	var dir []byte // a path need not be text
	err := a.ask(ctx, askRequest{What: askFolder}, &dir)
	return string(dir), err
}
