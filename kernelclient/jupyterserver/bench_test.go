package jupyterserver

import (
	"bytes"
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

const (
	benchLines = 100_000
	benchCode  = "for i in range(100000): print(i, 'x'*60)"
)

//go:embed testdata/ws_bench.py
var wsBench string

// bareClient times a bare client of the same server: milliseconds of a round trip and of the lines.
func bareClient(b *testing.B, s *server) (trip, lines float64) {
	b.Helper()
	cmd := exec.Command(testPython(b), "-", s.url, testToken, benchCode)
	cmd.Stdin = strings.NewReader(wsBench)
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err == nil {
		_, err = fmt.Fscan(bytes.NewReader(out), &trip, &lines)
	}
	if err != nil {
		b.Fatalf("%v: %s", err, words.String())
	}
	return trip, lines
}

// BenchmarkRealRoundTrip is 1+1 beside a bare client of the same server.
func BenchmarkRealRoundTrip(b *testing.B) {
	s := serve(b)
	peer, _ := bareClient(b, s)
	h := host(b, s.url)
	defer h.Close()
	k := hosttest.Start(b, h, "python3")
	k.Do("1")
	for b.Loop() {
		for range 20 {
			k.Do("1")
		}
	}
	beside(b, peer, 20)
}

// BenchmarkRealLines is 100,000 lines beside a bare client of the same server.
func BenchmarkRealLines(b *testing.B) {
	s := serve(b)
	_, peer := bareClient(b, s)
	h := host(b, s.url)
	defer h.Close()
	k := hosttest.Start(b, h, "python3")
	k.Do("1")
	for b.Loop() {
		end, events := k.Do(benchCode)
		n := 0
		for _, e := range events {
			if s, ok := e.Body.(event.Stream); ok {
				n += strings.Count(s.Text, "\n")
			}
		}
		if n != benchLines || end.Reason != event.Done {
			b.Fatalf("%d lines, %+v", n, end)
		}
	}
	beside(b, peer, 1)
}

// beside gives the time of one of n runs as a ratio to the bare client's.
func beside(b *testing.B, peer float64, n int) {
	own := float64(b.Elapsed().Microseconds()) / 1000 / float64(b.N*n)
	b.ReportMetric(own, "own-ms")
	b.ReportMetric(peer, "bare-ms")
	b.ReportMetric(own/peer, "of-the-bare-client's")
}
