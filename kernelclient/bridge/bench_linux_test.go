package bridge

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// roundTrip is the time from handing over a run of the fake kernel to reading its end.
func roundTrip(k *hosttest.Client) time.Duration {
	began := time.Now()
	k.Do("x")
	return time.Since(began)
}

// directly is a kernel without a host process between.
func directly(b *testing.B, open func(Surroundings) (kernelclient.Host, error), kernel string) *hosttest.Client {
	b.Helper()
	host, err := open(Surroundings{})
	if err != nil {
		b.Fatal(err)
	}
	return hosttest.Start(b, host, kernel)
}

// BenchmarkAddedLatency is what the host process adds to a run's time: the difference of
// the medians of interleaved runs. The budget is 1 ms.
func BenchmarkAddedLatency(b *testing.B) {
	p := place(b)
	run(b, p, Options{Host: fakes(b, say)})
	through := start(b, connect(b, p))
	direct := directly(b, fakes(b, say), "fake")
	var a, d []time.Duration
	for b.Loop() {
		for range 200 {
			a, d = append(a, roundTrip(through)), append(d, roundTrip(direct))
		}
	}
	slices.Sort(a)
	slices.Sort(d)
	added := a[len(a)/2] - d[len(d)/2]
	b.ReportMetric(float64(added.Microseconds()), "added-µs")
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), "direct-µs")
}

// BenchmarkThroughput is the time of 200,000 lines of a real kernel through the host
// process over that without it. The budget is 1.25.
func BenchmarkThroughput(b *testing.B) {
	p := place(b)
	host := machine(b)
	run(b, p, Options{Host: host})
	through := hosttest.Start(b, connect(b, p), kernelclient.BuiltinPython)
	direct := directly(b, host, kernelclient.BuiltinPython)
	const code = "for i in range(200000): print(i, 'x'*60)"
	var ratios []float64
	for b.Loop() {
		times := [2]time.Duration{}
		for i, k := range []*hosttest.Client{through, direct} {
			began := time.Now()
			if end, _ := k.Do(code); end.Reason != event.Done {
				b.Fatalf("%+v", end)
			}
			times[i] = time.Since(began)
		}
		ratios = append(ratios, float64(times[0])/float64(times[1]))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
}

// BenchmarkIdleContext is the memory that a context without anything to do takes in the
// host process. The budget is 400 kB.
func BenchmarkIdleContext(b *testing.B) {
	p := place(b)
	run(b, p, Options{Host: fakes(b, say)})
	c := connect(b, p)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	const contexts = 200
	for b.Loop() {
		before := heap()
		for range contexts {
			if _, err := c.Start(b.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/contexts/1000, "kB")
	}
}

// BenchmarkManyStreams follows 50 contexts at once, each with 200 runs.
func BenchmarkManyStreams(b *testing.B) {
	p := place(b)
	run(b, p, Options{Host: fakes(b, say)})
	const contexts, runs = 50, 200
	for b.Loop() {
		var clients []*hosttest.Client
		for range contexts {
			clients = append(clients, start(b, connect(b, p)))
		}
		last := event.ExecID(fmt.Sprint("run", runs))
		for _, k := range clients {
			for range runs {
				k.Submit("x")
			}
		}
		for _, k := range clients {
			k.Ended(last)
		}
	}
	b.ReportMetric(contexts*runs, "runs")
}
