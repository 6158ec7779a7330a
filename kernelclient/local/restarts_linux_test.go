package local

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// Restarts leave nothing behind: no descriptor, goroutine, process or file of ours. `make
// soak` does it 200 times.
func TestRestarts(t *testing.T) {
	n := 2
	if s := os.Getenv("NBTERM_RESTARTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	w.python(t)
	k := start(t, w.host(t), kernelclient.StartSpec{Kernel: "python3", Dir: w.dir + "/wd"})
	does(t, k, "1", "result:1")
	descriptors := func() int { return len(glob(t, "/proc/self/fd/*")) }
	files, routines := descriptors(), runtime.NumGoroutine()
	for range n {
		if err := k.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		does(t, k, "1", "result:1")
	}
	hosttest.Eventually(t, "the end of all that the restarts began", func() bool {
		return descriptors() <= files && runtime.NumGoroutine() <= routines && len(w.processes(t)) == 1
	})
	w.present(t, false)
}
