//go:build unix

package builtin

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// BenchmarkStart is a kernel's whole life for print(1), beside the bare interpreter's,
// interleaved. The budget of the whole program is 3 times the interpreter's time and 15 ms.
func BenchmarkStart(b *testing.B) {
	python := testPython(b)
	opt := PythonOptions{Python: python, Dir: b.TempDir(), LogDir: b.TempDir()}
	var bare, ours, ready []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := exec.Command(python, "-c", "print(1)").Run(); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(began))
		began = time.Now()
		d := newDriver(opt)
		if _, err := d.Open(b.Context(), newSink()); err != nil {
			b.Fatal(err)
		}
		ready = append(ready, time.Since(began))
		if out := d.Run(b.Context(), kernelclient.Request{ID: "x", Code: "print(1)"}); out.Reason != event.Done {
			b.Fatal(out)
		}
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
		if err := d.Close(ctx, true); err != nil {
			b.Fatal(err)
		}
		cancel()
		ours = append(ours, time.Since(began))
	}
	b.ReportMetric(millis(bare), "ms-python")
	b.ReportMetric(millis(ready), "ms-ready")
	b.ReportMetric(millis(ours), "ms-ours")
	b.ReportMetric(millis(ours)/millis(bare), "ratio")
	b.ReportMetric(millis(ours)-3*millis(bare)-15, "ms-over-budget")
}

func millis(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

func BenchmarkOnePlusOne(b *testing.B) { benchmarkCode(b, "1+1") }

func BenchmarkLines(b *testing.B) { benchmarkCode(b, "for i in range(200_000): print(i)") }

// BenchmarkTurns is a program that speaks by both streams in turns.
func BenchmarkTurns(b *testing.B) {
	benchmarkCode(b, "import sys\nfor i in range(100_000):\n print('out', i)\n print('err', i, file=sys.stderr)")
}

func BenchmarkLongLine(b *testing.B) { benchmarkCode(b, "print('x' * 50_000_000)") }

func benchmarkCode(b *testing.B, code string) {
	k := open(b, PythonOptions{})
	for b.Loop() {
		if out := k.Run(b.Context(), kernelclient.Request{ID: "x", Code: code}); out.Reason != event.Done {
			b.Fatal(out)
		}
		k.events = nil
	}
}
