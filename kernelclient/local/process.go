package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/health"
	"github.com/nbterm/nbterm/kernelclient/isolate"
)

// Times of stopping, where the caller sets no deadline.
const (
	stopTime   = 5 * time.Second // TERM after half of it, KILL at its end
	afterKill  = 5 * time.Second // a process that the system cannot kill is given up then
	unkillable = "process %d does not end, not even when killed"
)

// process is a started program, leader of its own session and process group. One
// goroutine owns it: it starts, waits for and reaps it, then closes died.
type process struct {
	pid   int
	start int64 // processStart, 0 if unknown
	died  chan struct{}
	log   *logFile

	adopted bool          // it is no child of ours
	boxed   bool          // nor is it a child of ours, but we wait for its parent
	left    chan struct{} // closed to let go of an adopted one

	mu     sync.Mutex // guards reaped: no signal may go to a number that is free again
	reaped bool
	death  *kernelclient.Death // set before died is closed
}

// starting is how a process is started.
type starting struct {
	box   *isolate.Box
	needs []string // what it has to reach from there
	// A process that does not outlive us ends with us. One that does holds on to claims, the
	// open files, so that nobody takes what is its for a leftover.
	outlive bool
	claims  []*os.File
}

// startProcess starts path with argv in dir. Its stdin is empty, its stdout and stderr go
// to log, which stays the caller's.
func startProcess(path string, argv []string, env environ, dir string, log *logFile, s starting) (*process, error) {
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Dir: dir, Stdout: log.f, Stderr: log.f, ExtraFiles: s.claims}
	separate(cmd, !s.outlive)
	p := &process{died: make(chan struct{}), log: log, boxed: s.box.On()}
	started := make(chan error)
	go p.own(cmd, s, started)
	if err := <-started; err != nil {
		return nil, startError(path, dir, err)
	}
	return p, nil
}

// own keeps its system thread for the process's whole life: Linux sends the "parent died"
// signal when the thread that started a child ends, not only when the whole parent does.
func (p *process) own(cmd *exec.Cmd, s starting, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, err := s.box.Start(cmd, s.needs...)
	if err != nil {
		started <- err
		return
	}
	p.pid = pid
	shortages := health.Shortages()
	p.start, _ = processStart(p.pid)
	started <- nil
	p.reap(cmd)
	p.death = deathOf(cmd.ProcessState, p.boxed)
	p.death.NoMem = p.death.Signal == "SIGKILL" && health.Shortages() > shortages
	p.death.Last = p.log.lastWords()
	close(p.died)
}

// reap waits for the leader's end and kills what it left in its group. Where the system
// can wait without reaping, the group's number stays taken until that is done.
func (p *process) reap(cmd *exec.Cmd) {
	seen := awaitExit(cmd.Process.Pid)
	if !seen {
		_ = cmd.Wait() // the state says all that the error would
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
	if !p.boxed { // a box has ended with its first process
		killRest(p.pid)
	}
	if seen {
		_ = cmd.Wait()
	}
}

func startError(path, dir string, err error) error {
	what := "the kernel's program " + path + " cannot be started"
	if fi, statErr := os.Stat(dir); dir != "" && (statErr != nil || !fi.IsDir()) {
		what = "the kernel's working folder " + dir + " is not there"
	}
	kind := kernelclient.Invalid
	switch {
	case errors.Is(err, os.ErrNotExist):
		kind = kernelclient.NotFound
	case errors.Is(err, os.ErrPermission):
		kind = kernelclient.Permission
	}
	return &kernelclient.Error{Kind: kind, What: what, Err: plain(err)}
}

// signal runs send unless the process was reaped. It reports whether it did.
func (p *process) signal(send func(pid int) error) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped || (p.adopted || p.boxed) && !p.lives() {
		return false, nil
	}
	return true, send(p.pid)
}

// stop waits for the end while ctx lasts: TERM to the group after half of that time, KILL
// at its end. It returns when the process is reaped.
func (p *process) stop(ctx context.Context) error {
	ctx, cancel := limit(ctx)
	defer cancel()
	deadline, _ := ctx.Deadline()
	half := time.NewTimer(time.Until(deadline) / 2)
	defer half.Stop()
	for ctx.Err() == nil {
		select {
		case <-p.died:
			return nil
		case <-half.C:
			_, _ = p.signal(terminate) // KILL follows whatever came of it
		case <-ctx.Done():
		}
	}
	return p.kill()
}

// kill ends the process group by force.
func (p *process) kill() error {
	_, err := p.signal(killGroup)
	select {
	case <-p.died:
		return nil
	case <-time.After(afterKill):
		return errors.Join(fmt.Errorf(unkillable, p.pid), err)
	}
}

// limit gives a context that has no deadline the usual one.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, stopTime)
}
