//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook"
)

const floodCode = `for i in range(200000): print(i, "x"*60)`

// beside measures ours and a peer's in turn, b.N times and at least 3, and reports the
// medians and their ratio. Machines are noisy: the ratio is what counts.
func beside(b *testing.B, budget float64, ours, peer func() time.Duration) {
	b.Helper()
	var a, p []time.Duration
	for range max(b.N, 3) {
		a, p = append(a, ours()), append(p, peer())
	}
	slices.Sort(a)
	slices.Sort(p)
	x, y := a[len(a)/2], p[len(p)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(x.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(y.Microseconds())/1000, "peer-ms")
	b.ReportMetric(float64(x)/float64(y), "ratio")
	b.ReportMetric(budget, "budget")
}

// product builds the program as it is shipped.
func product(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "nbterm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// timed runs a command with the test's Python first on PATH and returns how long it took.
func timed(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(hosttest.Python(b))+":"+os.Getenv("PATH"))
	cmd.Stdout = io.Discard
	var errs bytes.Buffer
	cmd.Stderr = &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v\n%s", name, err, errs.String())
	}
	return time.Since(began)
}

// numbers runs a peer's script and returns the numbers that it prints.
func numbers(b *testing.B, script string, args ...string) (out []float64) {
	b.Helper()
	python := hosttest.Python(b)
	cmd := exec.Command(python, append([]string{filepath.Join("testdata/peers", script)}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))
	text, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func secondsOf(f float64) time.Duration { return time.Duration(f * float64(time.Second)) }

// Whole process on the built-in kernel, beside python3 -c.
func BenchmarkExecBuiltin(b *testing.B) {
	nbterm, python := product(b), "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	b.Setenv("PATH", filepath.Dir(python)+":"+os.Getenv("PATH"))
	run := func(name string, args ...string) time.Duration {
		cmd := exec.Command(name, args...)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return time.Since(began)
	}
	b.ResetTimer()
	beside(b, 3,
		func() time.Duration {
			return run(nbterm, "exec", "--kernel", "builtin-python", "-c", "print(1)") - 15*time.Millisecond
		},
		func() time.Duration { return run(python, "-c", "print(1)") })
}

// 200,000 lines, whole process, beside a script that only counts them.
func BenchmarkFloodHeadless(b *testing.B) {
	nbterm := product(b)
	beside(b, 1.15,
		func() time.Duration { return timed(b, nbterm, "exec", "--kernel", "python3", "-c", floodCode) },
		func() time.Duration { return timed(b, hosttest.Python(b), "testdata/peers/flood.py", floodCode) })
}

// 200,000 lines on the screen, from the key to the end, beside the run in that script.
func BenchmarkFloodScreen(b *testing.B) {
	beside(b, 1.25,
		func() time.Duration {
			s := open(b, code(b, "print('wa' + 'rm')", floodCode+"\nprint('flood' + ' over')"))
			s.see("print(")
			s.keys(ctrlR)
			s.see("warm", "idle")
			began := time.Now()
			s.keys(ctrlE)
			s.see("flood over", "idle")
			took := time.Since(began)
			s.quit()
			return took
		},
		func() time.Duration { return secondsOf(numbers(b, "flood.py", floodCode)[0]) })
}

// 1+1 on ipykernel through the whole stack, beside jupyter_client.
func BenchmarkRoundTrip(b *testing.B) {
	python := hosttest.Python(b)
	host := local.New(local.Options{Dir: b.TempDir(), Env: append(os.Environ(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))})
	defer host.Close()
	k := hosttest.Start(b, host, "python3")
	k.Do("1+1")
	beside(b, 1.2,
		func() time.Duration {
			var all []time.Duration
			for range 200 {
				began := time.Now()
				k.Do("1+1")
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			return all[100]
		},
		func() time.Duration { return secondsOf(numbers(b, "flood.py", "--rtt")[0] / 1000) })
}

// A notebook of 20 small cells, whole process, beside nbclient.
func BenchmarkRunNotebook(b *testing.B) {
	nbterm := product(b)
	var cells []string
	for i := range 20 {
		cells = append(cells, fmt.Sprintf("x = %d", i))
	}
	nb, out := code(b, cells...), filepath.Join(b.TempDir(), "out.ipynb")
	beside(b, 1,
		func() time.Duration { return timed(b, nbterm, "run", "--out", out, nb) },
		func() time.Duration {
			return timed(b, hosttest.Python(b), "-m", "jupyter", "execute", "--output="+out, nb)
		})
}

// Reading and writing files, beside nbformat.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	for name, text := range map[string]string{
		"1MB":   bigNotebook(40, 25_000),
		"cells": bigNotebook(5_000, 100),
		"50MB":  bigNotebook(10, 5_000_000),
	} {
		path := filepath.Join(dir, name+".ipynb")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			beside(b, 1, func() time.Duration { return readWrite(b, path) }, func() time.Duration { return secondsOf(numbers(b, "files.py", path)[0]) })
		})
	}
}

func readWrite(b *testing.B, path string) time.Duration {
	began := time.Now()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	doc, err := notebook.Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	if err := doc.Do("edit", notebook.SetSource{Key: doc.Cells()[0].Key, Source: "edited = 1"}); err != nil {
		b.Fatal(err)
	}
	if _, err := doc.Snapshot().WriteTo(io.Discard); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// bigNotebook is a notebook of so many code cells with so many bytes of output each.
func bigNotebook(cells, output int) string {
	var text strings.Builder
	text.WriteString("{\n \"cells\": [\n")
	line := `"` + strings.Repeat("y", 97) + `\n"`
	lines := strings.Repeat(line+",", max(output/100-1, 0)) + line
	for i := range cells {
		if i > 0 {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, `{"cell_type":"code","execution_count":%d,"id":"c%d","metadata":{},"outputs":[{"name":"stdout","output_type":"stream","text":[%s]}],"source":["x = %d"]}`, i+1, i, lines, i)
	}
	text.WriteString("],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n")
	return text.String()
}
