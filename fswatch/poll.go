package fswatch

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// everyLevel is deeper than any folder.
const everyLevel = 1 << 20

// pollFailures is how many listings in a row may fail before a Poll ends.
const pollFailures = 3

// Lister is what polling needs of an FS.
type Lister interface {
	List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error)
}

// Poll is a watch for what reports nothing: it lists a folder every two seconds and tells
// what differs. What comes and goes in between is not seen. why is what Mode gives as the
// reason, nil where polling is all that an FS can do. It ends when the listing failed three
// times in a row for another reason than that the folder is missing.
func Poll(ctx context.Context, f Lister, dir Path, opt WatchOptions, why error) (Stream, error) {
	p := &poller{Queue: NewQueue(), list: f, dir: dir, opt: opt, why: why, done: make(chan struct{})}
	first, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	p.was = first
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	go p.run(own)
	return p, nil
}

type poller struct {
	*Queue
	list   Lister
	dir    Path
	opt    WatchOptions
	why    error
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once

	was    []Entry // of run alone: what there was, in pre-order
	base   string  // what the paths of all entries begin with
	gone   bool    // the folder is missing
	failed int
}

// Mode is Stream's.
func (p *poller) Mode() (Mode, error) { return ModePoll, p.why }

// Close is Stream's.
func (p *poller) Close() error {
	p.once.Do(func() {
		p.End(io.EOF)
		p.cancel()
	})
	<-p.done
	return nil
}

func (p *poller) run(ctx context.Context) {
	defer close(p.done)
	t := time.NewTicker(pollTime)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := p.turn(ctx); err != nil && ctx.Err() == nil {
			p.End(err)
			return
		}
	}
}

// turn looks once. An error is the end.
func (p *poller) turn(ctx context.Context) error {
	now, err := p.look(ctx)
	switch {
	case errors.Is(err, NotFound):
		if !p.gone {
			p.differ(nil)
			p.Put(Event{Op: OpRemove, Name: "."})
		}
		p.gone, p.failed = true, 0
		return nil
	case err != nil:
		p.failed++
		if p.failed >= pollFailures {
			return err
		}
		return nil
	}
	p.failed = 0
	if p.gone {
		p.gone = false
		p.Put(Event{Op: OpCreate, Name: "."})
	}
	p.differ(now)
	return nil
}

func (p *poller) look(ctx context.Context) ([]Entry, error) {
	depth := 1
	if p.opt.Recursive {
		depth = everyLevel
	}
	entries, err := p.list.List(ctx, p.dir, ListOptions{Depth: depth})
	if len(entries) > 0 { // the first is in the folder itself, whatever the FS calls that
		p.base = strings.TrimSuffix(entries[0].Path, entries[0].Name)
	}
	return entries, err
}

// differ tells what differs from the last look: what is gone, the deepest first, and then
// what is new or other.
func (p *poller) differ(now []Entry) {
	old := make(map[Path]Entry, len(p.was))
	for _, e := range p.was {
		old[e.Path] = e
	}
	same := make(map[Path]bool, len(now))
	for _, e := range now {
		o, ok := old[e.Path]
		same[e.Path] = ok && o.Type == e.Type && o.Link == e.Link
	}
	for _, e := range slices.Backward(p.was) {
		if !same[e.Path] {
			p.tell(OpRemove, e)
		}
	}
	for _, e := range now {
		o := old[e.Path]
		switch {
		case !same[e.Path]:
			p.tell(OpCreate, e)
			if e.Type == TypeFile && e.Size > 0 {
				p.tell(OpWrite, e)
			}
		case !e.IsDir() && (o.Size != e.Size || !o.ModTime.Equal(e.ModTime)):
			p.tell(OpWrite, e)
		case o.Mode != e.Mode:
			p.tell(OpChmod, e)
		}
	}
	p.was = now
}

func (p *poller) tell(op Op, e Entry) {
	event := Event{Op: op, Name: strings.TrimPrefix(e.Path, p.base)}
	if p.opt.Entries && op != OpRemove {
		event.Entry = &e
	}
	p.Put(event)
}
