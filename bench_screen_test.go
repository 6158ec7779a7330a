//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// openShipped is open for the program as it is shipped.
func openShipped(b *testing.B, program string, args ...string) *terminal {
	b.Helper()
	cmd := nbterm(b, args...)
	cmd.Path = program
	return start(b, cmd)
}

func against(b *testing.B, name string, ours, budget time.Duration) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.Microseconds())/1000, name+"-ms")
	b.ReportMetric(float64(budget.Microseconds())/1000, name+"-budget-ms")
}

// From the start of the process to the first cell on the screen, and the memory for it.
func BenchmarkFirstPaint(b *testing.B) {
	program := product(b)
	for _, c := range []struct {
		name                        string
		cells, output, megaOverSize int
		budget                      time.Duration
	}{
		{"1MB", 40, 25_000, 60, 100 * time.Millisecond},
		{"5000cells", 5000, 100, 60, 300 * time.Millisecond},
		{"200MB", 1, 200_000_000, 100, time.Second},
		{"200MBin25cells", 25, 8_000_000, 100, time.Second},
	} {
		b.Run(c.name, func(b *testing.B) {
			path, size := bigFile(b, c.cells, c.output)
			var all []time.Duration
			most := 0
			for range max(b.N, 3) {
				began := time.Now()
				x := openShipped(b, program, path)
				x.see("x = 0")
				all = append(all, time.Since(began))
				_, peak := memory(b, x.cmd.Process.Pid)
				most = max(most, peak)
				x.quit()
			}
			slices.Sort(all)
			against(b, "paint", all[len(all)/2], c.budget)
			b.ReportMetric(float64(most)/mega, "MB")
			b.ReportMetric(float64(size)/mega+float64(c.megaOverSize), "budget-MB")
		})
	}
}

// From a key to the screen that shows its letter, at rest and while the cell below prints.
func BenchmarkKeyToScreen(b *testing.B) {
	program := product(b)
	for _, c := range []struct {
		name        string
		code        string
		median, p99 time.Duration
	}{
		{"rest", "1", 16 * time.Millisecond, 0},
		{"flood", "for i in range(10**9): print(i)", 35 * time.Millisecond, 80 * time.Millisecond},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := openShipped(b, program, code(b, "#", c.code))
			x.see("[ ]")
			x.keys("j" + ctrlE)
			if c.p99 > 0 {
				x.see("busy", "lines …")
			} else {
				x.see("[1]", "idle")
			}
			x.keys("k\r")
			x.see("Esc done")
			keys := typed(x, 100)
			against(b, "median", keys[len(keys)/2], c.median)
			if c.p99 > 0 {
				against(b, "p99", keys[len(keys)*99/100], c.p99)
			}
			x.keys("\x1b")
			x.see("Ctrl-R run")
			x.keys("\x03")
			x.see("idle")
			x.quit()
		})
	}
}

// typed types letters at about a hand's pace and returns how long each took to show, the
// shortest first.
func typed(x *terminal, n int) (all []time.Duration) {
	text := "#"
	x.keys("\x1b[F")
	for i := range n {
		if len(text) > 60 {
			x.keys(strings.Repeat("\x7f", len(text)-1))
			x.wait("an empty line", func(s string) bool { return !strings.Contains(s, text[:10]) })
			text = "#"
		}
		<-time.After(time.Duration(50+i%17) * time.Millisecond) // no beat with the renderer's frames
		letter := string(rune('a' + i%26))
		text += letter
		began := time.Now()
		x.keys(letter)
		x.see(text)
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all
}

// How much of a processor an idle program takes. Nearly all of it is the renderer's ticker.
func BenchmarkIdle(b *testing.B) {
	const span = 5 * time.Second
	x := openShipped(b, product(b), "--kernel", "builtin-python", code(b, "print('a' + 'b')"))
	x.see("print(")
	x.keys(ctrlE)
	x.see("ab", "idle")
	<-time.After(span) // hints and the recovery copy are done
	before := used(b, x.cmd)
	<-time.After(span)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*float64(used(b, x.cmd)-before)/float64(span), "cpu-%")
	b.ReportMetric(1.5, "budget-%")
	x.quit()
}

// used is how much processor time the threads of a running process have had.
func used(b *testing.B, cmd *exec.Cmd) (sum time.Duration) {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		b.Skip("this system does not say it")
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		var nanoseconds int64
		if _, err := fmt.Sscan(string(stat), &nanoseconds); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(nanoseconds)
	}
	return sum
}
