// Package pause waits between attempts, and no longer than somebody wants the result.
package pause

import (
	"context"
	"time"
)

// For waits for d, and returns nil then. If ctx ends first, the error is its cause, and so
// it is at once where ctx has ended before.
func For(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil || d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
