//go:build unix

package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/isolate"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/kernelclient/leftover"
)

// afterTerm is how long a kernel that was told to end by SIGTERM has until SIGKILL.
const afterTerm = 300 * time.Millisecond

// process is the kernel's process and all that belongs to it.
type process struct {
	cmd   *exec.Cmd
	pid   int  // leads the group
	boxed bool // it is cmd's child then
	conn  jupyter.Conn
	log   string // path of the kernel log
	held  *leftover.Claim
	clean sync.Once
	died  chan struct{}
	death kernelclient.Death // set before died is closed

	mu     sync.Mutex // guards reaped: no signal may go to a number that is free again
	reaped bool
}

// Launch implements jupyter.Launcher.
func (l *launcher) Launch(ctx context.Context, _ int) (jupyter.Kernel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	log, held, err := openLog(l.opt.LogDir)
	if err != nil {
		return nil, fmt.Errorf("the kernel log: %w", err)
	}
	defer log.Close()
	k, err := l.start(log)
	if err != nil {
		_ = os.Remove(log.Name())
		held.Close()
		return nil, err
	}
	k.held = held
	return k, nil
}

func (l *launcher) start(log *os.File) (*process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		_ = inW.Close()
		return nil, err
	}
	defer outW.Close()
	cmd := exec.Command(l.opt.Python, "-c", bootstrap, l.cache())
	cmd.Dir = l.opt.Dir
	cmd.Env = l.environ()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{inR, outW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C in the terminal is not for it
	pid, err := l.opt.Box.Start(cmd)
	if err != nil {
		_, _ = inW.Close(), outR.Close()
		return nil, startError(l.opt, err)
	}
	k := &process{cmd: cmd, pid: pid, boxed: l.opt.Box.On(), log: log.Name(), died: make(chan struct{})}
	k.conn = jupyter.NewPipe(outR, &primed{WriteCloser: inW, launcher: l})
	go k.reap() // ends with the process
	return k, nil
}

func (l *launcher) environ() []string {
	env := slices.Clone(l.opt.Env)
	if env == nil {
		env = os.Environ()
	}
	if l.opt.Session != "" {
		env = append(env, "JPY_SESSION_NAME="+l.opt.Session)
	}
	return env
}

func startError(opt PythonOptions, err error) error {
	if _, dirErr := os.Stat(opt.Dir); opt.Dir != "" && dirErr != nil {
		return &kernelclient.Error{Kind: kernelclient.NotFound, What: "the kernel's working folder is not there", Err: dirErr}
	}
	kind := kernelclient.Invalid
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		kind = kernelclient.NotFound
	}
	return &kernelclient.Error{Kind: kind, What: "Python could not be started", Err: err, Next: "choose another Python, or install python3"}
}

// openLog makes a kernel log that only this user can read, held as long as it is needed.
func openLog(dir string) (*os.File, *leftover.Claim, error) {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		dir = os.TempDir() // a kernel is worth more than its log's place
	}
	path := filepath.Join(dir, LogPrefix+rand.Text()+".log")
	var f *os.File
	held, err := leftover.Make(path, func(unnamed string) error {
		return os.WriteFile(unnamed, nil, 0o600)
	})
	if err == nil {
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
			held.Close()
		}
	}
	return f, held, err
}

// reap waits for the process's end and takes what it left behind with it: its group. Where
// the system can wait without reaping, the group's number stays taken until that is done.
func (k *process) reap() {
	seen := awaitExit(k.cmd.Process.Pid)
	if !seen {
		_ = k.cmd.Wait() // the state says all that the error would
	}
	k.mu.Lock()
	k.reaped = true
	if !k.boxed { // a box has ended with its first process
		_ = syscall.Kill(-k.pid, syscall.SIGKILL)
	}
	if seen {
		_ = k.cmd.Wait()
	}
	k.mu.Unlock()
	signal, code := isolate.Ended(k.cmd.ProcessState, k.boxed)
	k.death.Signal, k.death.Code = unix.SignalName(signal), code
	k.death.Last = tail(k.log)
	close(k.died)
}

// signal reaches the kernel and its children, unless the kernel has ended: then its number
// may be another's already.
func (k *process) signal(s syscall.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reaped {
		return nil
	}
	return syscall.Kill(-k.pid, s)
}

// Conn implements jupyter.Kernel.
func (k *process) Conn() jupyter.Conn { return k.conn }

// Died implements jupyter.Kernel.
func (k *process) Died() <-chan struct{} { return k.died }

// Death implements jupyter.Kernel.
func (k *process) Death() *kernelclient.Death { return &k.death }

// PID implements jupyter.Kernel.
func (k *process) PID() int { return k.pid }

// Beat implements jupyter.Beating. The kernel has no heartbeat, but its process can be seen.
func (k *process) Beat(context.Context) error {
	if isStopped(k.PID()) {
		return &kernelclient.Error{Kind: kernelclient.NoAnswer, What: "the kernel is stopped"}
	}
	return nil
}

// Interrupt implements jupyter.Kernel.
func (k *process) Interrupt() (bool, error) {
	return true, k.signal(syscall.SIGINT)
}

// Stop implements jupyter.Kernel.
func (k *process) Stop(ctx context.Context) error {
	select {
	case <-k.died:
	case <-ctx.Done():
		k.force()
	}
	k.clean.Do(func() {
		_ = os.Remove(k.log)
		k.held.Close()
	})
	return k.conn.Close()
}

// force ends the process, whatever it does.
func (k *process) force() {
	_ = k.signal(syscall.SIGTERM)
	timer := time.NewTimer(afterTerm)
	defer timer.Stop()
	select {
	case <-k.died:
	case <-timer.C:
		_ = k.signal(syscall.SIGKILL)
		<-k.died
	}
}
