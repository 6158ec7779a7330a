package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	ahead      = 8 << 20 // bytes of lines that are read before somebody takes them
	readBuffer = 64 << 10
	firstPause = 10 * time.Millisecond // before a broken stream is taken up again, then longer
	lastPause  = time.Second
	giveUp     = 15 * time.Second // after which a host process that is nowhere is given up
	deaf       = 3 * beat         // without a sign of life the connection is taken for dead

	farPause  = 5 * time.Second  // the longest pause where the host process is on another machine
	farGiveUp = 10 * time.Minute // and it is given up
	farDeaf   = 4 * quickBeat    // and the connection is taken for dead, if it beats as asked
)

// stream follows a context of a host process. One goroutine reads ahead and takes a broken
// connection up again behind what was read; it ends with the log, or with Close.
type stream struct {
	k      *remote
	life   context.Context
	cancel context.CancelFunc
	reader sync.WaitGroup
	more   chan struct{} // has room for one: something was read
	room   chan struct{} // has room for one: something was taken
	next   sync.Mutex    // one Next at a time

	mu     sync.Mutex // guards all below
	buf    []event.Event
	size   int
	err    error                 // of Next once buf is empty
	epoch  string                // of the log that the connection is of
	read   kernelclient.Cursor   // where to go on
	last   kernelclient.Cursor   // of the newest event in buf
	taken  kernelclient.Cursor   // of the last one that Next gave
	open   map[event.ExecID]bool // runs whose end was not read yet
	broken bool                  // followers know that the connection is
}

func newStream(k *remote, after kernelclient.Cursor) *stream {
	life, cancel := context.WithCancel(context.Background())
	s := &stream{
		k: k, life: life, cancel: cancel, more: make(chan struct{}, 1), room: make(chan struct{}, 1),
		read: after, last: after, taken: after, open: map[event.ExecID]bool{},
	}
	s.reader.Go(s.follow)
	return s
}

// Next implements kernelclient.Stream.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	s.next.Lock()
	defer s.next.Unlock()
	for {
		if batch, err := s.take(); len(batch) > 0 || err != nil {
			return batch, err
		}
		select {
		case <-s.more:
		case <-s.life.Done():
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take removes all that was read.
func (s *stream) take() ([]event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.buf
	s.buf, s.size = nil, 0
	if len(batch) == 0 {
		return nil, s.err
	}
	s.taken = s.last
	signal(s.room)
	return batch, nil
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Cursor implements kernelclient.Stream.
func (s *stream) Cursor() kernelclient.Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Close implements kernelclient.Stream.
func (s *stream) Close() error {
	s.cancel()
	s.reader.Wait()
	s.k.forget(s)
	return nil
}

// follow reads one connection after the other until there is nothing more to read.
func (s *stream) follow() {
	pause, since := firstPause, time.Now()
	for s.life.Err() == nil {
		id := s.k.current()
		heard, err := s.connection(id)
		if heard {
			pause, since = firstPause, time.Now()
		}
		if s.vanished(err) && s.k.next(s.life, id) {
			s.begin()
			continue
		}
		if s.life.Err() != nil || s.over(err, time.Since(since) > s.k.c.patience()) {
			return
		}
		if !heard || errors.Is(err, context.DeadlineExceeded) {
			s.interrupted(err)
		}
		select {
		case <-time.After(pause):
		case <-s.life.Done():
		}
		pause = min(2*pause, s.k.c.pause())
	}
}

// vanished tells followers that the context is no more, if that is what err says.
func (s *stream) vanished(err error) bool {
	if errors.Is(err, kernelclient.NotFound) {
		s.end(&kernelclient.Error{Kind: kernelclient.Gone, What: "the host process ended, and this kernel with it", Next: "restart it"})
		return true
	}
	return errors.Is(err, io.EOF) // its log told all the rest
}

// begin reads the log of the context that took the place of one that is gone.
func (s *stream) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = kernelclient.Cursor{}
	s.broken = false
}

// over ends the stream for an error after which another connection is of no use.
func (s *stream) over(err error, long bool) bool {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, kernelclient.NotFound):
		s.finish(io.EOF)
	case errors.Is(err, kernelclient.ErrCompacted):
		s.finish(err)
	case errors.Is(err, kernelclient.Protocol), errors.Is(err, kernelclient.Unauthenticated), long && !errors.Is(err, context.DeadlineExceeded):
		s.lose(err)
	default:
		return false
	}
	return true
}

// finish has Next give an error after what was read.
func (s *stream) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	signal(s.more)
}

// lose ends every run that is still open, so that nobody waits for ever, and the stream.
func (s *stream) lose(err error) {
	s.end(err)
	s.finish(io.EOF)
}

// end ends every run that is still open, and the kernel as far as this client can tell.
func (s *stream) end(err error) {
	state := s.k.lost(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for exec := range s.open {
		s.buf = append(s.buf, event.Event{Seq: s.read.Seq, Time: now, Exec: exec, Body: event.Ended{Reason: event.Lost, Detail: err.Error()}})
	}
	clear(s.open)
	s.buf = append(s.buf, event.Event{Seq: s.read.Seq, Time: now, Body: state})
	signal(s.more)
}

// connection reads one connection to its end. heard tells whether anything came.
func (s *stream) connection(id kernelclient.ContextID) (heard bool, err error) {
	ctx, cancel := context.WithCancelCause(s.life)
	defer cancel(nil)
	silence := deaf
	if s.k.c.elsewhere() {
		silence = farDeaf
	}
	alive := time.AfterFunc(silence, func() { cancel(context.DeadlineExceeded) })
	defer alive.Stop()
	query := cursorQuery(s.place())
	if s.k.c.elsewhere() {
		query.Set(beatQuery, quickBeat.String())
	}
	resp, err := s.k.c.send(ctx, http.MethodGet, contextPath(id, "/events?")+query.Encode(), nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(resp.Body) // what came of it says enough
		return false, s.k.c.versioned(resp, answered(resp, data, nil))
	}
	if err := s.k.c.versioned(resp, nil); err != nil {
		return false, err
	}
	if resp.Header.Get(beatHeader) != quickBeat.String() {
		silence = deaf
	}
	r := bufio.NewReaderSize(resp.Body, readBuffer)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // the log's own end is a line
			}
			return heard, s.k.c.disconnected(ctx, err)
		}
		heard = true
		alive.Reset(silence)
		if err := s.line(text); err != nil {
			return heard, err
		}
		if !s.await(alive, silence) {
			return heard, io.EOF
		}
	}
}

// place is where the stream was read up to.
func (s *stream) place() kernelclient.Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

// await waits until there is room to read on; false when the stream was closed.
func (s *stream) await(alive *time.Timer, silence time.Duration) bool {
	for {
		s.mu.Lock()
		full := s.size > ahead
		s.mu.Unlock()
		if !full {
			return true
		}
		alive.Stop() // it is us who are slow
		select {
		case <-s.room:
			alive.Reset(silence)
		case <-s.life.Done():
			return false
		}
	}
}

// line takes one line.
func (s *stream) line(text []byte) error {
	if len(text) == 1 {
		return nil // a heartbeat
	}
	if bytes.HasPrefix(text, []byte(lineBegins)) {
		return s.other(text)
	}
	e, err := event.ParseJSON(text[:len(text)-1])
	if errors.Is(err, event.ErrForeign) {
		return nil // of a later version
	}
	if err != nil {
		return unreadable(err)
	}
	s.add(e, len(text))
	return nil
}

// add takes an event.
func (s *stream) add(e event.Event, size int) {
	if st, ok := e.Body.(event.State); ok {
		st.Generation += s.k.earlier()
		e.Body = st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf, e)
	s.size += size
	s.read = kernelclient.Cursor{Epoch: s.epoch, Seq: e.Seq}
	s.last = s.read
	switch e.Body.(type) {
	case event.Ended:
		delete(s.open, e.Exec)
	default:
		if e.Exec != "" && !e.Late {
			s.open[e.Exec] = true
		}
	}
	signal(s.more)
}

func unreadable(err error) error {
	return &kernelclient.Error{Kind: kernelclient.Protocol, What: "what the host process sent cannot be read", Err: err}
}

// other takes a line that is no event. What a later version may add is passed over.
func (s *stream) other(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return unreadable(err)
	}
	switch {
	case l.Line == infoLine && l.Info != nil:
		s.k.learn(*l.Info)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.epoch = l.Info.Epoch
		if s.broken {
			s.broken = false
			s.buf = append(s.buf, event.Event{Seq: s.read.Seq, Time: time.Now(), Body: s.k.Info().State})
			signal(s.more)
		}
	case l.Line == endLine:
		return io.EOF
	case l.Line == errorLine:
		return decodeError(l.Error)
	}
	return nil
}

// interrupted tells followers that the way to the host process is broken, once.
func (s *stream) interrupted(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		s.broken = true
		state := event.State{State: event.Reconnecting, Generation: s.k.Info().State.Generation, Detail: err.Error()}
		s.buf = append(s.buf, event.Event{Seq: s.read.Seq, Time: time.Now(), Body: state})
		signal(s.more)
	}
}

// cursorQuery writes a place in a log as a query. Before the first event there is no epoch.
func cursorQuery(c kernelclient.Cursor) url.Values {
	if c.Seq == 0 {
		return url.Values{}
	}
	return url.Values{"epoch": {c.Epoch}, "after": {strconv.FormatUint(c.Seq, 10)}}
}

func parseCursor(q url.Values) (c kernelclient.Cursor, err error) {
	c.Epoch = q.Get("epoch")
	if after := q.Get("after"); after != "" {
		if c.Seq, err = strconv.ParseUint(after, 10, 64); err != nil {
			return c, &kernelclient.Error{Kind: kernelclient.Protocol, What: fmt.Sprintf("%q is no place in a log", after)}
		}
	}
	return c, nil
}
