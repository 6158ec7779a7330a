package e2b_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

const benchLines = 100_000

//go:embed testdata/sdk_bench.py
var sdkBench string

// benchServer answers "1" at once and "lines" with 100,000 lines of output, one a line of
// the stream, which are made before.
func benchServer(b *testing.B) *e2btest.Server {
	s := e2btest.New(b)
	var flood []byte
	for i := range benchLines {
		flood = wire.Output{Name: "stdout", Text: fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 60)), Time: time.Unix(1, 1000)}.AppendLine(flood)
	}
	s.Run = func(x wire.Execution) e2btest.Script {
		return func(st *e2btest.Stream) {
			st.Send(wire.Count{N: st.Count})
			if x.Code == "lines" {
				for part := range slices.Chunk(flood, 32<<10) {
					st.Raw(string(part))
				}
			}
			st.Send(wire.End{})
		}
	}
	return s
}

// sdk times E2B's Python SDK on the same server: milliseconds of a round trip and of the lines.
func sdk(b *testing.B, s *e2btest.Server) (trip, lines float64) {
	python := os.Getenv("NBTERM_TEST_PYTHON")
	if python == "" || exec.Command(python, "-c", "import e2b_code_interpreter").Run() != nil {
		return 0, 0
	}
	cmd := exec.Command(python, "-")
	cmd.Stdin = strings.NewReader(sdkBench)
	cmd.Env = append(append(os.Environ(), s.Env()...), "E2B_DEBUG=true")
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Fscan(bytes.NewReader(out), &trip, &lines); err != nil {
		b.Fatal(err)
	}
	return trip, lines
}

func BenchmarkRoundTrip(b *testing.B) {
	s := benchServer(b)
	peer, _ := sdk(b, s)
	k := start(b, host(b, s))
	k.Do("1")
	for b.Loop() {
		k.Do("1")
	}
	report(b, peer)
}

func BenchmarkLines(b *testing.B) {
	s := benchServer(b)
	_, peer := sdk(b, s)
	k := start(b, host(b, s))
	for b.Loop() {
		end, events := k.Do("lines")
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
	report(b, peer)
}

// report gives the time as a ratio to the SDK's, where there is one.
func report(b *testing.B, peer float64) {
	if peer > 0 {
		own := float64(b.Elapsed().Microseconds()) / 1000 / float64(b.N)
		b.ReportMetric(peer, "SDK-ms/op")
		b.ReportMetric(own/peer, "of-the-SDK's")
	}
}
