//go:build unix

package jupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// ipykernels launches ipykernel over ipc, for tests only: no log, no search, no retries.
type ipykernels struct {
	python string
	dir    string
	n      int
}

func (l *ipykernels) Retries() int { return 0 }

func (l *ipykernels) Launch(ctx context.Context, _ int) (Kernel, error) {
	l.n++
	base := filepath.Join(l.dir, fmt.Sprint("k", l.n))
	c := Connection{
		Transport: "ipc", IP: base, ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 5,
		Key: "secret", SignatureScheme: "hmac-sha256", KernelName: "python3",
	}
	if err := c.WriteFile(base + ".json"); err != nil {
		return nil, err
	}
	cmd := exec.Command(l.python, "-m", "ipykernel_launcher", "-f", base+".json")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(os.Environ(), "IPYTHONDIR="+l.dir, fmt.Sprint("JPY_PARENT_PID=", os.Getpid()))
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	conn, err := DialZMQ(ctx, c, ZMQOptions{})
	if err != nil {
		return nil, err
	}
	k := &process{cmd: cmd, conn: conn, died: make(chan struct{})}
	go k.wait()
	return k, nil
}

// process is a Kernel for tests.
type process struct {
	cmd   *exec.Cmd
	conn  Conn
	died  chan struct{}
	death kernelclient.Death
}

func (k *process) wait() {
	err := k.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		k.death.Code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			k.death.Signal = "SIG" + strings.ToUpper(strings.TrimPrefix(status.Signal().String(), "SIG"))
			if status.Signal() == syscall.SIGKILL {
				k.death.Signal = "SIGKILL"
			}
		}
	}
	close(k.died)
}

func (k *process) Conn() Conn                 { return k.conn }
func (k *process) Died() <-chan struct{}      { return k.died }
func (k *process) Death() *kernelclient.Death { return &k.death }
func (k *process) PID() int                   { return k.cmd.Process.Pid }
func (k *process) Interrupt() (bool, error) {
	return true, syscall.Kill(-k.cmd.Process.Pid, syscall.SIGINT)
}

func (k *process) Stop(ctx context.Context) error {
	select {
	case <-k.died:
	case <-ctx.Done():
		_ = syscall.Kill(-k.cmd.Process.Pid, syscall.SIGKILL)
		<-k.died
	}
	return k.conn.Close()
}

// openReal starts ipykernel and ends it with the test.
func openReal(t testing.TB) (kernelclient.Driver, *sink) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nbt") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	d := NewDriver(&ipykernels{python: hosttest.Python(t), dir: dir}, DriverOptions{})
	s := newSink()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Close(ctx, true); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	ready, err := d.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if ready.Language.Get("name").Str() != "python" || ready.PID == 0 {
		t.Errorf("ready: %s, pid %d", ready.Language, ready.PID)
	}
	return d, s
}
