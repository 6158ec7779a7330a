package hosttest

import (
	"testing"
	"time"
)

// Eventually waits, up to half a minute, for a condition that only looking can tell.
func Eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("it did not come: " + what)
		}
	}
}
