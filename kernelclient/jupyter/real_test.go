package jupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// testPython is a Python that has ipykernel. Without one the tests on real kernels are
// skipped, but where they are asked for that is a failure.
func testPython(t testing.TB) string {
	t.Helper()
	python := os.Getenv("NBTERM_TEST_PYTHON")
	if python == "" {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("NBTERM_TEST_PYTHON is not set")
		}
		t.Skip("NBTERM_TEST_PYTHON is not set")
	}
	return python
}

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

// sink keeps the events of a driver.
type sink struct {
	mu     sync.Mutex
	events []sunk
	more   chan struct{} // closed and replaced by every Emit
}

type sunk struct {
	exec event.ExecID
	body event.Body
}

func newSink() *sink { return &sink{more: make(chan struct{})} }

func (s *sink) Emit(exec event.ExecID, body event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, sunk{exec, body})
	close(s.more)
	s.more = make(chan struct{})
}

// wait returns the first event that is wanted, present or to come.
func (s *sink) wait(t testing.TB, want func(sunk) bool) sunk {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for at := 0; ; {
		s.mu.Lock()
		for ; at < len(s.events); at++ {
			if e := s.events[at]; want(e) {
				s.mu.Unlock()
				return e
			}
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-limit.C:
			t.Fatalf("waited in vain; there was\n%s", s.story())
		}
	}
}

// of returns the events of one execution.
func (s *sink) of(exec event.ExecID) []event.Body {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []event.Body
	for _, e := range s.events {
		if e.exec == exec {
			out = append(out, e.body)
		}
	}
	return out
}

// story writes the events as short lines, for comparison.
func (s *sink) story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, e := range s.events {
		fmt.Fprintf(&b, "%s:%s", e.exec, strings.TrimPrefix(fmt.Sprintf("%T", e.body), "event."))
		switch body := e.body.(type) {
		case event.Stream:
			fmt.Fprintf(&b, " %s %.60q", body.Name, body.Text)
		case event.Result:
			text, _ := body.Data.Plain()
			fmt.Fprintf(&b, " %d %s", body.Count, text)
		case event.Started:
			fmt.Fprintf(&b, " %d", body.Count)
		case event.Error:
			fmt.Fprintf(&b, " %s", body.Name)
		case event.State:
			fmt.Fprintf(&b, " %s %s", body.State, body.Detail)
		case event.Gap:
			fmt.Fprintf(&b, " %s", body.Detail)
		case event.InputRequest:
			fmt.Fprintf(&b, " %s %q %v", body.ID, body.Prompt, body.Password)
		case event.InputClosed:
			fmt.Fprintf(&b, " %s", body.ID)
		case event.Payload:
			fmt.Fprintf(&b, " %s", body.Source)
		case event.Unknown:
			fmt.Fprintf(&b, " %s", body.Type)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func text(bodies []event.Body, name string) string {
	var b strings.Builder
	for _, body := range bodies {
		if s, ok := body.(event.Stream); ok && s.Name == name {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// openReal starts ipykernel and ends it with the test.
func openReal(t testing.TB) (kernelclient.Driver, *sink) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nbt") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	d := NewDriver(&ipykernels{python: testPython(t), dir: dir}, DriverOptions{})
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

func execute(t testing.TB, d kernelclient.Driver, id event.ExecID, code string) kernelclient.Outcome {
	t.Helper()
	return d.Run(t.Context(), kernelclient.Request{ID: id, Code: code, AllowStdin: true})
}

func TestRealRuns(t *testing.T) {
	d, s := openReal(t)
	if out := execute(t, d, "a", "import sys\nprint('out'); print('err', file=sys.stderr); 1+1"); out.Reason != event.Done || out.Count != 1 {
		t.Errorf("%+v", out)
	}
	if out := execute(t, d, "b", "1/0"); out.Reason != event.Failed {
		t.Errorf("%+v", out)
	}
	if out := execute(t, d, "c", "print('after an error')"); out.Reason != event.Done || out.Count != 3 {
		t.Errorf("%+v", out)
	}
	if got := text(s.of("a"), "stdout") + text(s.of("a"), "stderr") + text(s.of("c"), "stdout"); got != "out\nerr\nafter an error\n" {
		t.Errorf("streams %q\n%s", got, s.story())
	}
	for _, want := range []string{"a:Started 1", "a:Result 1 2", "b:Error ZeroDivisionError", ":State busy", ":State idle"} {
		if !strings.Contains(s.story(), want) {
			t.Errorf("no %s in\n%s", want, s.story())
		}
	}
}
