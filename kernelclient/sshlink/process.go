package sshlink

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is an ssh that runs: what is written to it comes out at the other machine.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	said     *said
	terminal lent
	once     sync.Once
	ended    chan struct{} // closed when it has ended and was waited for
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close lets the other end go.
func (p *process) Close() error { return p.in.Close() }

// kill ends ssh at once; a stopped one, too.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // it has ended then

// finish lets ssh end, and ends it if it does not.
func (p *process) finish() {
	_ = p.in.Close() // it is the sign to end
	late := time.AfterFunc(endWait, p.kill)
	defer late.Stop()
	p.wait()
}

// wait waits for ssh's end, and returns its exit status, -1 if a signal ended it.
func (p *process) wait() int {
	p.once.Do(func() {
		_ = p.cmd.Wait() // the status says all
		close(p.ended)
	})
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// said is the end of what ssh said, which is passed on until somebody else has the screen.
type said struct {
	mu   sync.Mutex // guards all below
	to   io.Writer
	tail []byte
}

// Write implements io.Writer.
func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		_, _ = s.to.Write(b) // it is for people
	}
	s.tail = append(s.tail, b...)
	if over := len(s.tail) - 4<<10; over > 0 {
		s.tail = bytes.Clone(s.tail[over:])
	}
	return len(b), nil
}

// quiet passes on nothing more.
func (s *said) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = nil
}

func (s *said) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.tail)
}

// last is the last line.
func (s *said) last() string {
	lines := strings.Split(strings.TrimSpace(s.all()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
