//go:build linux

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is the real program on a pseudo-terminal, its bytes drawn by an emulator that
// also answers its queries.
type terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	tty  *os.File
	home string
	done chan struct{} // closed when the program's output has ended

	mu     sync.Mutex // guards all below; the emulator's Read is called without it
	screen *vt.Emulator
	drawn  chan struct{} // closed and replaced when something was drawn
	bytes  []byte
}

// open starts `nbterm args…` on a terminal of 100x40. The test fails if anything is left behind.
func open(t testing.TB, args ...string) *terminal {
	t.Helper()
	return start(t, nbterm(t, args...))
}

// openIn is open with the home, and so the state, that a program had before.
func openIn(t testing.TB, home string, args ...string) *terminal {
	t.Helper()
	cmd := nbterm(t, args...)
	for i, kv := range cmd.Env {
		if strings.HasPrefix(kv, "HOME=") {
			cmd.Env[i] = "HOME=" + home
		}
	}
	return start(t, cmd)
}

func start(t testing.TB, cmd *exec.Cmd) *terminal {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: cmd, tty: tty, home: cmd.Dir, done: make(chan struct{}), screen: vt.NewEmulator(100, 40), drawn: make(chan struct{})}
	go x.draw()
	answered := make(chan struct{})
	go func() { x.answer(); close(answered) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // a no-op after a story that ended well
		<-x.done
		_ = tty.Close()
		if in, ok := x.screen.InputPipe().(io.Closer); ok { // Close alone races with Read
			_ = in.Close()
			<-answered
		}
		_ = x.screen.Close()
		if t.Failed() {
			t.Logf("the last screen:\n%s", x.text())
		}
	})
	return x
}

func (x *terminal) draw() {
	defer close(x.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := x.tty.Read(buf)
		x.mu.Lock()
		_, _ = x.screen.Write(buf[:n])
		x.bytes = append(x.bytes, buf[:n]...)
		close(x.drawn)
		x.drawn = make(chan struct{})
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// answer passes the emulator's replies to queries on to the program.
func (x *terminal) answer() {
	buf := make([]byte, 1024)
	for {
		n, err := x.screen.Read(buf)
		if n > 0 {
			_, _ = x.tty.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

// wait waits until the screen satisfies what.
func (x *terminal) wait(what string, ok func(screen string) bool) {
	x.t.Helper()
	deadline := time.After(40 * time.Second)
	for {
		x.mu.Lock()
		screen, drawn := x.screen.String(), x.drawn
		x.mu.Unlock()
		if ok(screen) {
			return
		}
		select {
		case <-drawn:
		case <-x.done:
			x.t.Fatalf("the program ended; waited for %s", what)
		case <-deadline:
			x.t.Fatalf("waited for %s", what)
		}
	}
}

func (x *terminal) see(words ...string) {
	x.t.Helper()
	x.wait(strings.Join(words, ", "), func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// keys types bytes as a terminal sends them.
func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// exit waits for the program's end and returns its status.
func (x *terminal) exit() int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(20 * time.Second):
		x.t.Fatalf("it does not end; the screen:\n%s", x.text())
	}
	_ = x.cmd.Wait() // the status says it
	return x.cmd.ProcessState.ExitCode()
}

// quit leaves by the keys; what is unsaved is discarded.
func (x *terminal) quit() {
	x.t.Helper()
	x.keys("q")
	asks := func(what string) bool { return strings.Contains(x.text(), what) }
	x.wait("a question or the end", func(string) bool {
		return asks("d discard") || asks("x stop what runs") || x.ended()
	})
	if asks("x stop what runs") { // its outputs are here, its end is not
		x.keys("x")
		x.wait("the next question or the end", func(string) bool { return asks("d discard") || x.ended() })
	}
	if !x.ended() {
		x.keys("d")
	}
	if status := x.exit(); status != 0 {
		x.t.Errorf("exit status %d", status)
	}
}

func (x *terminal) ended() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}

// raw is every byte written so far.
func (x *terminal) raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.bytes)
}
