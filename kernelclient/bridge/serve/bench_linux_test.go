package serve_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// pair is a served context and one that is used directly, on kernels of the same kind.
type pair struct {
	l      *loaded
	id     string
	direct *hosttest.Client
}

func newPair(b *testing.B) pair {
	b.Helper()
	l := load(b)
	id, err := l.context()
	if err != nil {
		b.Fatal(err)
	}
	p := pair{l, id, hosttest.Start(b, l.host, kernelclient.BuiltinPython)}
	p.times(b, "None") // what is made once
	return p
}

// times is how long the same code takes directly and served, one right after the other.
func (p pair) times(b *testing.B, code string) (direct, served time.Duration) {
	b.Helper()
	begun := time.Now()
	if end, _ := p.direct.Do(code); end.Reason != event.Done {
		b.Fatal(end)
	}
	direct = time.Since(begun)
	begun = time.Now()
	if _, err := p.l.run(b.Context(), p.id, code, nil); err != nil {
		b.Fatal(err)
	}
	return direct, time.Since(begun)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkServedLatency tells what the server adds to a short execution: medians of turns.
// The budget is 1 ms.
func BenchmarkServedLatency(b *testing.B) {
	p := newPair(b)
	var direct, served []time.Duration
	for b.Loop() {
		for range 300 {
			d, s := p.times(b, "1+1")
			direct, served = append(direct, d), append(served, s)
		}
	}
	d, s := median(direct), median(served)
	b.ReportMetric(float64(d.Microseconds()), "direct-µs")
	b.ReportMetric(float64(s.Microseconds()), "served-µs")
	b.ReportMetric(float64((s - d).Microseconds()), "added-µs")
}

// BenchmarkServedThroughput tells how fast output comes beside a direct kernel's: medians of
// turns. The budget is 0.8.
func BenchmarkServedThroughput(b *testing.B) {
	p := newPair(b)
	var direct, served []time.Duration
	for b.Loop() {
		for range 9 {
			d, s := p.times(b, "for i in range(200_000): print('line', i)")
			direct, served = append(direct, d), append(served, s)
		}
	}
	d, s := median(direct), median(served)
	b.ReportMetric(float64(d.Milliseconds()), "direct-ms")
	b.ReportMetric(float64(s.Milliseconds()), "served-ms")
	b.ReportMetric(float64(d)/float64(s), "ratio")
}
