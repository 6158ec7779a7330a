//go:build unix

package builtin

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

func newDriver(opt PythonOptions) kernelclient.Driver {
	return jupyter.NewDriver(NewPythonLauncher(opt), jupyter.DriverOptions{})
}

// parentCode names the code that this test binary runs on a kernel as somebody's child.
const parentCode = "NBTERM_TEST_PARENT_CODE"

// nohup, where it is set, has the kernel started by a process that ignores hang-ups.
const nohup = "NBTERM_TEST_NOHUP"

// TestAsParent is no test of its own: TestParentDeath starts it in a process to kill.
func TestAsParent(t *testing.T) {
	code := os.Getenv(parentCode)
	if code == "" {
		t.Skip("only as the child of TestParentDeath")
	}
	if os.Getenv(nohup) != "" {
		signal.Ignore(syscall.SIGHUP)
	}
	d := newDriver(PythonOptions{Python: os.Getenv("NBTERM_TEST_PYTHON"), Dir: t.TempDir()})
	ready, err := d.Open(t.Context(), newSink())
	if err != nil {
		t.Fatal(err)
	}
	go d.Run(context.Background(), kernelclient.Request{ID: "x", Code: code})
	fmt.Println("kernel", ready.PID)
	select {}
}

func TestParentDeath(t *testing.T) {
	python := testPython(t)
	for _, code := range []string{
		"1", "while True: pass", "import time; time.sleep(600)", "input()",
		"while True:\n  try:\n    while True: print('x' * 100)\n  except BaseException: pass",
	} {
		pidfile := t.TempDir() + "/child"
		cmd := exec.Command(os.Args[0], "-test.run=^TestAsParent$")
		start := fmt.Sprintf("import subprocess\nopen(%q, 'w').write(str(subprocess.Popen(['sleep', '602']).pid))\n", pidfile)
		cmd.Env = append(os.Environ(), "NBTERM_TEST_PYTHON="+python, parentCode+"="+start+code)
		if code == "1" {
			cmd.Env = append(cmd.Env, nohup+"=1")
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kernelPID, childPID := 0, 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, err := fmt.Sscanf(lines.Text(), "kernel %d", &kernelPID); err == nil {
				break
			}
		}
		waitFor(t, "the child's number", func() bool {
			b, _ := os.ReadFile(pidfile)
			_, err := fmt.Sscan(strings.TrimSpace(string(b)), &childPID)
			return err == nil
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		waitGone(t, kernelPID)
		waitGone(t, childPID)
	}
}
