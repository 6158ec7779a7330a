package journal

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
)

const writerVar = "NBTERM_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVar); dir != "" {
		fmt.Fprintln(os.Stderr, writer(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writer goes on with a journal until it is killed, and tells the number of each event
// that was written. Now and then it drops all but the last ten.
func writer(dir string) error {
	_, j, err := Open(dir)
	if err != nil {
		return err
	}
	events := slices.Collect(j.History)
	var n uint64
	if len(events) > 0 {
		n = events[len(events)-1].Seq
	}
	for {
		batch := 1 + n%7
		if err := j.Write(lines(n+1, n+batch)); err != nil {
			return err
		}
		n += batch
		fmt.Println(n)
		if n/64 == (n-batch)/64 {
			continue
		}
		err := j.Compact(func(yield func(event.Event, error) bool) {
			for _, e := range lines(n-9, n) {
				if !yield(e, nil) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
	}
}

// A journal whose writer is killed a hundred times, anywhere, reads back each time: all
// that was reported written is there, and nothing but that and what came next.
func TestKilledWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred processes")
	}
	j, err := Create(filepath.Join(t.TempDir(), "id"), Meta{ID: "id"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		told := killWriter(t, j.Dir(), rand.IntN(20))
		_, events, k := reopen(t, j.Dir())
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			t.Fatalf("nothing is left of %d", told)
		}
		first, last := events[0].Seq, events[len(events)-1].Seq
		if last < told || first > 1 && len(events) < 10 || !reflect.DeepEqual(events, lines(first, last)) {
			t.Fatalf("%d events from %d to %d; %d was written", len(events), first, last, told)
		}
	}
}

// killWriter kills a writer once it has told some numbers, and returns the last one.
func killWriter(t *testing.T, dir string, after int) (told uint64) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerVar+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	for i := 0; i <= after; i++ {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if told, err = strconv.ParseUint(line[:len(line)-1], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, in) // what it told until it was dead
	_ = c.Wait()                   // it was killed
	return told
}
