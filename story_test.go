//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

const (
	ctrlC = "\x03"
	ctrlE = "\x05"
	ctrlR = "\x12"
	ctrlS = "\x13"
)

// onEach tells a story on each kernel.
func onEach(t *testing.T, story func(t *testing.T, kernel string)) {
	for _, kernel := range kernels {
		t.Run(kernel, func(t *testing.T) { story(t, kernel) })
	}
}

// outputs are the texts of a saved notebook's streams and results, a cell each.
func outputs(t *testing.T, path string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Text  []string            `json:"text"`
				Data  map[string][]string `json:"data"`
				Ename string              `json:"ename"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		s := ""
		for _, o := range c.Outputs {
			s += strings.Join(o.Text, "") + strings.Join(o.Data["text/plain"], "") + o.Ename
		}
		out = append(out, s)
	}
	return out
}

func waitFile(t testing.TB, x *terminal, path, want string) {
	t.Helper()
	x.wait("the file to hold "+want, func(string) bool {
		data, _ := os.ReadFile(path)
		return bytes.Contains(data, []byte(want))
	})
}

func TestStoryRunSaveQuit(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		nb := code(t, "x = 6", "print('the answer', x * 7)")
		s := open(t, "--kernel", kernel, nb)
		s.see("n.ipynb", "x = 6")
		s.keys("R")
		s.see("[2]", "the answer 42", "idle")
		s.keys("s")
		waitFile(t, s, nb, "the answer 42")
		s.keys("q")
		if status := s.exit(); status != 0 {
			t.Errorf("status %d", status)
		}
		if got := outputs(t, nb); got[1] != "the answer 42\n" {
			t.Errorf("saved %q", got)
		}
	})
}

// Typing in a cell and saving changes that line of the file and no other; what runs is
// what was typed.
func TestStoryEditSave(t *testing.T) {
	nb := code(t, "x = 6", "print('the answer', x)")
	before, err := os.ReadFile(nb)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, nb)
	s.see("the answer")
	s.keys("\r")
	s.see("EDIT")
	s.keys("\x1b[1;5F")
	s.keys(" * ")
	s.see("x = 6 *")
	s.keys("7")
	s.see("x = 6 * 7", "● n.ipynb")
	s.keys(ctrlS)
	waitFile(t, s, nb, "x = 6 * 7")
	after, err := os.ReadFile(nb)
	if err != nil {
		t.Fatal(err)
	}
	if want := bytes.Replace(before, []byte("x = 6"), []byte("x = 6 * 7"), 1); !bytes.Equal(after, want) {
		t.Errorf("saved:\n%s\nwant:\n%s", after, want)
	}
	s.keys("\x1b[13;2u")
	s.see("[1]")
	s.keys(ctrlE)
	s.see("the answer 42")
	s.quit()
}

// Ctrl-Z and SIGTSTP give the shell its terminal back; fg comes back to the notebook.
func TestStorySuspend(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	program := nbterm(t, code(t, "x = 6", "y = 7"))
	shell := exec.Command(bash, "--norc", "--noprofile", "-i")
	shell.Env, shell.Dir = program.Env, program.Dir
	s := start(t, shell)
	s.keys(strings.Join(program.Args, " ") + "\r")
	s.see("x = 6", "y = 7", "1/2")
	t.Cleanup(func() { // first of all: a stopped program would keep the terminal open
		if pid := childOf(shell.Process.Pid); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	for i, stop := range []func(){
		func() { s.keys("\x1a") },
		func() {
			if err := syscall.Kill(childOf(shell.Process.Pid), syscall.SIGTSTP); err != nil {
				t.Fatal(err)
			}
		},
	} {
		stop()
		s.see("Stopped")
		s.keys(fmt.Sprintf("stty -a | grep -ow -e icanon -e echo; echo back''-%d\r", i))
		s.see("icanon", "echo", fmt.Sprintf("back-%d", i))
		s.keys("fg\r")
		s.see("x = 6", "y = 7", "n.ipynb")
	}
	raw := s.raw()
	if on, off := strings.Count(raw, "\x1b[?1002h"), strings.Count(raw, "\x1b[?1002l"); on != 3 || off < 2 {
		t.Errorf("the mouse was switched on %d times and off %d times", on, off)
	}
	s.keys("j")
	s.see("2/2")
	s.keys("q")
	s.wait("the shell", func(screen string) bool { return !strings.Contains(screen, "2/2") })
	s.keys("exit\r")
	if status := s.exit(); status != 0 {
		t.Errorf("status %d", status)
	}
}

// childOf is the only child of a process, 0 if there is none.
func childOf(parent int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

// Ctrl-C interrupts what runs and keeps the state; while idle it only hints; a signal to
// the program's own group does not reach the kernel.
func TestStoryInterrupt(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		s := open(t, "--kernel", kernel, code(t, "x = 41\nimport time\nprint('now ' + 'asleep', flush=True)\nwhile True: time.sleep(0.1)", "x + 1"))
		s.see("x + 1")
		s.keys(ctrlR)
		s.see("[*]", "busy", "now asleep")
		s.keys(ctrlC)
		s.see("KeyboardInterrupt", "idle")
		if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		s.see("nothing runs") // the signal was taken: it cannot hit the next run
		s.keys(ctrlC)
		s.keys(ctrlR)
		s.see("[2]", "42")
		s.quit()
	})
}

func TestStoryKernelKilled(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		s := open(t, "--kernel", kernel, code(t, "import os; os.kill(os.getpid(), 9)", "print('never' + '-ran')", "print('ran' + ' again')"))
		s.see("os.kill")
		s.keys("R")
		s.see("SIGKILL")
		if strings.Contains(s.text(), "never-ran") {
			t.Error("the queue went on")
		}
		s.keys("G" + ctrlE)
		s.see("ran again", "idle")
		s.quit()
	})
}

func TestStoryInput(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		nb := code(t, "import getpass\nprint('hi', input('wh' + 'o? '), len(getpass.getpass('sec' + 'ret: ')))", "input('aga' + 'in? ')")
		s := open(t, "--kernel", kernel, nb)
		s.see("getpass")
		s.keys(ctrlR)
		s.see("who?")
		s.keys("Ann\r")
		s.see("secret:")
		s.keys("hunter2\r")
		s.see("hi Ann 7")
		s.keys(ctrlR)
		s.see("again?")
		s.keys(ctrlC)
		s.see("KeyboardInterrupt", "idle")
		s.keys("s")
		waitFile(t, s, nb, "hi Ann 7")
		if strings.Contains(s.raw(), "hunter2") {
			t.Error("the password was shown")
		}
		s.keys("q")
		s.exit()
		if data, _ := os.ReadFile(nb); bytes.Contains(data, []byte("hunter2")) {
			t.Error("the password was saved")
		}
	})
}

// A kernel that ignores the interrupt wedges nothing: restart is offered and works.
func TestStoryDeafKernel(t *testing.T) {
	s := open(t, code(t, "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('deaf' + ' now', flush=True)\nfor i in range(120): time.sleep(1)", "print('fresh' + ' one')"))
	s.see("SIG_IGN")
	s.keys(ctrlR)
	s.see("deaf now")
	s.keys(ctrlC)
	s.see("restart", "00")
	s.keys(ctrlC + ctrlC)
	began := time.Now()
	s.keys("00")
	s.wait("the restart", func(screen string) bool { return strings.Contains(screen, "idle") })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the restart took %v", took)
	}
	s.keys("G" + ctrlE)
	s.see("fresh one")
	s.quit()
}

// What the kernel's process writes by itself belongs in the cell, not across the screen.
func TestStoryFileDescriptors(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		nb := code(t, "import os, sys\nos.write(1, b'raw-' + b'fd\\n')\nos.system('echo from-sys''tem; echo err-sys''tem >&2')\nsys.__stderr__.write('dunder ' + 'stderr\\n')\nprint('p' + 'y')")
		s := open(t, "--kernel", kernel, nb)
		s.see("os.write")
		s.keys(ctrlE)
		s.see("raw-fd", "from-system", "err-system", "dunder stderr", "idle")
		s.keys("s")
		waitFile(t, s, nb, "raw-fd")
		s.quit()
		got := outputs(t, nb)[0]
		for _, line := range []string{"raw-fd\n", "from-system\n", "err-system\n", "dunder stderr\n", "py\n"} {
			if strings.Count(got, line) != 1 {
				t.Errorf("%q is in %q %d times", line, got, strings.Count(got, line))
			}
		}
	})
}

// 200,000 lines are all kept, and endless printing stops on request.
func TestStoryFlood(t *testing.T) {
	onEach(t, func(t *testing.T, kernel string) {
		nb := code(t, "for i in range(200000): print(i, 'x'*60)\nprint('flood' + ' over')", "while True:\n    print('y' * 80)")
		s := open(t, "--kernel", kernel, nb)
		s.see("range(200000)")
		s.keys(ctrlR)
		s.see("flood over", "idle")
		s.keys(ctrlE)
		s.see("yyyyyyyyyy", "busy")
		began := time.Now()
		s.keys(ctrlC)
		s.see("idle")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("it went on for %v", took)
		}
		s.keys("s")
		waitFile(t, s, nb, "yyyyyyyy")
		s.quit()
		got := outputs(t, nb)[0]
		if n := strings.Count(got, "\n"); n != 200_001 || !strings.HasPrefix(got, "0 xxx") {
			t.Errorf("%d lines saved", n)
		}
	})
}

// SIGTERM and a vanished terminal leave a recovery copy, and no kernel.
func TestStoryEndedFromOutside(t *testing.T) {
	for name, end := range map[string]func(*terminal) (status int){
		"SIGTERM": func(s *terminal) int { _ = s.cmd.Process.Signal(syscall.SIGTERM); return s.exit() },
		"hangup": func(s *terminal) int {
			_ = s.cmd.Process.Signal(syscall.SIGHUP)
			return s.exit()
		},
	} {
		t.Run(name, func(t *testing.T) {
			nb := code(t, "print('un' + 'saved')")
			s := open(t, nb)
			s.see("print")
			s.keys(ctrlE)
			s.see("unsaved", "idle")
			if status, want := end(s), map[string]int{"SIGTERM": 143, "hangup": 129}[name]; status != want {
				t.Errorf("status %d, want %d", status, want)
			}
			if !strings.Contains(s.raw(), "\x1b[?1049l") || !strings.Contains(s.raw(), "\x1b[?25h") {
				t.Error("the terminal was not restored")
			}
			var copies []string
			_ = filepath.WalkDir(filepath.Join(s.home, ".local/state/nbterm"), func(path string, d os.DirEntry, err error) error {
				if data, _ := os.ReadFile(path); err == nil && bytes.Contains(data, []byte("unsaved")) {
					copies = append(copies, path)
				}
				return nil
			})
			if len(copies) != 1 {
				t.Fatalf("recovery copies: %v", copies)
			}
			if info, err := os.Stat(copies[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, mode %v", err, info.Mode())
			}
			if !strings.Contains(strings.ReplaceAll(s.raw(), "\r\n", ""), filepath.Base(copies[0])) {
				t.Error("the copy is not named")
			}
		})
	}
}

// The program works inside a real tmux.
func TestTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		hosttest.Python(t) // fails where peers must be there
		t.Skip("tmux is not installed")
	}
	nb := code(t, "print('in' + 'side')")
	cmd := nbterm(t, nb)
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		c := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		c.Env = append(cmd.Env, "NBTERM_TEST_HOME=") // the server may outlive the check for leftovers
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	env := []string{}
	for _, kv := range cmd.Env {
		if !strings.HasPrefix(kv, "TERM=") {
			env = append(env, "-e", kv)
		}
	}
	tmux(append(append([]string{"new-session", "-d", "-x", "80", "-y", "24"}, env...), cmd.Path, nb)...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	see := func(word string) {
		t.Helper()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		deadline := time.After(30 * time.Second)
		for {
			screen := tmux("capture-pane", "-p")
			if strings.Contains(screen, word) {
				return
			}
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("waited for %q; the screen:\n%s", word, screen)
			}
		}
	}
	see("print")
	tmux("send-keys", "C-e")
	see("inside")
	tmux("send-keys", "C-s")
	see("saved")
	if got := fmt.Sprint(outputs(t, nb)); got != "[inside\n]" {
		t.Errorf("saved %q", got)
	}
	tmux("send-keys", "q")
	nothingLeft(t, cmd.Dir)
}
