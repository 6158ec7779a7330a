package jupyterserver

import (
	"context"
	"sync"
	"time"
)

// orphanLimit is how long a start that was given up may still bring a kernel into being
// that is then ended.
const orphanLimit = 2 * time.Minute

// orphans ends kernels whose start was given up while the server was at it: a request that
// is broken off starts its kernel all the same.
type orphans struct {
	ctx    context.Context // ended by close
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func newOrphans() *orphans {
	o := &orphans{}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

// guard runs start. Where ctx ends before, start goes on behind, and what it brings about
// is undone.
func (o *orphans) guard(ctx context.Context, start func(context.Context) error, undo func(context.Context)) error {
	result := make(chan error)
	gone := make(chan struct{})
	o.wg.Go(func() {
		behind, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(o.ctx, cancel)()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(orphanLimit, cancel) })()
		err := start(behind)
		select {
		case result <- err:
		case <-gone:
			if err == nil {
				undo(behind)
			}
		}
	})
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		close(gone)
		return context.Cause(ctx)
	}
}

// close gives up what is still under way and waits for that, after a moment in which a
// server can come to its end.
func (o *orphans) close() {
	timer := time.AfterFunc(shutdownLimit, o.cancel)
	o.wg.Wait()
	timer.Stop()
	o.cancel()
}
