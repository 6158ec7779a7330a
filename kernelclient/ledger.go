package kernelclient

import (
	"context"
	"sync"
	"time"
)

// recordWait is how long a run waits for its record: a disk that takes longer holds up no
// code.
const recordWait = 2 * time.Second

// ledger says how much of a log its Recorder has. What was submitted is written before the
// answer, and that it is handed to the kernel before that is done: who takes the log up
// after a crash neither misses a run nor starts one twice.
type ledger struct {
	urgent chan struct{} // has room for one: somebody waits

	mu   sync.Mutex // guards all below
	upTo uint64
	off  bool          // nothing more is recorded, or nothing for now
	more chan struct{} // nil while nobody waits; closed when something changed
}

func newLedger(off bool) *ledger { return &ledger{urgent: make(chan struct{}, 1), off: off} }

// reached notes what the Recorder has, or that it has no more use.
func (g *ledger) reached(upTo uint64, off bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.upTo, g.off = max(g.upTo, upTo), off
	if g.more != nil {
		close(g.more)
		g.more = nil
	}
}

// has tells whether the Recorder has a place, and else when to ask again.
func (g *ledger) has(seq uint64) (bool, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.off || g.upTo >= seq {
		return true, nil
	}
	if g.more == nil {
		g.more = make(chan struct{})
	}
	return false, g.more
}

// await waits until the Recorder has a place, as long as that makes sense.
func (g *ledger) await(ctx context.Context, seq uint64) {
	written, more := g.has(seq)
	if written {
		return
	}
	limit := time.NewTimer(recordWait)
	defer limit.Stop()
	for ; !written; written, more = g.has(seq) {
		select {
		case g.urgent <- struct{}{}:
		default:
		}
		select {
		case <-more:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Recorded waits until the Recorder has what the log has now, at most two seconds or as long
// as ctx lasts. It is for a process that ends and leaves its kernel to the next one.
func (l *Log) Recorded(ctx context.Context) { l.ledger.await(ctx, l.store.cursor().Seq) }
