package jupyter

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// fakeKernel is a kernel in memory. It answers by the rules of the protocol unless a test
// takes over with a hook; hooks run in the kernel's one goroutine.
type fakeKernel struct {
	in   *wireio.Queue[Message] // to the kernel
	out  *wireio.Queue[Message] // from the kernel
	died chan struct{}
	once sync.Once
	wg   sync.WaitGroup

	onInfo      func(k *fakeKernel, m Message)
	onExecute   func(k *fakeKernel, m Message)
	onControl   func(k *fakeKernel, m Message)
	onInterrupt func() (bool, error)
	onStop      func(ctx context.Context)
	onInput     func(k *fakeKernel, m Message)
	stuck       func(m Message) bool // this message can never be handed over
	count       int
}

func newFakeKernel() *fakeKernel {
	k := &fakeKernel{in: wireio.NewQueue[Message](), out: wireio.NewQueue[Message](), died: make(chan struct{})}
	k.onInfo = func(k *fakeKernel, m Message) { k.info(m) }
	k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.input(m); k.reply(m, "ok"); k.status(m, "idle") }
	k.onControl = func(k *fakeKernel, m Message) {}
	k.onInput = func(k *fakeKernel, m Message) {}
	k.onInterrupt = func() (bool, error) { return true, nil }
	k.onStop = func(context.Context) { k.die() }
	k.wg.Go(k.serve)
	return k
}

func (k *fakeKernel) serve() {
	for {
		m, err := k.in.Pop(context.Background())
		if err != nil {
			return
		}
		switch m.Header.Type {
		case "kernel_info_request":
			k.onInfo(k, m)
		case "execute_request":
			k.onExecute(k, m)
		case "input_reply":
			k.onInput(k, m)
		default:
			k.onControl(k, m)
		}
	}
}

// say sends a message with m as parent.
func (k *fakeKernel) say(channel Channel, m Message, typ, content string) {
	k.out.Push(Message{
		Channel: channel, Header: Header{ID: "k", Type: typ, Session: "kernel"},
		Parent: m.Header, Metadata: rawjson.Value("{}"), Content: rawjson.Value(content),
	}, 1)
}

func (k *fakeKernel) status(m Message, state string) {
	k.say(IOPub, m, "status", fmt.Sprintf(`{"execution_state":%q}`, state))
}

func (k *fakeKernel) stream(m Message, text string) {
	k.say(IOPub, m, "stream", fmt.Sprintf(`{"name":"stdout","text":%q}`, text))
}

func (k *fakeKernel) input(m Message) {
	k.count++
	k.say(IOPub, m, "execute_input", fmt.Sprintf(`{"execution_count":%d,"code":""}`, k.count))
}

func (k *fakeKernel) reply(m Message, status string) {
	k.say(Shell, m, "execute_reply", fmt.Sprintf(`{"status":%q,"execution_count":%d,"ename":"E","evalue":"v","traceback":[]}`, status, k.count))
}

func (k *fakeKernel) info(m Message) {
	k.status(m, "busy")
	k.say(Shell, m, "kernel_info_reply", `{"status":"ok","language_info":{"name":"fake"}}`)
	k.status(m, "idle")
}

// die ends the process; what it had said is still to be received.
func (k *fakeKernel) die() {
	k.once.Do(func() {
		close(k.died)
		k.in.Close(io.ErrClosedPipe)
		k.out.End(io.EOF)
	})
}

func (k *fakeKernel) Send(ctx context.Context, m Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-k.died:
		return io.ErrClosedPipe
	default:
	}
	if k.stuck != nil && k.stuck(m) {
		<-ctx.Done()
		return ctx.Err()
	}
	k.in.Push(m, 1)
	return nil
}

func (k *fakeKernel) Recv() (Message, error) { return k.out.Pop(context.Background()) }
func (k *fakeKernel) Close() error {
	k.in.Close(io.ErrClosedPipe)
	k.out.Close(io.ErrClosedPipe)
	return nil
}

func (k *fakeKernel) Conn() Conn               { return k }
func (k *fakeKernel) Interrupt() (bool, error) { return k.onInterrupt() }
func (k *fakeKernel) Died() <-chan struct{}    { return k.died }
func (k *fakeKernel) Death() *kernelclient.Death {
	return &kernelclient.Death{Code: 7, Last: "last words"}
}
func (k *fakeKernel) PID() int { return 4711 }
func (k *fakeKernel) Stop(ctx context.Context) error {
	k.onStop(ctx)
	k.Close()
	k.wg.Wait()
	return nil
}

// fakeLauncher launches what a test prepared, one kernel after the other.
type fakeLauncher struct {
	retries int
	next    func(retry int) (*fakeKernel, error)
}

func (l *fakeLauncher) Retries() int { return l.retries }
func (l *fakeLauncher) Launch(_ context.Context, retry int) (Kernel, error) {
	k, err := l.next(retry)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// withKernel runs a story on an open driver whose kernels prepare has shaped.
func withKernel(t *testing.T, prepare func(*fakeKernel), story func(t *testing.T, d *driver, s *sink)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLauncher{next: func(int) (*fakeKernel, error) {
			k := newFakeKernel()
			prepare(k)
			return k, nil
		}}
		d, s := NewDriver(l, DriverOptions{}).(*driver), newSink()
		if _, err := d.Open(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		story(t, d, s)
		if err := d.Close(context.Background(), true); err != nil {
			t.Error(err)
		}
	})
}

// kernel is the one in use.
func (d *driver) kernel() *fakeKernel { return d.current().kernel.(*fakeKernel) }

func expect(t *testing.T, s *sink, lines ...string) {
	t.Helper()
	if got, want := strings.TrimSpace(s.story()), strings.Join(lines, "\n"); got != want {
		t.Errorf("there was\n%s\n\nwhere this was due\n%s", got, want)
	}
}

func wantOutcome(t *testing.T, got, want kernelclient.Outcome) {
	t.Helper()
	if got != want {
		t.Errorf("it ended %+v, want %+v", got, want)
	}
}

// behind runs code on d and returns where the outcome comes.
func behind(d *driver, id event.ExecID) <-chan kernelclient.Outcome {
	c := make(chan kernelclient.Outcome, 1)
	go func() { c <- d.Run(context.Background(), kernelclient.Request{ID: id, Code: "x"}) }()
	return c
}
