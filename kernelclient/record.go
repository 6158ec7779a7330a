package kernelclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// gather is how long events are gathered before a Recorder gets them: chunks of a stream
// are joined meanwhile.
const gather = 20 * time.Millisecond

// retry is how long a Recorder that failed is left alone.
const retry = 30 * time.Second

// Recorder keeps a log elsewhere, such as on disk. One goroutine of the Log calls it. An
// error is told once, as a Gap; the run goes on.
type Recorder interface {
	// Write takes what is new, some hundredths of a second after it happened.
	Write(events []event.Event) error
	// Describe takes what is known of the context: at the beginning and whenever its
	// kernel or the save mark is another.
	Describe(info ContextInfo) error
	// Compact puts what is kept in the place of all that was written before. An error in
	// kept means that nothing may change, and is to be returned as it is.
	Compact(kept iter.Seq2[event.Event, error]) error
}

// recording hands a log to its Recorder.
type recording struct {
	log    *Log
	to     Recorder
	stream *follower
	failed bool // it was told, and what is written lacks something
}

// now is a context that waits for nothing.
func now() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// recordLoop runs until the store has ended and the Recorder has all of it.
func (l *Log) recordLoop() {
	defer close(l.recorded)
	r := &recording{log: l, to: l.opt.Record, stream: l.store.follow(Cursor{})}
	defer func() {
		_ = r.stream.Close()
		l.ledger.reached(0, true)
	}()
	r.stream.after.Store(l.loaded) // that is written already, unless something of it goes
	r.describe()
	for ended := false; !ended; {
		ended = r.wait()
		r.flush()
		l.ledger.reached(r.stream.after.Load(), r.failed)
	}
}

// wait returns when there may be something to write; true after the end.
func (r *recording) wait() (ended bool) {
	after, urgent, described := gather, r.log.ledger.urgent, r.log.described
	if r.failed {
		after, urgent, described = retry, nil, nil
	} else {
		select {
		case <-r.log.store.grown(r.stream.after.Load()):
		case <-described:
			r.describe()
		}
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-urgent:
		return false
	case <-described:
		r.describe()
		return false
	case <-r.log.store.over:
		return true
	}
}

func (r *recording) describe() { r.tell(r.to.Describe(r.log.Info())) }

// flush writes all that is new, or everything anew where that is less work or a must.
func (r *recording) flush() {
	if r.failed || r.log.store.wasteful() {
		r.rewrite()
		return
	}
	for {
		batch, err := r.stream.Next(now())
		switch {
		case err == nil:
			err = r.to.Write(batch)
		case errors.Is(err, ErrCompacted): // a file had it before it was written
			r.rewrite()
			return
		case errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
			return
		}
		if r.tell(err); err != nil {
			return
		}
	}
}

// rewrite writes what is kept in the place of all that was written. What is dropped while
// it does makes it begin again.
func (r *recording) rewrite() {
	for {
		r.log.store.startOver()
		_ = r.stream.Close()
		r.stream = r.log.store.follow(Cursor{})
		err := r.to.Compact(r.kept(r.log.store.cursor().Seq))
		if errors.Is(err, ErrCompacted) {
			continue
		}
		r.tell(err)
		r.failed = err != nil
		return
	}
}

// kept yields what the log keeps now, up to some Seq.
func (r *recording) kept(upTo uint64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for r.stream.after.Load() < upTo {
			batch, err := r.stream.Next(now())
			if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// tell says an error in the log, once.
func (r *recording) tell(err error) {
	if err == nil || r.failed {
		return
	}
	r.failed = true
	r.log.store.append(event.Event{Time: time.Now(), Body: event.Gap{
		Detail: fmt.Sprintf("from here on the output is kept in memory only: %v", err),
	}})
}
