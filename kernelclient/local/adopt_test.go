//go:build unix

package local

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// hostsIn makes this test binary a process that hosts a kernel, in the world of that folder.
const hostsIn = "NBTERM_TEST_HOSTS_IN"

// hostsHow is "plain" for Options.Plain.
const hostsHow = "NBTERM_TEST_HOSTS_HOW"

// hosted is what such a process writes first, and when that changes.
type hosted struct {
	ID, Kernel, Dir, ConnFile string
	PID                       int
	PIDStart                  int64
}

// hostUntilKilled hosts one kernel that outlives it. It runs each line of its standard
// input, a JSON string, and writes what happens to standard output: events, and before the
// first of them that the kernel is ready a hosted.
func hostUntilKilled(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	h := New(Options{Dir: dir + "/wd", LogDir: dir + "/log", Outlive: true, Plain: os.Getenv(hostsHow) == "plain"})
	k, err := h.Start(context.Background(), kernelclient.StartSpec{Kernel: "python3", Dir: dir + "/wd"})
	fail(err)
	go func() {
		n := 0
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); n++ {
			var code string
			fail(json.Unmarshal(lines.Bytes(), &code))
			fail(k.Submit(context.Background(), kernelclient.Request{ID: event.ExecID(fmt.Sprint("run", n)), Code: code, AllowStdin: true}))
		}
	}()
	ready := false
	for s := k.Follow(kernelclient.Cursor{}); ; {
		events, err := s.Next(context.Background())
		fail(err)
		if i := k.Info(); i.PID != 0 && !ready {
			ready = true
			b, err := json.Marshal(hosted{string(i.ID), i.Kernel.Name, i.Dir, i.ConnFile, i.PID, i.PIDStart})
			fail(err)
			fmt.Println(string(b))
		}
		for _, e := range events {
			fmt.Println(string(e.AppendJSON(nil)))
		}
	}
}
